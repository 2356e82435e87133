/// Text from outside made harmless at the door: names, device information, gpsd's device, fields of imported files.
///
/// It is valid UTF-8 of at most 64 characters without control characters (C0, DEL, C1), line and paragraph separators or characters that
/// change the direction of text; each of those, and each malformed sequence, reads U+FFFD instead. No terminal,
/// JSON string or tag that it is shown in can be broken by what is left, provided that the writer escapes its own syntax.
package struct SanitizedText: Hashable, Sendable {
    /// The most characters that are kept.
    package static let characterLimit = 64

    /// The most scalars that are kept: a character can carry any number of combining marks.
    package static let scalarLimit = 256

    package let text: String

    /// The empty text is no text.
    package init?(_ bytes: some Sequence<UInt8>) {
        self.init(String(decoding: Array(bytes.prefix(Self.scalarLimit * 4)), as: UTF8.self))
    }

    /// The empty text is no text.
    package init?(_ untrusted: String) {
        var scalars = String.UnicodeScalarView()
        for scalar in untrusted.unicodeScalars.prefix(Self.scalarLimit) {
            scalars.append(Self.isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
        text = String(String(scalars).prefix(Self.characterLimit))
        if text.isEmpty { return nil }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: false
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false
        case 0x2028, 0x2029: false
        default: true
        }
    }
}
