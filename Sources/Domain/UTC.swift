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
