import Domain
import Testing
import Weather

@Suite struct TafTests {
    private func state(_ forecast: Taf, _ time: String) throws -> ForecastState {
        try #require(forecast.state(at: try date(time)))
    }

    /// The example of RunFree's specification, in one line, over midnight.
    private let example = """
        TAF KTTN 141120Z 1412/1512 11011KT 6SM -RA OVC010 TEMPO 1416/1418 2SM RA BR OVC005 FM141900 20015G25KT P6SM SCT040 \
        PROB30 1419/1421 -SHRA BECMG 1420/1422 VRB03KT SKC TX15/1418Z TNM02/1506Z
        """

    @Test func `The groups of a forecast have their kinds, periods and conditions`() throws {
        let forecast = try taf(example)
        #expect(forecast.issued == (try date("2026-03-14T11:20:00Z")))
        #expect(forecast.validity.start == (try date("2026-03-14T12:00:00Z")))
        #expect(forecast.validity.end == (try date("2026-03-15T12:00:00Z")))
        #expect(forecast.groups.map(\.kind) == [.initial, .temporary, .from, .possible, .becoming])
        #expect(forecast.groups.map(\.probability) == [nil, nil, nil, 30, nil])
        #expect(forecast.groups[0].period.end == forecast.groups[2].period.start)
        #expect(forecast.groups[2].period.end == forecast.validity.end)
        #expect(forecast.groups[4].period.start == (try date("2026-03-14T20:00:00Z")))
        #expect(forecast.groups[4].period.end == (try date("2026-03-14T22:00:00Z")))
        #expect(
            forecast.maximumTemperatures == [ForecastTemperature(celsius: 15, time: try date("2026-03-14T18:00:00Z"))])
        #expect(
            forecast.minimumTemperatures == [ForecastTemperature(celsius: -2, time: try date("2026-03-15T06:00:00Z"))])
        #expect(forecast.unread.count == 0)
    }

    @Test func `A state is what prevails, with what may be instead`() throws {
        let forecast = try taf(example)
        #expect(forecast.state(at: try date("2026-03-14T11:59:59Z")) == nil)
        #expect(forecast.state(at: try date("2026-03-15T12:00:00Z")) == nil)

        let atFour = try state(forecast, "2026-03-14T16:00:00Z")
        #expect(atFour.conditions.weather?.map(\.code) == ["-RA"] && atFour.overlays.count == 1)
        #expect(atFour.overlays[0].conditions.weather?.map(\.code) == ["RA", "BR"])
        #expect(atFour.overlays[0].conditions.wind?.fromDegrees == 110)
        #expect(try state(forecast, "2026-03-14T18:00:00Z").overlays == [])

        // FM is a new set of conditions: the rain before it is over.
        let atSeven = try state(forecast, "2026-03-14T19:00:00Z")
        #expect(atSeven.conditions.weather == [] && isNear(atSeven.conditions.wind?.gustMetresPerSecond, 25 * knot))
        #expect(atSeven.overlays.map(\.kind) == [.possible] && atSeven.overlays[0].probability == 30)

        let changing = try state(forecast, "2026-03-14T20:30:00Z")
        #expect(changing.conditions.wind?.fromDegrees == 200)
        #expect(changing.overlays.map(\.kind) == [.possible, .becoming])
        #expect(changing.overlays[1].conditions.wind?.isVariable == true)
        let changed = try state(forecast, "2026-03-14T22:00:00Z")
        #expect(changed.conditions.wind?.isVariable == true && changed.overlays == [])
        #expect(changed.conditions.clouds == [CloudLayer(cover: .skyClear)])
        #expect(changed.conditions.visibility == Visibility(metres: 6 * mile, bound: .atLeast))
    }

    @Test func `The timeline has no gap and no equal neighbours`() throws {
        let forecast = try taf(example)
        let timeline = forecast.timeline
        #expect(timeline.first?.period.start == forecast.validity.start)
        #expect(timeline.last?.period.end == forecast.validity.end)
        let starts = timeline.map { ($0.period.start.milliseconds - forecast.validity.start.milliseconds) / 3_600_000 }
        #expect(starts == [0, 4, 6, 7, 8, 9, 10])
        for (one, next) in zip(timeline, timeline.dropFirst()) {
            #expect(one.period.end == next.period.start && one.state != next.state)
        }
        for segment in timeline { #expect(forecast.state(at: segment.period.start) == segment.state) }
    }

    @Test(arguments: [
        ("2024-02-28T17:00:00Z", "281720Z 2818/2924", "2024-02-28T18:00:00Z", "2024-03-01T00:00:00Z"),
        ("2023-02-28T17:00:00Z", "281720Z 2818/0118", "2023-02-28T18:00:00Z", "2023-03-01T18:00:00Z"),
        ("2025-12-31T23:30:00Z", "312320Z 0100/0206", "2026-01-01T00:00:00Z", "2026-01-02T06:00:00Z"),
        ("2026-01-01T00:10:00Z", "312320Z 0100/0124", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        ("2026-04-30T23:59:00Z", "302320Z 3023/0105", "2026-04-30T23:00:00Z", "2026-05-01T05:00:00Z"),
        ("2026-03-15T12:00:00Z", "151120Z 151206", "2026-03-15T12:00:00Z", "2026-03-16T06:00:00Z"),
        ("2026-11-26T12:00:00Z", "0615/0715", "2026-11-06T15:00:00Z", "2026-11-07T15:00:00Z"),
        ("2026-11-26T12:00:00Z", "2711/2811", "2026-11-27T11:00:00Z", "2026-11-28T11:00:00Z"),
        ("2026-12-31T18:00:00Z", "0100/0124", "2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z"),
    ])
    func `Periods over the ends of months are resolved`(now: String, period: String, start: String, end: String) throws
    {
        let forecast = try taf("TAF EGLL \(period) 24010KT 9999", receivedAt: date(now))
        #expect(forecast.validity == .init(start: try date(start), end: try date(end)))
    }

    @Test func `FM after the end of the month is in the next month`() throws {
        let forecast = try taf(
            "TAF KJFK 311720Z 3118/0124 24010KT P6SM SKC FM010300 30010KT P6SM SKC",
            receivedAt: date("2026-01-31T18:00:00Z"))
        #expect(forecast.groups.last?.period.start == (try date("2026-02-01T03:00:00Z")))
        #expect(forecast.groups.last?.period.end == (try date("2026-02-02T00:00:00Z")))
    }

    @Test func `BECMG to CAVOK clears weather and clouds, and NSW the weather`() throws {
        let forecast = try taf(
            "TAF EDDS 151148Z 1512/1612 31010KT 3000 RA OVC010 BECMG 1514/1515 NSW BECMG 1518/1521 CAVOK BECMG 1606/1609 4000 BR"
        )
        #expect(try state(forecast, "2026-03-15T13:00:00Z").conditions.weather?.map(\.code) == ["RA"])
        let dry = try state(forecast, "2026-03-15T15:00:00Z").conditions
        #expect(dry.weather == [] && dry.clouds?.count == 1)
        let clear = try state(forecast, "2026-03-15T21:00:00Z").conditions
        #expect(clear.isCavok && clear.clouds == [] && clear.visibility == .tenKilometres)
        let mist = try state(forecast, "2026-03-16T09:00:00Z").conditions
        #expect(!mist.isCavok && mist.weather?.map(\.code) == ["BR"] && mist.visibility == Visibility(metres: 4000))
    }

    @Test func `PROB40 TEMPO is temporary, with its probability`() throws {
        let forecast = try taf(
            "TAF EGLL 151100Z 1512/1618 24010KT 9999 PROB40 TEMPO 1514/1518 SHRA PROB 30 1520/1522 FG")
        #expect(forecast.groups.map(\.kind) == [.initial, .temporary, .possible])
        #expect(forecast.groups.map(\.probability) == [nil, 40, 30])
    }

    @Test func `A change without a period changes nothing`() throws {
        let forecast = try taf(
            "MRPV 151700Z 1518/1618 11006KT CAVOK PROB40 3000 TSRA FEW015CB FM160900 11005KT 9999 PROB30")
        #expect(forecast.groups.map(\.kind) == [.initial, .from])
        #expect(forecast.unread.texts.map(\.text) == ["3000", "TSRA", "FEW015CB"])
    }

    /// Forecasts of Frankfurt from noon on, with the words behind the conditions at their start.
    private func frankfurt(_ changes: String) throws -> Taf {
        try taf("TAF EDDF 261100Z 2612/2712 24010KT 9999 SCT030 " + changes, receivedAt: date("2026-11-26T12:00:00Z"))
    }

    @Test(arguments: [
        "TEMPO2614/2616", "TEMP0 2614/2616", "TEMP02614/2616", "TEMP 2614/2616", "TEMP2614/2616", "TEMPOO2614/2616",
        "TMEPO 2614/2616", "TENPO2614/2616", "INTER2614/2616", "1NTER 2614/2616", "TEMPO261416", "TEMP261416",
    ])
    func `A temporary change that is glued to its period or misspelt has that period`(header: String) throws {
        let forecast = try frankfurt(header + " 0500 FG")
        #expect(forecast.unread.count == 0)
        try #require(forecast.groups.map(\.kind) == [.initial, .temporary])
        #expect(forecast.groups[1].period.start == (try date("2026-11-26T14:00:00Z")))
        #expect(forecast.groups[1].period.end == (try date("2026-11-26T16:00:00Z")))
        #expect(forecast.groups[1].conditions.visibility == Visibility(metres: 500))
        for segment in forecast.timeline { #expect(segment.state.conditions == forecast.groups[0].conditions) }
    }

    @Test(arguments: ["BECMG2620/2622", "BECM 2620/2622", "BECM2620/2622", "BECNG2620/2622", "8ECMG 2620/2622"])
    func `A lasting change that is glued to its period or misspelt holds from its own period on`(header: String) throws
    {
        let forecast = try frankfurt("BECMG 2614/2616 25015KT \(header) 33004KT CAVOK")
        #expect(forecast.unread.count == 0 && forecast.groups.count == 3)
        let before = try state(forecast, "2026-11-26T18:00:00Z").conditions
        #expect(!before.isCavok && before.wind?.fromDegrees == 250)
        let after = try state(forecast, "2026-11-26T22:00:00Z").conditions
        #expect(after.isCavok && after.wind?.fromDegrees == 330)
    }

    @Test(arguments: [
        "PROB30 2614/2616", "PROB302614/2616", "PROB 302614/2616", "PR0B30 2614/2616", "PROB 30 2614/2616",
        "PROB30 TEMPO 2614/2616", "PROB30TEMPO 2614/2616", "PROB30TEMPO2614/2616", "PROB30 TEMPO2614/2616",
        "PROB30 TEMP0 2614/2616", "PRB30TEMP2614/2616",
    ])
    func `A probable change may be glued and misspelt too`(header: String) throws {
        let forecast = try frankfurt(header + " 0500 FG")
        #expect(forecast.unread.count == 0)
        try #require(forecast.groups.map(\.kind) == [.initial, header.count > 17 ? .temporary : .possible])
        #expect(forecast.groups[1].probability == 30)
        #expect(forecast.groups[1].period.start == (try date("2026-11-26T14:00:00Z")))
        #expect(forecast.groups[1].period.end == (try date("2026-11-26T16:00:00Z")))
    }

    @Test(arguments: ["FM262000", "FM 262000", "FM262000Z", "FN262000", "F262000"])
    func `FM may stand apart from its time, and be misspelt`(header: String) throws {
        let forecast = try frankfurt(header + " 33004KT CAVOK")
        try #require(forecast.unread.count == 0 && forecast.groups.map(\.kind) == [.initial, .from])
        #expect(forecast.groups[1].period.start == (try date("2026-11-26T20:00:00Z")))
    }

    @Test(arguments: [
        ("2618/2620 0500 FG", ["2618/2620", "0500", "FG"]), ("261820 0500 FG", ["261820", "0500", "FG"]),
        ("2618/262O 0500", ["2618/262O", "0500"]), ("261/2620 0500", ["261/2620", "0500"]),
        ("TEPMOO2618/2620 0500", ["TEPMOO2618/2620", "0500"]),
        ("TEMPO26I8/2620 0500", ["TEMPO26I8/2620", "0500"]), ("TEMPO26182620 0500", ["TEMPO26182620", "0500"]),
        ("TEMPO 2620/2618 0500", ["2620/2618", "0500"]), ("TE MPO 2618/2620 0500", ["TE", "MPO", "2618/2620", "0500"]),
        ("PROB3O 2618/2620 FG", ["PROB3O", "2618/2620", "FG"]), ("PROB 2618/2620 FG", ["2618/2620", "FG"]),
        ("FM2618 33004KT", ["FM2618", "33004KT"]), ("FN2618 33004KT", ["FN2618", "33004KT"]),
        ("FM 33004KT CAVOK", ["33004KT", "CAVOK"]), ("FM2618/2620 CAVOK", ["FM2618/2620", "CAVOK"]),
    ])
    func `A group that cannot be assigned is unread, and changes nothing`(change: String, unread: [String]) throws {
        let forecast = try frankfurt("TEMPO 2614/2616 4000 RA " + change)
        try #require(forecast.groups.count == 2)
        #expect(forecast.unread.texts.map(\.text) == unread)
        #expect(forecast.groups[0].conditions == (try frankfurt("").groups[0].conditions))
        #expect(forecast.groups[1].conditions.weather?.map(\.code) == ["RA"])
        #expect(forecast.groups[1].conditions.visibility == Visibility(metres: 4000))
        for segment in forecast.timeline { #expect(segment.state.conditions == forecast.groups[0].conditions) }
    }

    @Test func `A forecast that begins with a change has nothing that prevails before`() throws {
        let forecast = try taf("TAF EDDF 1512/1612 TEMPO1514/1516 0500 FG FM152000 24010KT 9999")
        #expect(try state(forecast, "2026-03-15T12:00:00Z").conditions == WeatherConditions())
        #expect(try state(forecast, "2026-03-15T12:00:00Z").overlays == [])
        #expect(try state(forecast, "2026-03-15T15:00:00Z").conditions == WeatherConditions())
        #expect(try state(forecast, "2026-03-15T15:00:00Z").overlays.count == 1)
        #expect(try state(forecast, "2026-03-15T20:00:00Z").conditions.visibility == .tenKilometres)
    }

    @Test func `Amended, corrected, cancelled and missing forecasts say so`() throws {
        #expect(try taf("TAF AMD CYOW 151159Z 1512/1618 09008KT P6SM BKN220").isAmended)
        #expect(try taf("TAF COR CYOW 151159Z 1512/1618 09008KT P6SM BKN220").isCorrected)
        #expect(try taf("TAF TAF LFPG 151100Z AMD 1512/1618 02010KT 9999").isAmended)
        let cancelled = try taf("TAF AMD EGLL 151159Z 1512/1618 CNL=")
        #expect(cancelled.isCancelled && cancelled.groups == [] && cancelled.timeline == [])
        let missing = try taf("TAF EGLL 151159Z NIL=")
        #expect(missing.isMissing && missing.state(at: now) == nil && missing.timeline == [])
    }

    @Test func `Wind at a height, and groups of military forecasts, are skipped`() throws {
        let forecast = try taf(
            "TAF KNGU 1515/1615 02011G19KT 8000 WS020/18040KT OVC050 650209 540009 QNH2970INS T07/1521Z RMK 25030KT")
        #expect(forecast.unread.count == 0 && forecast.groups.count == 1 && forecast.issued == nil)
        #expect(forecast.groups[0].conditions.wind?.fromDegrees == 20)
    }

    @Test(arguments: [
        ("", "expected a station at byte 0"), ("TAF", "expected a station at byte 3"),
        ("TAF EGLL 151100Z", "expected the period of the forecast at byte 16"),
        ("TAF EGLL 151100Z 1512/1512 24010KT", "expected the period of the forecast at byte 17"),
        ("TAF EGLL 151100Z 1525/1618 24010KT", "expected the period of the forecast at byte 17"),
        ("TAF EGLL 151100Z 1512/1618", "expected a wind, a visibility or another group of a forecast at byte 26"),
        (String(repeating: " ", count: 4097), "expected the end of the report at byte 4096"),
    ])
    func `What is no forecast is an error with its place`(text: String, expected: String) {
        #expect(failure { _ = try taf(text) } == expected)
    }

    @Test func `The number of groups is bounded`() throws {
        let forecast = try taf(
            "TAF EGLL 151100Z 1512/1618 24010KT" + String(repeating: " TEMPO 1512/1614 RA", count: 200))
        #expect(forecast.groups.count == Taf.groupLimit)
    }
}
