package import Domain

/// A date and a minute in local time, without a time zone.
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int
    /// Since midnight, 0 to 1439.
    package var minute: Int

    package init(year: Int, month: Int, day: Int, minute: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.minute = minute
    }

    /// - Parameter offset: the offset of local time from UTC, in seconds.
    package init(_ time: UTC, offset: Int) {
        let fields = UTC(milliseconds: time.milliseconds + Int64(offset) * 1000).fields
        self.init(
            year: fields.year, month: fields.month, day: fields.day, minute: fields.hour * 60 + fields.minute)
    }

    /// 0 Monday to 6 Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        Int(((midnight.milliseconds / Self.dayMilliseconds + 3) % 7 + 7) % 7)
    }

    /// The same minute of another day.
    func adding(days: Int) -> CivilTime {
        let fields = UTC(milliseconds: midnight.milliseconds + Int64(days) * Self.dayMilliseconds).fields
        return CivilTime(year: fields.year, month: fields.month, day: fields.day, minute: minute)
    }

    /// What a clock shows some minutes later, if it does not change in between.
    func adding(minutes: Int) -> CivilTime {
        CivilTime(UTC(milliseconds: shown.milliseconds + Int64(minutes) * 60_000), offset: 0)
    }

    /// The first moment after `now` at which the clock shows this time; if it skips the time, the moment of the change.
    ///
    /// - Parameter offset: the seconds by which the clock is ahead of UTC at a moment.
    func moment(after now: UTC, offset: (UTC) -> Int) -> UTC {
        // Before and after a change of the clock.
        let offsets = [-1, 1].map { offset(UTC(milliseconds: shown.milliseconds + $0 * Self.dayMilliseconds)) }
        let moments = offsets.map { UTC(milliseconds: shown.milliseconds - Int64($0) * 1000) }
        for (moment, ahead) in zip(moments, offsets) where moment > now && offset(moment) == ahead { return moment }
        var (before, after) = (moments[1].milliseconds, moments[0].milliseconds)
        while after - before > 1 {
            let middle = (before + after) / 2
            if offset(UTC(milliseconds: middle)) == offsets[1] { after = middle } else { before = middle }
        }
        return UTC(milliseconds: after)
    }

    private static let dayMilliseconds: Int64 = 86_400_000

    private var midnight: UTC { UTC(year: year, month: month, day: day) }

    /// As if it were UTC.
    private var shown: UTC { UTC(milliseconds: midnight.milliseconds + Int64(minute) * 60_000) }
}
