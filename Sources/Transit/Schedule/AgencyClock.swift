import Domain

/// The local time of an agency: its offsets from UTC, and when they change.
package struct AgencyClock: Equatable, Sendable {
    package struct Change: Equatable, Sendable {
        /// Seconds since 1970 from which on the offset holds.
        package var start: Int
        /// Seconds to add to UTC.
        package var offset: Int

        package init(start: Int, offset: Int) {
            self.start = start
            self.offset = offset
        }
    }

    /// In the order of time. The first offset also holds before its start.
    package let changes: [Change]

    /// - Parameter changes: in the order of time, at least one.
    package init(_ changes: [Change]) {
        self.changes = changes
    }

    /// Finds the changes between two days.
    ///
    /// - Parameter offset: the offset from UTC at a moment in seconds since 1970.
    package init(from first: ServiceDay, to last: ServiceDay, offset: (Int) -> Int) {
        let day = 86_400
        var time = (first.number - 2) * day
        var changes = [Change(start: time, offset: offset(time))]
        while time < (last.number + 3) * day {
            let next = time + day
            let new = offset(next)
            if new != changes[changes.count - 1].offset {
                // The first second with the new offset.
                var (before, after) = (time, next)
                while after - before > 1 {
                    let middle = (before + after) / 2
                    if offset(middle) == new { after = middle } else { before = middle }
                }
                changes.append(Change(start: after, offset: new))
            }
            time = next
        }
        self.changes = changes
    }

    /// - Parameter time: seconds since 1970.
    package func offset(at time: Int) -> Int {
        (changes.last { $0.start <= time } ?? changes[0]).offset
    }

    /// The next moment of a time of day, in seconds since 1970. One that has just passed is of today.
    ///
    /// - Parameter seconds: since midnight.
    package func next(_ seconds: Int, after now: Int) -> Int {
        let day = day(at: now - Self.grace)
        let today = start(of: day) + seconds
        return today >= now - Self.grace ? today : start(of: ServiceDay(number: day.number + 1)) + seconds
    }

    /// Seconds.
    private static let grace = 600

    /// Seconds since 1970 at which the times of a service day begin: noon minus 12 h. On a day on which the clocks change,
    /// that is not midnight.
    ///
    /// Source: gtfs.org/documentation/schedule/reference, "Field Types", Time.
    package func start(of day: ServiceDay) -> Int {
        let noon = day.number * 86_400 + 43_200
        // No clock changes at noon.
        return noon - offset(at: noon - offset(at: noon)) - 43_200
    }

    /// The date at a moment in seconds since 1970.
    package func day(at time: Int) -> ServiceDay {
        let local = time + offset(at: time)
        return ServiceDay(number: local >= 0 ? local / 86_400 : (local - 86_399) / 86_400)
    }

    /// The local time with its offset, such as `2026-11-26T08:05:00-05:00`.
    ///
    /// - Parameter time: seconds since 1970.
    package func text(_ time: Int) -> String {
        let offset = offset(at: time)
        let fields = UTC(milliseconds: Int64(time + offset) * 1000).fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let date = day(at: time).date
        let clock = "\(digits(fields.hour)):\(digits(fields.minute)):\(digits(fields.second))"
        let zone = "\(digits(abs(offset) / 3600)):\(digits(abs(offset) / 60 % 60))"
        return "\(date)T\(clock)\(offset < 0 ? "-" : "+")\(zone)"
    }
}
