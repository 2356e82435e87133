import Domain
import Maps
import Testing

/// 2026-03-02 is a Monday.
private func time(_ day: Int, _ clock: String, month: Int = 3, year: Int = 2026) throws -> CivilTime {
    let parts = clock.split(separator: ":").compactMap { Int($0) }
    try #require(parts.count == 2)
    return CivilTime(year: year, month: month, day: day, minute: parts[0] * 60 + parts[1])
}

@Suite struct OpeningHoursTests {
    /// The day of March 2026, 2 to 8 for Monday to Sunday, the clock, and the state: "open", "open 90", "closed 90",
    /// "closed" and "unknown", with minutes to the change.
    @Test(arguments: [
        ("24/7", 4, "03:00", "open"), ("open", 4, "03:00", "open"), ("off", 4, "03:00", "closed"),
        ("closed", 4, "03:00", "closed"), ("24/7; We off", 4, "03:00", "closed 1260"),
        ("24/7; We off", 3, "23:00", "open 60"), ("00:00-24:00", 4, "03:00", "open"),
        ("Mo-Fr 09:00-18:00", 2, "08:59", "closed 1"), ("Mo-Fr 09:00-18:00", 2, "09:00", "open 540"),
        ("Mo-Fr 09:00-18:00", 2, "17:59", "open 1"), ("Mo-Fr 09:00-18:00", 2, "18:00", "closed 900"),
        ("Mo-Fr 09:00-18:00", 6, "18:00", "closed 3780"), ("Mo-Fr 09:00-18:00", 8, "12:00", "closed 1260"),
        ("Mo,We-Fr 10:00-12:00", 3, "11:00", "closed 1380"), ("Mo,We-Fr 10:00-12:00", 5, "11:00", "open 60"),
        ("Sa-Mo 10:00-12:00", 2, "11:00", "open 60"), ("Sa-Mo 10:00-12:00", 3, "11:00", "closed 5700"),
        ("Mo-Su 08:00-12:00,14:00-18:00", 2, "13:00", "closed 60"),
        ("08:00-12:00,12:00-18:00", 2, "11:00", "open 420"), ("22:00-02:00", 2, "01:00", "open 60"),
        ("22:00-02:00", 2, "23:00", "open 180"), ("Fr 18:00-26:00", 7, "01:30", "open 30"),
        ("Fr 18:00-26:00", 6, "01:30", "closed 990"), ("Sa 20:00-02:00; Su off", 8, "01:00", "open 60"),
        ("Fr,Sa 20:00-03:00; Su 10:00-12:00", 8, "02:00", "open 60"),
        ("Mo-Fr 10:00-18:00; We off", 4, "11:00", "closed 1380"),
        ("Mo-Fr 10:00-18:00; We 12:00-14:00", 4, "11:00", "closed 60"),
        ("Mo-Fr 10:00-18:00, We 19:00-20:00", 4, "11:00", "open 420"),
        ("Mo-Fr 10:00-18:00, We 19:00-20:00", 4, "19:30", "open 30"),
        ("Mo-Su 10:00-20:00; 12:00-14:00 off", 4, "11:00", "open 60"),
        ("Mo-Su 10:00-20:00; 12:00-14:00 off", 4, "13:00", "closed 60"),
        ("Fr 22:00-04:00; Sa 02:00-03:00 off", 7, "02:30", "closed 30"),
        ("We off; Mo-Fr 10:00-18:00", 4, "11:00", "open 420"),
        ("Mo-Fr 10:00-18:00; PH off", 4, "11:00", "open 420"),
        ("PH off; Mo-Fr 10:00-18:00", 4, "11:00", "open 420"),
        ("Mo-Fr 10:00-18:00; PH 10:00-14:00", 4, "15:00", "open 180"),
        ("Mo-Fr 10:00-18:00; Su,PH 12:00-14:00", 8, "13:00", "open 60"),
        ("Mo-Fr,PH 10:00-18:00", 4, "11:00", "open 420"), ("Mo-Fr 10:00-18:00, PH off", 4, "11:00", "open 420"),
        ("17:00+", 4, "16:00", "closed 60"), ("17:00+", 4, "20:00", "open"), ("17:00+", 4, "01:00", "unknown"),
        ("17:00+", 4, "06:00", "closed 660"), ("10:00-17:00+", 4, "16:00", "open"),
        ("10:00-17:00+", 4, "18:00", "unknown"), ("Mo-Fr", 4, "11:00", "open 3660"),
        ("Mo-Fr", 7, "11:00", "closed 2220"),
        ("Mar", 4, "11:00", "open"), ("Apr-Oct", 4, "11:00", "closed"),
        ("Apr-Oct 10:00-18:00", 31, "12:00", "closed 1320"),
        ("Nov-Mar off; 10:00-18:00", 4, "11:00", "open 420"), ("10:00-18:00; Nov-Mar off", 4, "11:00", "closed"),
        ("Nov-Apr 10:00-18:00", 4, "11:00", "open 420"), ("Mar 4 10:00-18:00", 4, "11:00", "open 420"),
        ("Mar 5-20 10:00-18:00", 4, "11:00", "closed 1380"), ("Oct 15-Mar 4 10:00-18:00", 4, "11:00", "open 420"),
        ("Oct 15-Mar 3 10:00-18:00", 4, "11:00", "closed"), ("Dec 24,26,Mar 4: 10:00-18:00", 4, "11:00", "open 420"),
        ("Jan,Mar We 10:00-18:00", 4, "11:00", "open 420"), ("Jan,Mar: Tu 10:00-18:00", 4, "11:00", "closed 8580"),
        ("Mar 4: off; Mo-Fr: 10:00-18:00", 3, "11:00", "open 420"), ("Mar 4:10-18:00", 4, "11:00", "open 420"),
        ("  mo - FR09:00 -18:00 ;;sa 9:00-12:00 ; ", 7, "09:00", "open 180"),
        ("Mo-Fr 09:00-18:00 open", 2, "10:00", "open 480"),
        ("00:00-00:00", 4, "11:00", "open"), ("Mo 10:00-10:00", 3, "09:00", "open 60"),
    ])
    func stateIsThatOfTheSpecification(text: String, day: Int, clock: String, expected: String) throws {
        let hours = try #require(OpeningHours(text), "\(text)")
        let state =
            switch hours.state(at: try time(day, clock)) {
            case .open(let minutes): minutes.map { "open \($0)" } ?? "open"
            case .closed(let minutes): minutes.map { "closed \($0)" } ?? "closed"
            case .unknown: "unknown"
            }
        #expect(state == expected, "\(text)")
    }

    @Test(arguments: [
        "", " ", ";", "sunrise-sunset", "Mo-Fr sunrise-18:00", "(sunset-01:00)-22:00", "week 10 Mo-Fr 10:00-18:00",
        "SH Mo-Fr 10:00-18:00", "Mo-Fr 10:00-18:00; SH off", "Mo-Fr 10:00-18:00 || \"by appointment\"",
        "\"by appointment\"", "Mo-Fr 10:00-18:00 \"ring the bell\"", "Mo-Fr 10:00-18:00 unknown", "by appointment",
        "2026 Mo-Fr 10:00-18:00", "2026 Mar 4 off", "Mo-Fr 10:00-18:00; 2026 Mar 4 off", "easter off",
        "Su[1] 10:00-18:00",
        "Su[-1] off", "Mo-Fr 10-18", "Mo-Fr 10:00", "Mo-Fr 10:00-", "Mo-Fr 10:00-18", "10:60-18:00", "24:00-26:00",
        "10:00-49:00", "08:00-33:00", "10:00-18:00/90", "10:00~18:00", "10:00–18:00", "Mon-Fri 10:00-18:00",
        "Mo-Fr 10:00-18:00 Sa 10:00-12:00", "Mo-Fr 10:00-18:00,", "Mo-Fr, 10:00-18:00", "Mo-Fr 10:00-18:00, off",
        "Mo, Apr-Oct 10:00-18:00", "Mo-Fr::10:00-18:00", "Mo- 10:00-18:00", "PH off",
        "PH 10:00-14:00", "PH", "Mo off", "Nov-Mar off", "12:00-14:00 off", "PH Mo-Fr 10:00-18:00",
        "Apr 15-Oct 10:00-18:00",
        "Apr-Oct 15 10:00-18:00", "Feb 30 10:00-18:00", "Apr 20-15 10:00-18:00", "Apr 0 10:00-18:00",
        "Mo-Fr Apr 10:00-18:00",
        "Jan,15 10:00-18:00", "Mo-Fr 24/7", "24/8", "08:00-18:00,12:00-13:00 off", "17:00+ off; Mo 10:00-12:00",
        "Mo +1 day",
        "open open", "Mo-Fr 1000-1800", "Mo-Fr 10.00-18.00", "99999999999999999999:00-18:00", "ab",
        "Mo-Fr 10:00-18:00\0",
    ])
    func otherTextIsUnknown(text: String) {
        #expect(OpeningHours(text) == nil, "\(text)")
    }

    @Test func textIsBounded() {
        let day = "Mo 10:00-12:00;"
        #expect(OpeningHours(String(repeating: day, count: 17)) != nil)
        #expect(OpeningHours(String(repeating: day, count: 18)) == nil)
        #expect(OpeningHours(String(repeating: "Mo;", count: OpeningHours.ruleLimit)) != nil)
        #expect(OpeningHours(String(repeating: "Mo;", count: OpeningHours.ruleLimit + 1)) == nil)
    }

    @Test func publicHolidaysAreMentioned() throws {
        #expect(try #require(OpeningHours("Mo-Fr 10:00-18:00; PH off")).hasHolidayRules)
        #expect(try #require(OpeningHours("Mo-Fr,PH 10:00-18:00")).hasHolidayRules)
        #expect(try !#require(OpeningHours("Mo-Fr 10:00-18:00")).hasHolidayRules)
    }

    @Test func seasonsCrossTheYearAndLeapDays() throws {
        let winter = try #require(OpeningHours("Dec 20-Jan 5 10:00-12:00"))
        #expect(winter.state(at: try time(31, "23:00", month: 12)) == .closed(opensIn: 660))
        #expect(winter.state(at: try time(5, "11:00", month: 1)) == .open(closesIn: 60))
        #expect(winter.state(at: try time(6, "11:00", month: 1)) == .closed(opensIn: nil))
        let leap = try #require(OpeningHours("Feb 29 10:00-12:00"))
        #expect(leap.state(at: try time(28, "11:00", month: 2, year: 2028)) == .closed(opensIn: 1380))
        #expect(leap.state(at: try time(28, "11:00", month: 2)) == .closed(opensIn: nil))
    }

    @Test func civilTimeKnowsItsWeekday() {
        #expect((2...8).map { CivilTime(year: 2026, month: 3, day: $0, minute: 0).weekday } == Array(0...6))
        #expect(CivilTime(year: 1969, month: 12, day: 31, minute: 0).weekday == 2)
        #expect(
            CivilTime(UTC(year: 2026, month: 3, day: 1), offset: -3600)
                == CivilTime(year: 2026, month: 2, day: 28, minute: 1380))
    }
}
