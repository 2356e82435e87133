import Domain
import JSONCoding
import TestKit
import Testing
import Weather
import Wire

extension StationWeather {
    static func made(
        _ reports: [StationReport], altitude: Double? = nil, at time: UTC = halfPastSeven
    ) throws -> StationWeather {
        try #require(StationWeather(reports, around: berlin, altitude: altitude, at: time))
    }

    /// The data, which the daemon accepts.
    func json(reason: String? = nil, at time: UTC = halfPastSeven) throws -> JSON {
        let json = try JSON(parsing: data(reason: reason, at: time))
        _ = try WeatherTopic.check(json)
        return json
    }
}

@Suite struct StationWeatherTests {
    private let near = WeatherStation.made("EDAA", 10)
    private let far = WeatherStation.made("EDBB", 30)

    @Test func takesTheFiguresOfTheNearestStation() throws {
        let weather = try StationWeather.made([
            try .made(far, "010720Z 09005KT 5000 BKN010 05/05 Q1000"),
            try .made(near, "010720Z 24010G20KT 9999 -RA FEW040 10/08 Q1010"),
        ])
        let json = try weather.json()
        #expect(json["station"] == .string("EDAA"))
        #expect(json["distance_m"] == .integer(10_000))
        #expect(json["bearing_deg"] == .integer(0))
        #expect(json["observed_at"] == .string("2026-03-01T07:20:00.000Z"))
        #expect(json["temperature_c"] == .integer(10))
        #expect(json["humidity_percent"] == .integer(87))
        #expect(json["wind_from_deg"] == .integer(240))
        #expect(json["wind_gust_mps"] == .real(10.29))
        #expect(json["weather"]?.array?.first?["code"] == .string("-RA"))
        #expect(json["other_stations"] == nil)
        #expect(json["reason"] == nil)
        #expect(json["temperature_here_c"] == nil)
    }

    @Test func takesAMissingFigureFromTheNextStationWithItsDistance() throws {
        let middle = WeatherStation.made("EDCC", 20)
        let weather = try StationWeather.made([
            try .made(near, "010720Z AUTO /////KT //// // ////// ///// Q1010"),
            try .made(middle, "010710Z AUTO 24010KT 9999 // ////// //// Q1011"),
            try .made(far, "010700Z 09005KT 5000 RA BKN010 05/04 Q1000"),
        ])
        let json = try weather.json()
        #expect(json["pressure_hpa"] == .integer(1010))
        #expect(json["wind_from_deg"] == .integer(240))
        #expect(json["temperature_c"] == .integer(5))
        #expect(json["weather"]?.array?.first?["code"] == .string("RA"))
        let others = try #require(json["other_stations"]?.array)
        #expect(others.map { $0["station"] } == [.string("EDCC"), .string("EDBB")])
        #expect(others[0]["figures"] == .array([.string("wind"), .string("visibility")]))
        #expect(
            others[1]["figures"]
                == .array(["temperature", "dew_point", "weather", "clouds"].map { .string($0) }))
        #expect(others[1]["distance_m"] == .integer(30_000))
        #expect(others[1]["observed_at"] == .string("2026-03-01T07:00:00.000Z"))
        #expect(weather.oldest.milliseconds == halfPastSeven.milliseconds - 30 * 60_000)
    }

    @Test func humidityIsOfOneStation() throws {
        let weather = try StationWeather.made([
            try .made(near, "010720Z 24010KT 9999 FEW040 10/// Q1010"),
            try .made(far, "010720Z 09005KT 5000 RA BKN010 05/04 Q1000"),
        ])
        let json = try weather.json()
        #expect(json["dew_point_c"] == .integer(4))
        #expect(json["humidity_percent"] == nil)
    }

    @Test(arguments: [(140.0, nil), (141.0, 9.3), (1040.0, 3.5), (-200.0, 11.6), (nil, nil)] as [(Double?, Double?)])
    func temperatureHereFollowsTheAltitude(altitude: Double?, temperature: Double?) throws {
        let weather = try StationWeather.made(
            [try .made(near, "010720Z 24010KT 9999 FEW040 10/08 Q1010")], altitude: altitude)
        #expect(try weather.json()["temperature_here_c"]?.number == temperature)
    }

    @Test func reportsFiguresThatAreImpossibleAsMissing() throws {
        let weather = try StationWeather.made([
            try .made(near, "010720Z 240400KT 99SM FEW040 99/98 Q1010")
        ])
        let json = try weather.json()
        for name in ["temperature_c", "dew_point_c", "wind_speed_mps", "feels_like_c"] { #expect(json[name] == nil) }
        #expect(json["visibility_m"] == .integer(100_000))
        #expect(json["visibility_bound"] == .string("at_least"))
    }

    @Test func addsWhyThereIsNoNewerReport() throws {
        let weather = try StationWeather.made([try .made(near, "010720Z 24010KT 9999 FEW040 10/08 Q1010")])
        #expect(try weather.json(reason: "no network")["reason"] == .string("no network"))
        let alone = try JSON(parsing: StationWeather.data(reason: "no network"))
        #expect(try WeatherTopic.check(alone) == nil)
    }

    @Test func movesWithThePlace() throws {
        let weather = try StationWeather.made([
            try .made(near, "010720Z 24010KT 9999 FEW040 10/08 Q1010"),
            try .made(far, "010720Z 09005KT 5000 RA BKN010 05/04 Q1000"),
        ])
        let moved = try #require(weather.moved(to: far.place, altitude: 1040))
        #expect(moved.source.station == far)
        #expect(moved.source.way.metres < 1)
        #expect(isNear(moved.temperatureHere, -1.5))
        #expect(weather.moved(to: Coordinate(latitude: 40, longitude: 13), altitude: nil) == nil)
    }

    private let forecast =
        "010500Z 0106/0212 24010KT 9999 SCT020 TEMPO 0110/0112 -SHRA BECMG 0113/0114 27020KT FM011800 09003KT 3000 RA"

    @Test func hasTheRestOfTheForecast() throws {
        let weather = try StationWeather.made([
            try .made(near, "010720Z 24010KT 9999 FEW040 10/08 Q1010"),
            try .made(far, "010720Z 09005KT 5000 RA BKN010 05/04 Q1000", taf: forecast),
        ])
        let json = try weather.json()
        #expect(json["forecast"]?["station"] == .string("EDBB"))
        #expect(json["forecast"]?["distance_m"] == .integer(30_000))
        let periods = try #require(json["forecast"]?["periods"]?.array)
        #expect(periods.first?["from"] == .string("2026-03-01T06:00:00.000Z"))
        #expect(periods[1]["overlays"]?.array?.first?["kind"] == .string("temporary"))
        #expect(json["rain_from"] == .string("2026-03-01T10:00:00.000Z"))
        #expect(json["wind_shift_at"] == .string("2026-03-01T14:00:00.000Z"))
        let later = try weather.json(at: UTC(milliseconds: halfPastSeven.milliseconds + 5 * 3_600_000))
        #expect(later["forecast"]?["periods"]?.array?.count == periods.count - 2)
        #expect(later["rain_from"] == .string("2026-03-01T18:00:00.000Z"))
    }

    /// Each of 24 hours with its own weather, and seven that may be.
    @Test func aLongForecastLosesItsEnd() throws {
        var text = "010500Z 0106/0306 24010KT 9999 SCT020"
        for hour in 6..<24 {
            let two = hour < 10 ? "0\(hour)" : "\(hour)"
            text += " FM01\(two)00 \(200 + hour)10G25KT 3000 +TSRAGR FG BKN010CB OVC020"
            for minute in 1...1 { text += " PROB30 01\(two)/0124 \(minute)000 +SNRA FZFG BKN001 OVC002 SCT003 FEW004" }
        }
        let weather = try StationWeather.made([
            try .made(near, "010720Z 24010KT 9999 FEW040 10/08 Q1010", taf: text)
        ])
        let data = weather.data(at: halfPastSeven)
        #expect(data.count <= StationWeather.dataLimit)
        let periods = try #require(try weather.json()["forecast"]?["periods"]?.array)
        #expect(periods.count > 4)
    }

    @Test(arguments: [
        ("29012KT", true), ("27012KT", false), ("24021KT", true), ("24001KT", false), ("15003KT", false),
        ("VRB03KT", false), ("24000KT", true),
    ])
    func windShiftIsATurnOrAGust(wind: String, isShift: Bool) throws {
        let weather = try StationWeather.made([
            try .made(
                near, "010720Z 24010KT 9999 FEW040 10/08 Q1010",
                taf: "010500Z 0106/0212 24010KT 9999 FM011000 \(wind) 9999")
        ])
        #expect((weather.windShift(after: halfPastSeven) != nil) == isShift)
    }
}
