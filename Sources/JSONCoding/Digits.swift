package import Domain

/// Numbers and times as text, without heap allocations.
extension [UInt8] {
    package mutating func append(digits value: UInt64, atLeast count: Int = 1) {
        if value >= 10 || count > 1 { append(digits: value / 10, atLeast: count - 1) }
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Appends a number from ``DecimalFormat/scaled(_:decimals:)`` without trailing zeros.
    package mutating func append(scaled: Int64, decimals: Int) {
        if scaled < 0 { append(UInt8(ascii: "-")) }
        var power: UInt64 = 1
        for _ in 0..<decimals { power *= 10 }
        append(digits: scaled.magnitude / power)
        var fraction = scaled.magnitude % power
        guard fraction > 0 else { return }
        var count = decimals
        while fraction.isMultiple(of: 10) {
            fraction /= 10
            count -= 1
        }
        append(UInt8(ascii: "."))
        append(digits: fraction, atLeast: count)
    }

    /// Appends a time as `2026-03-01T07:30:12.300Z`; the year must be 0 to 9999.
    package mutating func append(_ fields: UTC.Fields) {
        append(digits: UInt64(fields.year), atLeast: 4)
        append("-", fields.month)
        append("-", fields.day)
        append("T", fields.hour)
        append(":", fields.minute)
        append(":", fields.second)
        append(UInt8(ascii: "."))
        append(digits: UInt64(fields.millisecond), atLeast: 3)
        append(UInt8(ascii: "Z"))
    }

    private mutating func append(_ separator: Unicode.Scalar, _ value: Int) {
        append(UInt8(ascii: separator))
        append(digits: UInt64(value), atLeast: 2)
    }
}
