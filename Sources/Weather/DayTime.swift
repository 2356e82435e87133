package import Domain

/// A day of the month and a time of the day (UTC), as reports state them: the month and the year are those of a moment
/// nearby.
package struct DayTime: Hashable, Sendable {
    /// 1 to 31.
    package let day: Int
    /// 0 to 24; 24 is the end of the day.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int

    /// Nil for what is no day or time of any month.
    package init?(day: Int, hour: Int, minute: Int = 0) {
        guard (1...31).contains(day), (0...24).contains(hour), (0...59).contains(minute), hour < 24 || minute == 0
        else { return nil }
        self.day = day
        self.hour = hour
        self.minute = minute
    }

    /// The moment that is nearest to another one; of two, the later.
    package func nearest(to moment: UTC) -> UTC {
        var best: UTC?
        for months in -1...1 {
            guard let candidate = inMonth(months, from: moment) else { continue }
            let isNearer = best.map { distance(candidate, moment) <= distance($0, moment) } ?? true
            if isNearer { best = candidate }
        }
        // Of three months in a row at least two have 31 days.
        return best ?? moment
    }

    /// The last moment that is not after another one.
    package func last(notAfter moment: UTC) -> UTC {
        for months in [1, 0, -1] {
            if let candidate = inMonth(months, from: moment), candidate <= moment { return candidate }
        }
        return inMonth(-2, from: moment) ?? moment
    }

    private func distance(_ one: UTC, _ other: UTC) -> Int64 {
        abs(one.milliseconds - other.milliseconds)
    }

    /// Nil if that month has no such day.
    private func inMonth(_ months: Int, from moment: UTC) -> UTC? {
        let fields = moment.fields
        let month = fields.year * 12 + fields.month - 1 + months
        let midnight = UTC(year: month / 12, month: month % 12 + 1, day: day)
        guard midnight.fields.day == day else { return nil }
        return UTC(milliseconds: midnight.milliseconds + Int64(hour * 60 + minute) * 60_000)
    }
}

extension DayTime {
    /// Parses `ddhhmm` at the cursor.
    init?(minutes reader: inout GroupReader) {
        guard let day = reader.digits(2), let hour = reader.digits(2), let minute = reader.digits(2) else { return nil }
        self.init(day: day, hour: hour, minute: minute)
    }

    /// Parses `ddhh` at the cursor.
    init?(hours reader: inout GroupReader) {
        guard let day = reader.digits(2), let hour = reader.digits(2) else { return nil }
        self.init(day: day, hour: hour)
    }
}
