import Domain
import Testing
import Transit

/// Responses in the shape of those of CATA and of other agencies; numbers and texts are made.
@Suite struct InfoPointTimesTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func departuresOfAllElementsAreSorted() throws {
        let body = #"""
            [{"StopId":157,"RouteDirections":[{"RouteId":43,"Direction":"Outbound","IsHeadway":false,
            "HeadwayDepartures":null,"Departures":[
            {"Dev":"00:05:00","EDT":"\/Date(1701982900000-0500)\/","SDT":"\/Date(1701982600000-0500)\/",
            "ETA":"\/Date(1701982890000-0500)\/","STA":"\/Date(1701982590000-0500)\/","IsCompleted":false},
            {"EDT":null,"SDT":null,"ETA":"\/Date(1701981056000-0500)\/","STA":"\/Date(1701981120000-0500)\/"}]}]},
            {"StopId":158,"RouteDirections":[{"RouteId":"55","Direction":"Loop","Departures":[
            {"SDT":"\/Date(1701982800000-0500)\/","EDT":"\/Date(-62135578800000-0500)\/"}]}]}]
            """#
        let departures = try #require(InfoPoint.departures(bytes(body)))
        #expect(departures.map(\.line) == ["43", "55", "43"])
        #expect(departures.map(\.stop) == ["157", "158", "157"])
        #expect(departures.map(\.scheduled?.milliseconds) == [1_701_981_120_000, 1_701_982_800_000, 1_701_982_600_000])
        #expect(departures.map(\.estimated?.milliseconds) == [1_701_981_056_000, nil, 1_701_982_900_000])
        #expect(departures.map(\.direction) == ["Outbound", "Loop", "Outbound"])
        #expect(departures.allSatisfy { $0.text == nil })
    }

    @Test func aLineWithAHeadwayHasTexts() throws {
        let body = #"""
            [{"StopId":157,"RouteDirections":[
            {"RouteId":55,"Direction":"Loop","IsHeadway":true,"Departures":[{"SDT":"\/Date(1000)\/"}],
            "HeadwayDepartures":[{"TripId":1,"HeadwayIntervalScheduled":600,"NextDeparture":"Due"},
            {"NextDeparture":"12:30 PM"},{"NextDeparture":"\/Date(1701982800000-0500)\/","VehicleId":"741"},
            {"NextDeparture":null},{"NextDeparture":""}]},
            {"RouteId":57,"IsHeadway":true,"HeadwayDepartures":null,"Departures":[{"SDT":"\/Date(1701982700000)\/"}]},
            {"RouteId":51,"IsHeadway":false,"HeadwayDepartures":[{"NextDeparture":"Due"}],"Departures":[]}]}]
            """#
        let departures = try #require(InfoPoint.departures(bytes(body)))
        #expect(departures.map(\.line) == ["57", "55", "55", "55"])
        #expect(departures.map(\.text) == [nil, nil, "Due", "12:30 PM"])
        #expect(departures[1].estimated?.milliseconds == 1_701_982_800_000)
    }

    @Test func aStopWithoutDeparturesHasNone() {
        #expect(InfoPoint.departures(bytes("[]")) == [])
        let due = #""Departures":[{"NextDeparture":"Due"}]"#
        let body = #"""
            [{"StopId":157,"RouteDirections":null},{"StopId":157,"RouteDirections":[{\#(due)}]},
            {"RouteDirections":[{"RouteId":43,\#(due)}]},{"StopId":157,"RouteDirections":[{"RouteId":43}]}]
            """#
        #expect(InfoPoint.departures(bytes(body)) == [])
    }

    @Test func alertsHaveTheirTextAndLines() throws {
        let body = #"""
            [{"MessageId":1,"Header":"Route V detour","Message":"Route V detours\r\nby Park Ave.  \n",
            "Routes":[43,"55"],"Priority":2,"Published":true,"Signs":[]},
            {"Header":"Same","Message":" Same \n","Routes":[]},{"Header":"","Message":"Only a message","Routes":null},
            {"Header":null,"Message":"\#(String(repeating: "x", count: 130))"},
            {"Header":" ","Message":""},{"Routes":[1]}]
            """#
        let alerts = try #require(InfoPoint.alerts(bytes(body)))
        #expect(alerts.count == 4)
        #expect(alerts[0].title == "Route V detour" && alerts[0].text == "Route V detours by Park Ave.")
        #expect(alerts[0].lines == ["43", "55"])
        #expect(alerts[1].title == "Same" && alerts[1].text == nil && alerts[1].lines == [])
        #expect(alerts[2].title == "Only a message" && alerts[2].text == nil)
        #expect(alerts[3].title.count == 120 && alerts[3].text?.count == 130)
        #expect(alerts.allSatisfy { $0.periods.isEmpty && $0.stops.isEmpty })
    }

    /// `FromDate`, `FromTime`, `ToDate` and `ToTime`, and the period in seconds. 1791518400 is midnight of the server,
    /// and -2208943800 is 07:30 of a day of 1900.
    @Test(
        arguments: [
            (["1791518400000-0400", nil, "1793419200000-0400", nil], 1_791_518_400, 1_793_505_600),
            (["1791518400000-0400", nil, "1791518400000-0400", nil], 1_791_518_400, 1_791_604_800),
            (["1791518400000-0400", nil, "1791518400000-0400", "-2208970800000-0500"], 1_791_518_400, 1_791_604_800),
            (
                ["1791518400000-0400", "-2208943800000-0500", "1791518400000-0400", "-2208906000000-0500"],
                1_791_545_400, 1_791_583_200
            ),
            (["1791545400000-0400", "1791545400000-0400", nil, nil], 1_791_545_400, nil),
            (["1791545400000-0400", nil, nil, nil], 1_791_545_400, nil),
            ([nil, nil, "1791583200000-0400", nil], nil, 1_791_583_200),
            (["-62135578800000-0500", nil, "1791583200000-0400", nil], nil, 1_791_583_200),
            (["1793419200000-0400", nil, "1791518400000-0400", nil], 1_793_419_200, nil),
            (["253402214400000", nil, "253402214400000", nil], 253_402_214_400, 253_402_300_800),
        ] as [([String?], Int64?, Int64?)])
    func aPeriodHasItsLastDay(dates: [String?], start: Int64?, end: Int64?) throws {
        let members = zip(["FromDate", "FromTime", "ToDate", "ToTime"], dates).map { name, date in
            #""\#(name)":"# + (date.map { #""\/Date(\#($0))\/""# } ?? "null")
        }
        let body = #"[{"Header":"x",\#(members.joined(separator: ","))}]"#
        let alert = try #require(InfoPoint.alerts(bytes(body))?.first)
        #expect(alert.periods.count == 1)
        #expect(alert.periods.first?.start?.milliseconds == start.map { $0 * 1000 })
        #expect(alert.periods.first?.end?.milliseconds == end.map { $0 * 1000 })
    }

    @Test func messagesWithoutDatesHoldAlways() throws {
        let body = #"[{"Header":"x","FromDate":"tomorrow","ToDate":7,"ToTime":"/Date(1000)/"}]"#
        #expect(try #require(InfoPoint.alerts(bytes(body))).first?.periods.isEmpty == true)
    }

    @Test(
        arguments: [
            ("1520119790000-0500", 1_520_119_790_000), ("1520119790000+1030", 1_520_119_790_000),
            ("1520119790000", 1_520_119_790_000), ("0+0000", 0), ("-2208914400000-0500", -2_208_914_400_000),
            ("-1", -1),
            ("253402300799999", 253_402_300_799_999), ("-253402300799999", -253_402_300_799_999),
        ] as [(String, Int64)])
    func datesAreMillisecondsSince1970(digits: String, expected: Int64) {
        #expect(InfoPoint.date("/Date(\(digits))/") == UTC(milliseconds: expected))
    }

    @Test(arguments: [
        "", "-", "1-05", "1-05000", "1-0560", "1+9900", "1--050", "--1", "1.5", "NaN", "٣", " 1", "253402300800000",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    ]) func otherDigitsAreNoDate(digits: String) {
        #expect(InfoPoint.date("/Date(\(digits))/") == nil)
    }

    @Test(arguments: [
        "", "1", "Date(1)", "/Date(1)", "/Date(1)/ ", " /Date(1)/", "/Date(/", "/date(1)/", "/Date(1]/",
        "2026-03-01T07:30:00Z",
    ])
    func otherTextIsNoDate(text: String) {
        #expect(InfoPoint.date(text) == nil)
    }

    @Test(arguments: [
        ("12:30 PM", 45_000), ("12:05 AM", 300), ("1:00 pm", 46_800), ("11:59 PM", 86_340), ("Due", nil),
        ("13:00 PM", nil),
        ("0:30 AM", nil), ("12:60 PM", nil), ("12:3 PM", nil), ("12:30", nil), ("-1:30 PM", nil), ("12:30:00 PM", nil),
    ])
    func textIsATimeOfDay(text: String, seconds: Int?) {
        #expect(InfoPoint.timeOfDay(text) == seconds)
    }
}
