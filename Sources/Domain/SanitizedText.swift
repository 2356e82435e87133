/// Untrusted text, sanitised on receipt: names, device information, gpsd's device, fields of imported files.
///
/// It is valid UTF-8 of at most 64 characters. U+FFFD replaces each malformed sequence, control character
/// (C0, DEL, C1), line or paragraph separator, and character that changes the direction of text. What
/// remains cannot break a terminal, a JSON string or a tag, provided that the writer escapes its own syntax.
package struct SanitizedText: Hashable, Sendable {
    /// Maximum number of characters.
    package static let characterLimit = 64

    /// Maximum number of scalars: one character can have any number of combining marks.
    package static let scalarLimit = 256

    package let text: String

    /// Nil if nothing of the text is visible.
    package init?(_ bytes: some Sequence<UInt8>) {
        self.init(String(decoding: Array(bytes.prefix(Self.scalarLimit * 4)), as: UTF8.self))
    }

    /// Nil if nothing of the text is visible.
    package init?(_ untrusted: String) {
        var scalars = String.UnicodeScalarView()
        for scalar in untrusted.unicodeScalars.prefix(Self.scalarLimit) {
            scalars.append(Self.isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
        text = String(String(scalars).prefix(Self.characterLimit))
        if !text.unicodeScalars.contains(where: Self.isVisible) { return nil }
    }

    /// At most `limit` characters of an untrusted text that may be longer than a name, sanitised like one; nil if nothing
    /// of it is visible.
    package static func line(_ untrusted: String, limit: Int) -> String? {
        var rest = untrusted.prefix(limit)
        var result = ""
        while !rest.isEmpty {
            result += SanitizedText(String(rest.prefix(characterLimit)))?.text ?? " "
            rest = rest.dropFirst(characterLimit)
        }
        return result.allSatisfy { $0 == " " } ? nil : result
    }

    /// Neither a space nor a character of no width, such as U+200B; U+2800 is a Braille cell without dots.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
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
