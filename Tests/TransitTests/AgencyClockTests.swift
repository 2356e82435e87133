import Domain
import Testing
import Transit

@Suite struct AgencyClockTests {
    private static func day(_ text: String) -> ServiceDay { ServiceDay(text) ?? ServiceDay(number: -1) }

    private static func clock(_ zone: MadeZone) -> AgencyClock {
        AgencyClock(from: day("20260101"), to: day("20261231"), offset: zone.offset)
    }

    @Test(arguments: [
        (MadeZone.berlin, [3600, 7200, 3600], ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
        (.newYork, [-18_000, -14_400, -18_000], ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]),
        (.lordHowe, [39_600, 37_800, 39_600], ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]),
        (.utc, [0], []),
    ]) func changesAreFoundToTheSecond(zone: MadeZone, offsets: [Int], starts: [String]) {
        let changes = Self.clock(zone).changes
        #expect(changes.map(\.offset) == offsets)
        #expect(changes.dropFirst().map(\.start) == starts.map(seconds))
    }

    @Test func offsetsEqualThoseOfTheZoneAtEachHour() {
        for zone in MadeZone.allCases {
            let clock = Self.clock(zone)
            for time in stride(from: seconds("2026-01-01T00:00:00Z"), to: seconds("2027-01-01T00:00:00Z"), by: 900) {
                if clock.offset(at: time) != zone.offset(at: time) { Issue.record("\(zone) at \(time)") }
            }
        }
    }

    @Test func firstOffsetHoldsBeforeItsStart() {
        let clock = AgencyClock([
            AgencyClock.Change(start: 1000, offset: 60), AgencyClock.Change(start: 2000, offset: 0),
        ])
        #expect([-5, 999, 1000, 1999, 2000, 9999].map { clock.offset(at: $0) } == [60, 60, 60, 60, 0, 0])
    }

    /// The local time at which the times of a day begin, and the time of a trip at 3:30:00.
    @Test(arguments: [
        (MadeZone.berlin, "20260328", "2026-03-28T00:00:00+01:00", "2026-03-28T03:30:00+01:00"),
        (.berlin, "20260329", "2026-03-28T23:00:00+01:00", "2026-03-29T03:30:00+02:00"),
        (.berlin, "20260330", "2026-03-30T00:00:00+02:00", "2026-03-30T03:30:00+02:00"),
        (.berlin, "20261025", "2026-10-25T01:00:00+02:00", "2026-10-25T03:30:00+01:00"),
        (.berlin, "20261026", "2026-10-26T00:00:00+01:00", "2026-10-26T03:30:00+01:00"),
        (.newYork, "20260308", "2026-03-07T23:00:00-05:00", "2026-03-08T03:30:00-04:00"),
        (.newYork, "20261101", "2026-11-01T01:00:00-04:00", "2026-11-01T03:30:00-05:00"),
        (.newYork, "20261102", "2026-11-02T00:00:00-05:00", "2026-11-02T03:30:00-05:00"),
        (.lordHowe, "20260405", "2026-04-05T00:30:00+11:00", "2026-04-05T03:30:00+10:30"),
        (.lordHowe, "20261004", "2026-10-03T23:30:00+10:30", "2026-10-04T03:30:00+11:00"),
        (.utc, "20260329", "2026-03-29T00:00:00+00:00", "2026-03-29T03:30:00+00:00"),
    ]) func serviceDayBeginsTwelveHoursBeforeNoon(zone: MadeZone, date: String, start: String, trip: String) {
        let clock = Self.clock(zone)
        let found = clock.start(of: Self.day(date))
        #expect(found == seconds(start))
        #expect(clock.text(found) == start)
        #expect(clock.text(found + 3 * 3600 + 1800) == trip)
    }

    @Test func noonOfEachDayIsTwelveHoursAfterItsStart() {
        for zone in MadeZone.allCases {
            let clock = Self.clock(zone)
            for number in Self.day("20260101").number...Self.day("20261231").number {
                let day = ServiceDay(number: number)
                let noon = clock.start(of: day) + 12 * 3600
                #expect((noon + zone.offset(at: noon)) == number * 86_400 + 43_200, "\(zone) on \(day.text)")
                #expect(clock.day(at: noon) == day)
            }
        }
    }

    @Test func dayBeginsAtMidnightOfTheClock() {
        let clock = Self.clock(.newYork)
        for (time, date) in [
            ("2026-03-07T23:59:59-05:00", "20260307"), ("2026-03-08T00:00:00-05:00", "20260308"),
            ("2026-03-08T23:59:59-04:00", "20260308"), ("2026-11-01T00:00:00-04:00", "20261101"),
            ("2026-11-01T23:59:59-05:00", "20261101"), ("2026-11-02T00:00:00-05:00", "20261102"),
        ] {
            #expect(clock.day(at: seconds(time)).text == date, "\(time)")
            #expect(clock.text(seconds(time)) == time)
        }
        #expect(AgencyClock([AgencyClock.Change(start: 0, offset: -3600)]).day(at: 3599).number == -1)
        #expect(AgencyClock([AgencyClock.Change(start: 0, offset: 0)]).day(at: -86_401).number == -2)
    }

    @Test func textHasTheOffsetInHoursAndMinutes() {
        let time = seconds("2026-06-05T04:03:02Z")
        for (offset, text) in [
            (0, "2026-06-05T04:03:02+00:00"), (20_700, "2026-06-05T09:48:02+05:45"),
            (-34_200, "2026-06-04T18:33:02-09:30"), (50_400, "2026-06-05T18:03:02+14:00"),
        ] {
            #expect(AgencyClock([AgencyClock.Change(start: 0, offset: offset)]).text(time) == text)
        }
    }

    /// Five hours west; `now` is 8:00 and 23:58 of 1970-01-02.
    @Test func nextTimeOfDayIsOfTodayOrTomorrow() {
        let clock = AgencyClock([AgencyClock.Change(start: 0, offset: -18_000)])
        let midnight = 86_400 + 18_000
        let morning = midnight + 8 * 3600
        #expect(clock.next(9 * 3600, after: morning) == midnight + 9 * 3600)
        #expect(clock.next(8 * 3600 - 300, after: morning) == morning - 300)
        #expect(clock.next(7 * 3600, after: morning) == midnight + 86_400 + 7 * 3600)
        #expect(clock.next(60, after: midnight + 86_400 - 120) == midnight + 86_400 + 60)
        #expect(clock.next(86_400 - 60, after: midnight + 120) == midnight - 60)
    }
}
