/// A moment of the civil calendar (UTC): milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// It is stored and shown, never computed with: durations and order come from ``Instant``.
package struct UTC: Hashable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Midnight of a day of the proleptic Gregorian calendar.
    package init(year: Int, month: Int, day: Int) {
        // Howard Hinnant's "days from civil" (chrono-Compatible Low-Level Date Algorithms): years begin in March.
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted.flooredDivision(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        milliseconds = (era * 146_097 + dayOfEra - 719_468) * 86_400_000
    }

    /// Calendar and clock fields of a moment.
    package struct Fields: Equatable, Sendable {
        /// Year of the proleptic Gregorian calendar.
        package var year: Int
        /// 1 to 12.
        package var month: Int
        /// 1 to 31.
        package var day: Int
        /// 0 to 23.
        package var hour: Int
        /// 0 to 59.
        package var minute: Int
        /// 0 to 59.
        package var second: Int
        /// 0 to 999.
        package var millisecond: Int
    }

    package var fields: Fields {
        let days = milliseconds.flooredDivision(by: 86_400_000)
        let rest = Int(milliseconds - days * 86_400_000)
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = Int(dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100))
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return Fields(
            year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * marchMonth + 2) / 5 + 1,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1_000 % 60,
            millisecond: rest % 1_000)
    }
}

extension UTC: Comparable {
    package static func < (lhs: UTC, rhs: UTC) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}

extension UTC {
    /// Parses an ISO 8601 date and time as in files: `2026-03-01T07:30:12.3+01:00`.
    ///
    /// A fraction is truncated to milliseconds. The zone is `Z`, `±hh:mm`, `±hhmm` or `±hh`; without one the time is
    /// UTC. A leap second becomes the first moment of the next minute. Nil for anything else, such as a mere date.
    package init?(iso8601 text: some StringProtocol) {
        var digits = Digits(text.utf8)
        guard let year = digits.parseDigits(4), digits.skip("-"), let month = digits.parseDigits(2),
            (1...12).contains(month),
            digits.skip("-"), let day = digits.parseDigits(2), (1...31).contains(day),
            UTC(year: year, month: month, day: day).fields.day == day,
            digits.skip("T") || digits.skip("t") || digits.skip(" "),
            let hour = digits.parseDigits(2), hour < 24, digits.skip(":"), let minute = digits.parseDigits(2),
            minute < 60,
            digits.skip(":"), let second = digits.parseDigits(2), second <= 60
        else { return nil }
        var milliseconds = 0
        if digits.skip(".") || digits.skip(",") {
            guard let fraction = digits.fraction() else { return nil }
            milliseconds = fraction
        }
        guard let offset = digits.zone(), digits.isAtEnd else { return nil }
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
        self.init(milliseconds: UTC(year: year, month: month, day: day).milliseconds + Int64(time))
    }
}

/// Cursor over the characters of a date and time.
private struct Digits<Text: Sequence<UInt8>> {
    private var rest: Text.Iterator
    private var next: UInt8?

    init(_ text: Text) {
        rest = text.makeIterator()
        next = rest.next()
    }

    var isAtEnd: Bool { next == nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        next = rest.next()
        return true
    }

    private mutating func digit() -> Int? {
        guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        next = rest.next()
        return Int(byte - UInt8(ascii: "0"))
    }

    /// Parses a number of exactly `count` digits.
    mutating func parseDigits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Parses a fraction of one or more digits as milliseconds; digits after the third are ignored.
    mutating func fraction() -> Int? {
        guard var number = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 3 { number = number * 10 + digit }
            count += 1
        }
        while count < 3 {
            number *= 10
            count += 1
        }
        return number
    }

    /// Parses a zone as minutes ahead of UTC.
    mutating func zone() -> Int? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let isBehind = next == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = parseDigits(2), hours < 24 else { return nil }
        var minutes = 0
        if !isAtEnd {
            _ = skip(":")
            guard let value = parseDigits(2), value < 60 else { return nil }
            minutes = value
        }
        return (hours * 60 + minutes) * (isBehind ? -1 : 1)
    }
}
