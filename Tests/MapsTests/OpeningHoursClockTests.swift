import Domain
import Maps
import Testing

/// Opening hours in the nights in which the clocks change.
@Suite struct OpeningHoursClockTests {
    /// Berlin's, in seconds: summer time from 2027-03-28 to 2027-10-31, both at 01:00 UTC.
    private static func offset(at time: UTC) -> Int {
        let summer = UTC(milliseconds: UTC(year: 2027, month: 3, day: 28).milliseconds + 3_600_000)
        let winter = UTC(milliseconds: UTC(year: 2027, month: 10, day: 31).milliseconds + 3_600_000)
        return summer <= time && time < winter ? 7200 : 3600
    }

    /// The hours, a moment, the state, and the moment at which it changes.
    @Test(arguments: [
        // The clock goes from 03:00 back to 02:00.
        ("Mo-Su 08:00-20:00", "2027-10-31T01:30:00+02:00", "closed", "2027-10-31T08:00:00+01:00"),
        ("Sa 22:00-06:00", "2027-10-30T23:00:00+02:00", "open", "2027-10-31T06:00:00+01:00"),
        ("Mo-Fr 08:00-18:00", "2027-10-29T20:00:00+02:00", "closed", "2027-11-01T08:00:00+01:00"),
        ("Mo-Su 08:00-20:00", "2027-10-30T01:30:00+02:00", "closed", "2027-10-30T08:00:00+02:00"),
        ("24/7; Su 12:00-13:00 off", "2027-10-30T12:00:00+02:00", "open", "2027-10-31T12:00:00+01:00"),
        ("Sa 22:00-03:00", "2027-10-31T02:59:30+02:00", "open", "2027-10-31T03:00:00+01:00"),
        ("Sa 22:00-02:30", "2027-10-31T01:00:00+02:00", "open", "2027-10-31T02:30:00+02:00"),
        ("Sa 22:00-02:30", "2027-10-31T02:10:00+01:00", "open", "2027-10-31T02:30:00+01:00"),
        ("Sa 22:00-24:00", "2027-10-30T23:00:00+02:00", "open", "2027-10-31T00:00:00+02:00"),
        // The clock goes from 02:00 to 03:00.
        ("Mo-Su 08:00-20:00", "2027-03-28T01:30:00+01:00", "closed", "2027-03-28T08:00:00+02:00"),
        ("Sa 22:00-06:00", "2027-03-27T23:00:00+01:00", "open", "2027-03-28T06:00:00+02:00"),
        ("Mo-Fr 08:00-18:00", "2027-03-26T20:00:00+01:00", "closed", "2027-03-29T08:00:00+02:00"),
        ("Sa 22:00-02:30", "2027-03-28T01:00:00+01:00", "open", "2027-03-28T03:00:00+02:00"),
        ("Su 02:30-10:00", "2027-03-28T01:00:00+01:00", "closed", "2027-03-28T03:00:00+02:00"),
        ("Su 02:30-10:00", "2027-03-28T03:00:00+02:00", "open", "2027-03-28T10:00:00+02:00"),
        ("Sa 22:00-03:00", "2027-03-28T01:59:59+01:00", "open", "2027-03-28T03:00:00+02:00"),
    ])
    func hoursAreThoseOfTheClockOnTheWall(hours: String, now: String, expected: String, until: String) throws {
        let hours = try #require(OpeningHours(hours))
        let result = hours.state(at: try #require(UTC(iso8601: now)), offset: Self.offset)
        switch result.state {
        case .open: #expect(expected == "open")
        case .closed: #expect(expected == "closed")
        case .unknown: #expect(expected == "unknown")
        }
        #expect(result.until == UTC(iso8601: until))
    }

    @Test func whatDoesNotChangeHasNoMoment() throws {
        let now = try #require(UTC(iso8601: "2027-10-30T12:00:00Z"))
        for text in ["24/7", "off", "12:00+"] {
            #expect(try #require(OpeningHours(text)).state(at: now, offset: Self.offset).until == nil)
        }
    }
}
