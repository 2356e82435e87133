import Console
import Domain
import JSONCoding
import Testing

/// The text of the topic `weather`, for the command and for the screen.
struct WeatherTextTests {
    private let now = UTC(iso8601: "2026-03-01T07:30:00Z")!
    private static let station =
        #"{"station":"EDDB","distance_m":12400,"observed_at":"2026-03-01T07:16:00Z""#

    private func lines(
        _ data: String, metric: Bool = true, at now: UTC?, offset: Int = 0, twelveHour: Bool = false,
        isStale: Bool = false, published: Int? = nil, sun: String? = nil
    ) throws -> [WeatherLine] {
        let weather = try #require(TopicWeather(try JSON(parsing: data.utf8)))
        let units = WeatherUnits(metric: metric, twelveHour: twelveHour) { _ in offset }
        return WeatherText(units: units, now: now, isStale: isStale, publishedMilliseconds: published).lines(
            of: weather, sun: try sun.flatMap { SunStatus(try JSON(parsing: $0.utf8)) })
    }

    /// The lines of data with the members of a station, after the title.
    private func text(_ members: String, isStale: Bool = false) throws -> [String] {
        let data = Self.station + (members.isEmpty ? "}" : "," + members + "}")
        return try lines(data, at: now, isStale: isStale).dropFirst().map(\.long)
    }

    @Test func allFiguresHaveStationDistanceAndAge() throws {
        let sun = #"{"state":"day","rise":"2026-03-01T05:52:33.123Z","set":"2026-03-01T10:31:33.123Z"}"#
        #expect(
            try lines(Views.weather, at: now, sun: sun).map(\.long).joined(separator: "\n") == """
                EDDB Berlin Brandenburg (46 m above sea level), 12.4 km to the SE, 14 min old
                ! Gusts of 63 km/h: at EDDB now
                ! Thunderstorm with rain: possible (30 %) from 9:00 (EDDB)
                  Light showers of rain
                  8 °C, 7 °C at the altitude here, feels like 5 °C
                  Wind from SW at 30 km/h, between S and W, gusts of 63 km/h
                  Humidity 84 %, dew point 6 °C
                  Visibility 10 km or more
                  Pressure 1013 hPa
                EDAZ, 31 km, 40 min old
                  Clouds scattered at 460 m, broken at 910 m (cumulonimbus)

                Forecast of EDDB, 12.4 km, made 2 h ago
                  Precipitation expected from 8:00
                  Wind shift at 10:00: NW 22 km/h
                   7:00  SW 26 km/h            cloudy
                   8:00  W 33 km/h   gusts 67  rain, 4 km
                   9:00  W 33 km/h   gusts 67  rain, 4 km; 30 % thunderstorm with rain, gusts 83
                  10:00  NW 22 km/h            few clouds; 30 % thunderstorm with rain, W 33 km/h, gusts 83
                  10:31  sunset
                  11:00  NW 22 km/h            few clouds
                  12:00  NW 22 km/h            few clouds
                """)
    }

    @Test func unitsOfTheUSAAndTheClockOfTwelveHours() throws {
        #expect(
            try lines(Views.weather, metric: false, at: now, offset: -450, twelveHour: true).map(\.long)
                .joined(separator: "\n") == """
                    EDDB Berlin Brandenburg (151 ft above sea level), 7.7 mi to the SE, 14 min old
                    ! Gusts of 39 mph: at EDDB now
                    ! Thunderstorm with rain: possible (30 %) from 1:30 am (EDDB)
                      Light showers of rain
                      46 °F, 45 °F at the altitude here, feels like 40 °F
                      Wind from SW at 18 mph, between S and W, gusts of 39 mph
                      Humidity 84 %, dew point 42 °F
                      Visibility 6.2 mi or more
                      Pressure 29.91 inHg
                    EDAZ, 19.3 mi, 40 min old
                      Clouds scattered at 1500 ft, broken at 3000 ft (cumulonimbus)

                    Forecast of EDDB, 7.7 mi, made 2 h ago
                      Precipitation expected from 12:30 am
                      Wind shift at 2:30 am: NW 14 mph
                      12:00 am  SW 16 mph            cloudy
                       1:00 am  W 21 mph   gusts 41  rain, 2.5 mi; 30 % thunderstorm with rain, gusts 52
                       2:00 am  W 21 mph   gusts 41  rain, 2.5 mi; 30 % thunderstorm with rain, gusts 52
                       3:00 am  NW 14 mph            few clouds; 30 % thunderstorm with rain, W 21 mph, gusts 52
                       4:00 am  NW 14 mph            few clouds
                       5:00 am  NW 14 mph            few clouds
                    """)
    }

    /// The data has an overlay in each period that it overlaps.
    @Test func changeOfSeveralPeriodsIsInARowOnce() throws {
        func time(_ hour: Int) -> String { "\"2026-03-01T\(hour < 10 ? "0" : "")\(hour):00:00Z\"" }
        let rain =
            #"{"kind":"temporary","from":\#(time(8)),"to":\#(time(10)),"weather":[{"code":"RA","phenomena":["RA"]}]}"#
        let periods = (7..<12).map {
            #"{"from":\#(time($0)),"to":\#(time($0 + 1)),"wind_speed_mps":\#($0),"wind_from_deg":270,"overlays":[\#(rain)]}"#
        }
        let forecast =
            #""forecast":{"station":"EDDB","distance_m":1,"issued_at":\#(time(7)),"periods":[\#(periods.joined(separator: ","))]}"#
        let rows = try text(forecast).filter { $0.contains("rain") && !$0.hasPrefix("!") }
        #expect(rows == ["   8:00  W 29 km/h  at times rain", "   9:00  W 32 km/h  at times rain"])
    }

    @Test func missingFiguresHaveNoText() throws {
        #expect(try text("") == [])
        #expect(try text(#""temperature_c":-0.4"#) == ["  0 °C"])
        #expect(try text(#""temperature_here_c":3,"feels_like_c":3"#) == ["  3 °C"])
        #expect(try text(#""dew_point_c":-3"#) == ["  Dew point -3 °C"])
        #expect(try text(#""weather":[]"#) == [], "none, and the sky is not known")
        #expect(try text(#""clouds":[{"cover":"VV"}]"#) == ["  Sky obscured"])
        #expect(try text(#""wind_from_deg":350"#) == ["  Wind from N"])
        #expect(try text(#""wind_speed_mps":0"#) == ["  Calm"])
        #expect(try text(#""wind_speed_mps":1.5"#) == ["  Wind of 5 km/h"])
        #expect(try text(#""wind_speed_mps":1.5,"wind_variable":true"#) == ["  Variable wind of 5 km/h"])
        #expect(try text(#""visibility_m":1600,"visibility_bound":"less_than""#) == ["  Visibility less than 1.6 km"])
        #expect(try text(#""rain_from":"2026-03-01T08:00:00Z""#) == [], "without its forecast")
    }

    @Test func reasonIsALine() throws {
        #expect(try text(#""reason":"no newer report""#) == ["  No newer report"])
        #expect(try lines(#"{"reason":"no network"}"#, at: now).map(\.long) == ["No weather", "  No network"])
        #expect(TopicWeather(.object([:])) == nil && TopicWeather(.null) == nil)
    }

    @Test func ageIsShownAsFarAsItIsKnown() throws {
        func title(_ now: String?, stale: Bool = false, published: Int? = nil) throws -> String {
            let time = now.map { UTC(iso8601: $0)! }
            return try lines(Self.station + "}", at: time, isStale: stale, published: published)[0].long
        }
        #expect(try title("2026-03-01T07:10:00Z") == "EDDB, 12.4 km, 0 min old", "a clock is a little late")
        #expect(try title("2026-03-01T09:16:00Z") == "EDDB, 12.4 km, 2 h old")
        #expect(try title("2026-03-01T09:17:00Z") == "EDDB, 12.4 km, 2 h 1 min old, stale")
        #expect(try title("2026-03-01T07:20:00Z", stale: true) == "EDDB, 12.4 km, 4 min old, stale")
        #expect(try title("1970-01-01T00:01:00Z") == "EDDB, 12.4 km, age unknown")
        #expect(try title(nil, published: 3_900_000) == "EDDB, 12.4 km, at least 1 h 5 min old")
    }

    @Test(arguments: [
        (#""weather":[{"code":"VCTS"}]"#, "Thunderstorm in the vicinity: at EDDB now"),
        (#""weather":[{"code":"FZFG"}]"#, "Freezing fog: at EDDB now"),
        (#""weather":[{"code":"+RA"}]"#, "Heavy rain: at EDDB now"),
        (#""weather":[{"code":"GS"}]"#, "Small hail: at EDDB now"),
        (#""weather":[{"code":"+FC"}]"#, "Tornado or waterspout: at EDDB now"),
        (#""weather":[{"code":"FG"}],"visibility_m":400"#, "Fog: at EDDB now"),
        (#""visibility_m":999"#, "Visibility 999 m: at EDDB now"), (#""weather":[{"code":"BCFG"}]"#, nil),
        (#""visibility_m":1000"#, nil), (#""weather":[{"code":"RA"},{"code":"RETS"}]"#, nil),
        (#""wind_gust_mps":17.1,"wind_speed_mps":10"#, "Gusts of 62 km/h: at EDDB now"),
        (#""wind_speed_mps":17"#, nil), (#""wind_speed_mps":18"#, "Wind of 65 km/h: at EDDB now"),
        (#""feels_like_c":32.1"#, "Heat that feels like 32 °C: at EDDB now"), (#""feels_like_c":-10"#, nil),
        (#""feels_like_c":-10.6"#, "Cold that feels like -11 °C: at EDDB now"),
    ])
    func dangersAreWarnings(members: String, warning: String?) throws {
        #expect(try text(members).filter { $0.hasPrefix("!") } == (warning.map { ["! " + $0] } ?? []))
        let stale = try text(members, isStale: true).filter { $0.hasPrefix("!") }
        #expect(stale == (warning.map { ["! " + $0.replacing(" now", with: "")] } ?? []), "not now")
    }

    @Test(arguments: [
        (
            #""headwind_mps":-2.2,"crosswind_mps":4.4,"relative_deg":116,"speed_mps":4.9"#,
            "↖ Tailwind 8 km/h, crosswind 16 km/h from the right, 1 m above the ground"
        ),
        (
            #""headwind_mps":5,"crosswind_mps":-0.1,"relative_deg":-1,"speed_mps":5"#,
            "↓ Headwind 18 km/h, crosswind 0 km/h from the left, 1 m above the ground"
        ),
        (#""headwind_mps":0,"crosswind_mps":0,"speed_mps":0,"reason":"calm""#, "No headwind: calm"),
        (#""speed_mps":2,"reason":"variable""#, "Variable wind of 7 km/h, 1 m above the ground"),
        (#""speed_mps":2,"reason":"no-course""#, "Headwind unknown: no direction of travel"),
        (#""reason":"not-reported""#, "Headwind unknown"), (#""reason":"later""#, "Headwind unknown"),
    ])
    func windOnTheRiderIsALine(members: String, line: String) throws {
        func text(_ station: String) throws -> String {
            let json = #"{"station":"\#(station)","distance_m":9000,"age_s":600,\#(members)}"#
            let wind = try #require(WindStatus(try JSON(parsing: json.utf8)))
            let weather = try #require(TopicWeather(try JSON(parsing: (Self.station + "}").utf8)))
            let lines = WeatherText(units: WeatherUnits(metric: true), now: now).lines(of: weather, wind: wind)
            return lines[1].texts[0]
        }
        #expect(try text("EDDB") == line)
        #expect(try text("EDAZ") == line + " (EDAZ, 9 km, 10 min old)", "no figure is without its station")
    }

    @Test func foreignDataIsHarmlessAndBounded() throws {
        let name = Views.hostileName
        let texts = [
            Views.weather.replacing("Berlin Brandenburg", with: name).replacing(#""EDDB""#, with: #""\#(name)""#)
                .replacing("-SHRA", with: name),
            #"{"reason":"\#(name)"}"#,
        ]
        for text in texts {
            for line in try lines(text, at: now).map(\.long) {
                #expect(
                    line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" })
            }
        }
        let long = String(repeating: "x", count: 5000)
        #expect(try lines(#"{"reason":"\#(long)"}"#, at: now)[1].long.count == 2 + 256)
        #expect(TopicWeather(try JSON(parsing: #"{"station":"\#(long)","distance_m":1}"#.utf8)) == nil)
        let wrong = [
            (#""temperature_c":1e300"#), (#""wind_speed_mps":-5"#), (#""pressure_hpa":"x""#), (#""site":"\#(long)""#),
            (#""weather":[{"code":7}]"#), (#""weather":{}"#), (#""clouds":[[]]"#), (#""forecast":{"periods":7}"#),
            (#""rain_from":"soon""#), (#""other_stations":[{"figures":["wind"]}]"#), (#""unknown":[[[1]]]"#),
        ]
        for member in wrong { #expect(try text(member) == [], "\(member)") }
        let far = #"{"station":"A","distance_m":1e9,"observed_at":"2026-03-01T07:16:00Z","reason":"x"}"#
        #expect(try lines(far, at: now)[0].long == "No weather")
        let many = Array(repeating: #"{"code":"RA"}"#, count: 1000).joined(separator: ",")
        #expect(try text(#""weather":[\#(many)]"#) == ["  Rain" + String(repeating: ", rain", count: 7)])
    }
}
