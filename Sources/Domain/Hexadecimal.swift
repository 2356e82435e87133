// Bytes as text, and back.

extension UInt8 {
    /// Two hexadecimal digits.
    package func hexadecimal(uppercase: Bool = false) -> String {
        (self < 16 ? "0" : "") + String(self, radix: 16, uppercase: uppercase)
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    package var hexadecimal: String {
        map { $0.hexadecimal() }.joined()
    }

    /// Parses two digits for each byte; nil for other text.
    package init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension String {
    /// The text with all bytes percent-encoded (RFC 3986) but letters and digits of ASCII and those of `kept`.
    package func percentEncoded(keeping kept: String) -> String {
        utf8.reduce(into: "") { text, byte in
            switch UnicodeScalar(byte) {
            case "0"..."9", "A"..."Z", "a"..."z": text.unicodeScalars.append(UnicodeScalar(byte))
            case let scalar where kept.unicodeScalars.contains(scalar): text.unicodeScalars.append(scalar)
            default: text += "%" + byte.hexadecimal(uppercase: true)
            }
        }
    }
}
