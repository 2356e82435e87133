package import Domain

/// A day of a timetable: a date of the agency, without a time zone.
package struct ServiceDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    package var number: Int

    package init(number: Int) {
        self.number = number
    }

    /// Parses `20261126`. Nil for other text, and for years before 1970 and after 2199.
    package init?(_ text: String) {
        let digits = Array(text.utf8)[...]
        guard digits.count == 8, let year = Int(ascii: digits[..<4]), let month = Int(ascii: digits[4..<6]),
            let day = Int(ascii: digits[6...]), (1970...2199).contains(year), (1...12).contains(month), day >= 1
        else { return nil }
        let midnight = UTC(year: year, month: month, day: day)
        // A day that the month does not have.
        guard midnight.fields.day == day else { return nil }
        number = Int(midnight.milliseconds / 86_400_000)
    }

    /// Such as `2026-11-26`.
    package var date: String {
        let fields = midnight.fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(fields.year)-\(digits(fields.month))-\(digits(fields.day))"
    }

    /// The midnight of the date in UTC.
    package var midnight: UTC { UTC(milliseconds: Int64(number) * 86_400_000) }

    /// 0 Monday to 6 Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        ((number + 3) % 7 + 7) % 7
    }

    package static func < (one: ServiceDay, other: ServiceDay) -> Bool { one.number < other.number }
}
