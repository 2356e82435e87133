import Domain

/// A line of an agency. GTFS calls it a route.
package struct TransitLine: Equatable, Sendable {
    /// The ID of the agency, unique among its lines.
    package var id: String
    /// The short name on the bus, such as `V`; empty if there is none.
    package var code: String
    /// The long name, such as `Vairo Blvd`; empty if there is none.
    package var name: String
    package var color: LineColor?

    package init(id: String, code: String, name: String, color: LineColor? = nil) {
        self.id = id
        self.code = code
        self.name = name
        self.color = color
    }

    /// `V - Vairo Blvd`, or the only one of both.
    package var title: String {
        [code, name].filter { !$0.isEmpty }.joined(separator: " - ")
    }
}

/// The color of a line in sRGB.
package struct LineColor: Equatable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    /// Six hexadecimal digits, such as `FFCC66`, after `#` or without it. Nil for other text.
    package init?(_ text: some StringProtocol) {
        let digits = Array((text.hasPrefix("#") ? text.dropFirst() : text[...]).utf8)
        guard digits.count == 6, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
    }

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Such as `FFCC66`.
    package var text: String {
        [red, green, blue].map { $0.hexadecimal(uppercase: true) }.joined()
    }
}
