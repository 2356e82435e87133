/// A universally unique identifier.
///
/// Source: RFC 9562.
package struct UUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter version: 0 to 15; it and the variant replace bits of the numbers.
    private init(_ high: UInt64, _ low: UInt64, version: UInt64) {
        self.high = high & ~0xF000 | version << 12
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Random bits: version 4.
    package static func random(using random: inout some RandomNumberGenerator) -> UUID {
        UUID(random.next(), random.next(), version: 4)
    }

    /// A new name of what began or was made at a moment; nil if no clock was set then.
    package static func new(at time: UTC?) -> UUID {
        var random = SystemRandomNumberGenerator()
        return time.map { ordered($0, using: &random) } ?? .random(using: &random)
    }

    /// A moment in milliseconds, and random bits: version 7. A moment before 1970 counts as 1970, one after 10889 as that.
    package static func ordered(_ time: UTC, using random: inout some RandomNumberGenerator) -> UUID {
        let milliseconds = UInt64(min(max(time.milliseconds, 0), 0xFFFF_FFFF_FFFF))
        return UUID(milliseconds << 16 | random.next() & 0xFFFF, random.next(), version: 7)
    }

    /// What the bytes determine: version 8.
    package static func derived(from bytes: some Sequence<UInt8>) -> UUID {
        let hash = UInt128(fnv1a: bytes)
        return UUID(UInt64(hash >> 64), UInt64(truncatingIfNeeded: hash), version: 8)
    }

    /// Nil unless there are 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        (high, low) = Self.numbers(bytes)
    }

    private static func numbers(_ bytes: some Collection<UInt8>) -> (UInt64, UInt64) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return (number(bytes.prefix(8)), number(bytes.dropFirst(8).prefix(8)))
    }

    /// Parses `017f22e2-79b0-7cc3-98c4-dc0c0c07398f`, with capitals too; nil for any other text.
    ///
    /// A list of activities parses thousands, so it allocates nothing.
    package init?(_ text: some StringProtocol) {
        var value: UInt128 = 0
        var place = 0
        for byte in text.utf8 {
            if Self.isHyphen(place) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard place < Self.length, let digit = Self.digit(byte) else { return nil }
                value = value << 4 | UInt128(digit)
            }
            place += 1
        }
        guard place == Self.length else { return nil }
        high = UInt64(value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    private static let length = 36

    /// Whether a place of the text has a hyphen.
    fileprivate static func isHyphen(_ place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    package var bytes: [UInt8] {
        [high, low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    }

    package var description: String {
        let value = UInt128(high) << 64 | UInt128(low)
        var text: [UInt8] = []
        text.reserveCapacity(Self.length)
        for digit in 0..<32 {
            if Self.isHyphen(text.count) { text.append(UInt8(ascii: "-")) }
            let number = UInt8(truncatingIfNeeded: value >> UInt128(124 - 4 * digit)) & 0xF
            text.append(number + (number < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The beginning of a uuid, which stands for the uuid where that is the only one with it.
package struct UUIDPrefix: Equatable, Sendable, CustomStringConvertible {
    /// In small letters.
    package let description: String

    package static let lengths = 8...36

    /// Nil for another text. Digits alone are a number, not a uuid.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.lowercased().utf8)
        guard Self.lengths.contains(bytes.count), bytes.contains(where: { !(48...57).contains($0) }) else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isHyphen = byte == UInt8(ascii: "-")
            guard UUID.isHyphen(index) ? isHyphen : (48...57).contains(byte) || (97...102).contains(byte) else {
                return nil
            }
        }
        description = String(decoding: bytes, as: UTF8.self)
    }
}
