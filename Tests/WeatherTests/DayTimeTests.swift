import Domain
import Testing
import Weather

@Suite struct DayTimeTests {
    /// The first and the last month of a year, before and after it, and the ends of all months, in leap years or not.
    @Test(arguments: [2023, 2024, 2025, 2000, 2100])
    func `A report of the last minute of a month is read in it and in the next month`(year: Int) throws {
        for month in 1...12 {
            let next = UTC(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            let last = UTC(milliseconds: next.milliseconds - 60_000)
            let fields = last.fields
            let time = try #require(DayTime(day: fields.day, hour: 23, minute: 59))
            for minutes in [0, 1, 2, 60, 600, 13 * 1440] as [Int64] {
                let moment = UTC(milliseconds: last.milliseconds + minutes * 60_000)
                #expect(time.last(notAfter: moment) == last)
                #expect(time.nearest(to: moment) == last)
            }
            // The first report of the next month, by a clock that is late.
            let first = try #require(DayTime(day: 1, hour: 0))
            #expect(first.nearest(to: last) == next)
            #expect(first.last(notAfter: UTC(milliseconds: last.milliseconds + 86_400_000)) == next)
        }
    }

    @Test func `The leap day is a day of leap years only`() throws {
        let leapDay = try #require(DayTime(day: 29, hour: 12))
        #expect(leapDay.last(notAfter: try date("2024-03-01T00:00:00Z")) == (try date("2024-02-29T12:00:00Z")))
        #expect(leapDay.last(notAfter: try date("2023-03-01T00:00:00Z")) == (try date("2023-01-29T12:00:00Z")))
        #expect(leapDay.nearest(to: try date("2100-03-10T00:00:00Z")) == (try date("2100-03-29T12:00:00Z")))
        let last = try #require(DayTime(day: 31, hour: 6))
        #expect(last.last(notAfter: try date("2023-03-30T00:00:00Z")) == (try date("2023-01-31T06:00:00Z")))
        #expect(last.nearest(to: try date("2023-04-10T00:00:00Z")) == (try date("2023-03-31T06:00:00Z")))
    }

    @Test func `Hour 24 is the end of the day`() throws {
        let end = try #require(DayTime(day: 31, hour: 24))
        #expect(end.nearest(to: try date("2025-12-31T20:00:00Z")) == (try date("2026-01-01T00:00:00Z")))
        #expect(end.last(notAfter: try date("2026-01-01T00:00:00Z")) == (try date("2026-01-01T00:00:00Z")))
    }

    @Test(arguments: [(0, 0, 0), (32, 0, 0), (1, 25, 0), (1, 24, 1), (1, 0, 60), (1, -1, 0)])
    func `What is no time has no value`(day: Int, hour: Int, minute: Int) {
        #expect(DayTime(day: day, hour: hour, minute: minute) == nil)
    }
}
