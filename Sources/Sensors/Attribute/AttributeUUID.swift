package import Domain

/// The type of a service, characteristic or descriptor.
///
/// The Bluetooth SIG's types have 16 bits on the wire and abbreviate 128; both forms of one type are equal here.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part B, section 2.5.1.
package struct AttributeUUID: Hashable, Sendable, CustomStringConvertible {
    /// The type in 128 bits; its first printed digit is the most significant.
    package let value: UInt128

    private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    package init(value: UInt128) {
        self.value = value
    }

    /// Creates a type from the Bluetooth SIG's 16-bit form.
    package init(_ short: UInt16) {
        value = Self.base | UInt128(short) << 96
    }

    /// Reads 2 or 16 bytes, least significant first.
    ///
    /// - Throws: ``ParseError`` for any other number of bytes.
    package init(_ bytes: Span<UInt8>) throws(ParseError) {
        switch bytes.count {
        case 2: self.init(try bytes.uint16(at: 0))
        case 16:
            var value: UInt128 = 0
            for index in bytes.indices { value |= UInt128(bytes[index]) << UInt128(8 * index) }
            self.init(value: value)
        default: throw ParseError(at: min(bytes.count, 16), expected: "a UUID of 2 or 16 bytes")
        }
    }

    /// The shortest form on the wire, least significant byte first: 2 bytes if 16 bits are enough, else 16.
    package var bytes: [UInt8] {
        let short = UInt16(truncatingIfNeeded: value >> 96)
        if self == Self(short) { return [UInt8(truncatingIfNeeded: short), UInt8(short >> 8)] }
        return (0..<16).map { UInt8(truncatingIfNeeded: value >> UInt128(8 * $0)) }
    }

    /// The shortest printed form: `180d`, or `fb005c80-02e7-f387-1cad-8acd2d8df0c8`.
    package var description: String {
        let digits = bytes.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return digits.enumerated().map { ([4, 6, 8, 10].contains($0) ? "-" : "") + $1 }.joined()
    }
}

extension AttributeUUID {
    /// The declaration of a primary service.
    package static let primaryService = AttributeUUID(0x2800)

    /// The declaration of a characteristic.
    package static let characteristic = AttributeUUID(0x2803)

    /// The descriptor that turns notifications and indications on.
    package static let clientCharacteristicConfiguration = AttributeUUID(0x2902)
}
