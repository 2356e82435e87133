import Domain
import TestKit
import Testing

@Suite struct StartWeatherTests {
    private static let start = UTC(milliseconds: 1_772_350_212_300)

    private static func time(before seconds: Int64) -> UTC {
        UTC(milliseconds: start.milliseconds - seconds * 1000)
    }

    @Test(arguments: [(0, true), (7199, true), (7200, false), (-1500, true), (-1501, false)] as [(Int64, Bool)])
    func observationCountsFor2Hours(seconds: Int64, counts: Bool) throws {
        let observation = try WeatherObservation.sample(observed: Self.time(before: seconds))
        #expect(StartWeather(observation, start: Self.start)?.age == (counts ? Double(seconds) : nil))
        let undated = try #require(StartWeather(observation, start: nil))
        #expect(undated.age == nil)
    }

    @Test func staleObservationDoesNotCount() throws {
        let stale = try WeatherObservation.sample(observed: Self.start, isStale: true)
        #expect(StartWeather(stale, start: Self.start) == nil && StartWeather(stale, start: nil) == nil)
    }

    @Test func observationWithoutFiguresDoesNotCount() throws {
        func hasWeather(
            windSpeed: Double? = nil, temperature: Double? = nil, humidity: Double? = nil, conditions: String? = nil
        ) throws -> Bool {
            let observation = try WeatherObservation.sample(
                observed: Self.start, direction: nil, windSpeed: windSpeed, temperature: temperature,
                humidity: humidity, conditions: conditions)
            return StartWeather(observation, start: Self.start) != nil
        }
        #expect(try !hasWeather() && !hasWeather(conditions: "light rain"))
        #expect(try hasWeather(windSpeed: 0) && hasWeather(temperature: 0))
        #expect(try hasWeather(humidity: 0) && hasWeather(conditions: "FG"))
    }

    private static func text(
        _ observation: WeatherObservation, start: UTC? = start, metric: Bool = true
    ) throws -> String {
        try #require(StartWeather(observation, start: start)).text(metric: metric)
    }

    @Test func textHasTheFiguresThenTheStationAndTheTime() throws {
        let observation = try WeatherObservation.sample(observed: Self.time(before: 620), gust: 9.3)
        #expect(
            try Self.text(observation)
                == "9 °C, wind 18.5 km/h from 240° (SW), gusts 33.5 km/h, humidity 89 %, light rain, mist; "
                + "EDDB, 12.40 km away, observed 10 min before the start")
        #expect(
            try Self.text(observation, metric: false)
                == "48 °F, wind 11.5 mph from 240° (SW), gusts 20.8 mph, humidity 89 %, light rain, mist; "
                + "EDDB, 7.71 mi away, observed 10 min before the start")
        #expect(try Self.text(observation, start: nil).hasSuffix("mist; EDDB, 12.40 km away"))
    }

    @Test func missingFiguresAreLeftOut() throws {
        func text(_ direction: WeatherObservation.Direction?, _ speed: Double?, seconds: Int64) throws -> String {
            let observation = try WeatherObservation.sample(
                observed: Self.time(before: seconds), direction: direction, windSpeed: speed, temperature: nil,
                humidity: 70, conditions: nil)
            return try Self.text(observation)
        }
        let station = "EDDB, 12.40 km away"
        #expect(try text(nil, 0, seconds: 29) == "calm, humidity 70 %; \(station), observed at the start")
        #expect(
            try text(.variable, 1, seconds: -60)
                == "variable wind 3.6 km/h, humidity 70 %; \(station), observed 1 min after the start")
        #expect(try text(nil, 2, seconds: 0) == "wind 7.2 km/h, humidity 70 %; \(station), observed at the start")
        #expect(try text(.from(10), nil, seconds: 0) == "humidity 70 %; \(station), observed at the start")
    }

    @Test func groupsWithoutMeaningAreSkipped() throws {
        let observation = try WeatherObservation.sample(observed: Self.start, conditions: "rain -RA  -RAX XX + BR")
        #expect(observation.phenomena.map(\.code) == ["-RA", "BR"])
        #expect(try WeatherObservation.sample(observed: Self.start, conditions: nil).phenomena == [])
    }
}
