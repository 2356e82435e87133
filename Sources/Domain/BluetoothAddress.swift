/// The 48-bit address of a Bluetooth device.
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number: its first printed byte is the most significant of six.
    package let value: UInt64

    /// Traps unless `value` has at most 48 bits.
    package init(value: UInt64) {
        precondition(value < 1 << 48)
        self.value = value
    }

    /// Parses six pairs of hexadecimal digits, upper or lower case, separated by colons: `A0:9E:1A:00:00:01`.
    package init?(_ text: some StringProtocol) {
        var value: UInt64 = 0
        var count = 0
        for (index, byte) in text.utf8.enumerated() {
            if index % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
            } else {
                guard let digit = Self.digit(byte) else { return nil }
                guard index < 17 else { return nil }
                value = value << 4 | UInt64(digit)
            }
            count += 1
        }
        guard count == 17 else { return nil }
        self.value = value
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    package var description: String {
        (0..<6).map { index in
            UInt8(truncatingIfNeeded: value >> UInt64(40 - 8 * index)).hexadecimal(uppercase: true)
        }.joined(separator: ":")
    }
}
