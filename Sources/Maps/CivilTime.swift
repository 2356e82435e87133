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

    private static let dayMilliseconds: Int64 = 86_400_000

    private var midnight: UTC { UTC(year: year, month: month, day: day) }
}
