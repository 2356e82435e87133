import Domain
import JSONCoding
import Testing
import Wire

@Suite struct WeatherTopicTests {
    private static let topic = TopicName("weather")!
    private let observed = UTC(iso8601: "2026-03-01T07:20:00Z")!

    private func publication(_ data: String) throws -> TopicPublication {
        let parameters = try JSON(parsing: #"{"topic":"weather","data":\#(data)}"#.utf8)
        guard case .publish(let result) = try TopicRequest.table.call("topic.publish", parameters).request else {
            throw ParseError(at: 0, expected: "a publication")
        }
        return result
    }

    private func station(_ members: String = "", at time: String = "2026-03-01T07:20:00Z") -> String {
        #"{"station":"EDDB","distance_m":12400,"observed_at":"\#(time)"\#(members)}"#
    }

    private func minutes(_ minutes: Int64) -> UTC {
        UTC(milliseconds: observed.milliseconds + minutes * 60_000)
    }

    private func line(_ table: TopicTable, at now: Instant) -> String {
        var writer = JSONWriter()
        table.write(Self.topic, at: now, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func figuresHaveTheTimeOfTheOldestStation() throws {
        #expect(try publication(station()).observed == observed)
        let other = #"{"station":"EDDT","distance_m":1,"observed_at":"2026-03-01T06:50:00Z","figures":["wind"]}"#
        #expect(try publication(station(#","other_stations":[\#(other)]"#)).observed == minutes(-30))
    }

    @Test func reasonNeedsNoStation() throws {
        #expect(try publication(#"{"reason":"no station within 100 km"}"#).observed == nil)
    }

    @Test(arguments: [
        ("{}", "data.station is missing"),
        (#"{"station":"EDDB","distance_m":1}"#, "data.observed_at is missing"),
        (
            #"{"station":"EDDB","distance_m":100001,"observed_at":"2026-03-01T07:20:00Z"}"#,
            "data.distance_m must be a number of 0 to 100000"
        ),
        (
            #"{"station":"EDDB","distance_m":1,"observed_at":"2026-03-01T08:20:00+01:00"}"#,
            "data.observed_at must be a time in UTC, such as 2026-03-01T07:20:00Z"
        ),
        (#"{"reason":"none","site":"EDDB"}"#, "data has no member site"),
        (#"{"reason":""}"#, "data.reason must be a string of 1 to 64 characters"),
    ])
    func wrongDataIsRejectedWithTheNameOfTheMember(data: String, reason: String) {
        #expect(error(of: data) == reason)
    }

    @Test(arguments: [
        (#","wind_speed_mps":-1"#, "data.wind_speed_mps must be a number of 0 to 150"),
        (#","wind_speed_mps":"5""#, "data.wind_speed_mps must be a number of 0 to 150"),
        (#","wind_variable":1"#, "data.wind_variable must be true or false"),
        (#","visibility_bound":"more""#, "data.visibility_bound must be one of at_least, less_than"),
        (#","wind_range_deg":[1,2,3]"#, "data.wind_range_deg must be a list of at most 2"),
        (#","wind_range_deg":[1,361]"#, "data.wind_range_deg[1] must be a number of 0 to 360"),
        (
            #","clouds":[{"cover":"few"}]"#,
            "data.clouds[0].cover must be one of FEW, SCT, BKN, OVC, SKC, CLR, NSC, NCD, VV"
        ),
        (#","clouds":{}"#, "data.clouds must be a list of at most 8"),
        (#","weather":["RA"]"#, "data.weather[0] must be an object"),
        (
            #","forecast":{"station":"EDDB","distance_m":1,"issued_at":"2026-03-01T05:00:00Z"}"#,
            "data.forecast.periods is missing"
        ),
        (#","temperature":8"#, "data has no member temperature"),
    ])
    func wrongFigureIsRejectedWithTheNameOfTheMember(members: String, reason: String) {
        #expect(error(of: station(members)) == reason)
    }

    @Test func dataIsDroppedWhenItsFiguresAre2HoursOld() throws {
        var table = TopicTable()
        let now = Instant(milliseconds: 1_000_000)
        // Valid for 10 min; without its time of observation it was kept for 20 min.
        try table.publish(publication(station()), time: minutes(115), at: now)
        #expect(table.advance(to: now + .seconds(299)).isEmpty)
        #expect(line(table, at: now + .seconds(299)).contains(#""stale":false"#))
        #expect(table.advance(to: now + .seconds(300)) == [Self.topic])
        #expect(!table.hasData(Self.topic))
    }

    @Test func observationHasTheStationOfTheWind() throws {
        let figures =
            #","wind_from_deg":360,"wind_speed_mps":5,"pressure_hpa":1013,"weather":[{"code":"-RA"},{"code":"BR"}]"#
        let weather = try #require(try publication(station(figures)).weather)
        #expect(weather.station.text == "EDDB" && weather.observed == observed && weather.distance == 12_400)
        #expect(weather.direction == .from(0) && weather.windSpeed == 5 && weather.pressure == 101_300)
        #expect(weather.conditions?.text == "-RA BR" && !weather.isStale)
        let others = #"""
            ,"other_stations":[
            {"station":"A","distance_m":1,"observed_at":"2026-03-01T06:50:00Z","figures":["clouds"]},
            {"station":"B","distance_m":2,"observed_at":"2026-03-01T06:55:00Z","figures":["pressure","wind"]}]
            """#
        let far = try #require(try publication(station(figures + others)).weather)
        #expect(far.station.text == "B" && far.distance == 2 && far.observed == minutes(-25))
        let variable = try publication(station(#","wind_variable":true,"wind_from_deg":9,"wind_speed_mps":1"#)).weather
        #expect(variable?.direction == .variable)
        #expect(try publication(station()).weather?.windSpeed == nil)
        #expect(try publication(#"{"reason":"none"}"#).weather == nil)
    }

    @Test func observationFollowsTheTopic() throws {
        var table = TopicTable()
        let now = Instant(milliseconds: 1_000_000)
        #expect(table.weather == nil)
        try table.publish(publication(station()), time: minutes(0), at: now)
        #expect(table.weather?.isStale == false)
        _ = table.advance(to: now + .seconds(600))
        #expect(table.weather?.isStale == true)
        _ = table.advance(to: now + .seconds(1200))
        #expect(table.weather == nil)
        try table.publish(publication(station()), time: minutes(30), at: now + .seconds(1800))
        #expect(table.weather != nil)
        try table.retract(Self.topic)
        #expect(table.weather == nil)
        try table.publish(publication(#"{"reason":"none"}"#), time: minutes(30), at: now + .seconds(1810))
        #expect(table.weather == nil)
    }

    @Test func dataIsStaleByItsValidityBefore() throws {
        var table = TopicTable()
        let now = Instant(milliseconds: 1_000_000)
        try table.publish(publication(station()), time: minutes(0), at: now)
        #expect(table.advance(to: now + .seconds(600)) == [Self.topic])
        #expect(line(table, at: now + .seconds(600)).contains(#""stale":true"#))
        #expect(table.advance(to: now + .seconds(1200)) == [Self.topic])
        #expect(!table.hasData(Self.topic))
    }

    @Test(arguments: [
        (119, nil), (120, "data is of 120 min ago: too old for this topic"), (-10, nil),
        (-11, "data.observed_at is in the future: compare the clocks"),
    ])
    func ageOfTheFiguresIsChecked(age: Int64, reason: String?) throws {
        var table = TopicTable()
        let publication = try publication(station())
        var detail: String?
        do throws(RPCError) {
            try table.publish(publication, time: minutes(age), at: Instant(milliseconds: 1))
        } catch {
            detail = error.detail
        }
        #expect(detail == reason)
        #expect(table.hasData(Self.topic) == (reason == nil))
    }

    private func error(of data: String) -> String? {
        do {
            _ = try publication(data)
            return nil
        } catch {
            return (error as? RPCError)?.detail
        }
    }
}
