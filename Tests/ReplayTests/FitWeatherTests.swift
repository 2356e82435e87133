import Domain
import Formats
import Foundation
import TestKit
import Testing

/// The weather at the start in FIT files, read by independent readers.
@Suite struct FitWeatherTests {
    private let directory: TemporaryDirectory
    private let check: Checker

    init() throws {
        directory = TemporaryDirectory()
        check = try Checker("check_fit")
    }

    /// What the readers find in the file of a recording with this observation, which is 10 min old.
    private func written(
        direction: WeatherObservation.Direction? = .from(240), windSpeed: Double? = 5.14, temperature: Double? = -1.5,
        humidity: Double? = 88.6, conditions: String? = "-RA BR",
        _ change: (inout RecordedActivity) -> Void = { _ in }
    ) throws -> String {
        let (made, path) = (try SyntheticRecording.run(seed: 1), directory("weather.fit"))
        var recording = made.recording
        let start = recording.started
        let observation = try WeatherObservation.sample(
            observed: UTC(milliseconds: start.milliseconds - 600_000), direction: direction, windSpeed: windSpeed,
            gust: 9, temperature: temperature, humidity: humidity, conditions: conditions)
        recording.weather = StartWeather(observation, start: start)
        change(&recording)
        try Data(FitFile.export(recording, made.rows)).write(to: URL(filePath: path))
        #expect(try check(["valid", path]) == "")
        return try check(["weather", path])
    }

    @Test func readersReadTheFiguresAndTheStation() throws {
        let figures = "temperature=-2;condition=light_rain;wind_direction=240;wind_speed=5.14;relative_humidity=89"
        #expect(
            try written() == "weather_report=current;\(figures);location=EDDB;observed_at_time=600")
        #expect(try written { $0.weather = nil } == "")
    }

    @Test func fileWithoutADateHasNoTimeOfTheObservation() throws {
        let text = try written { recording in
            recording.weather = recording.weather.flatMap { StartWeather($0.observation, start: nil) }
        }
        #expect(text.hasSuffix(";location=EDDB"))
    }

    @Test func unknownFiguresAreLeftOut() throws {
        func figures(
            _ direction: WeatherObservation.Direction?, _ speed: Double?, _ conditions: String? = nil
        ) throws -> String {
            let text = try written(
                direction: direction, windSpeed: speed, temperature: nil, humidity: nil, conditions: conditions)
            return text.replacing("weather_report=current;", with: "")
                .replacing(";location=EDDB;observed_at_time=600", with: "")
        }
        #expect(try figures(.variable, 1) == "wind_speed=1.0")
        #expect(try figures(.from(10), 0) == "wind_speed=0.0")
        #expect(try figures(nil, nil, "FG") == "condition=fog")
    }

    @Test(
        arguments: [
            ("RA", 3), ("-RA", 16), ("+RA", 17), ("SHRA", 3), ("-SHRA", 16), ("DZ", 16), ("-DZ", 16), ("+DZ", 17),
            ("SN", 4), ("-SN", 18), ("+SN", 19), ("SG", 4), ("-RASN", 20), ("RASN", 7), ("+SHSNRA", 21), ("FZRA", 7),
            ("-FZDZ", 7), ("PL", 7), ("GS", 7), ("GR", 12), ("TS", 6), ("+TSRAGR", 6), ("VCTS", 14), ("VCSH", 13),
            ("UP", 15), ("SQ", 5), ("FG", 8), ("FZFG", 8), ("BR", 11), ("HZ", 11), ("FU", 11), ("DU", 11),
            ("-SN FG", 18), ("BR -RA", 16), ("VCTS RA", 3), ("-RA +SN", 19), ("BR VCSH", 13),
            ("MIFG", nil), ("BCFG", nil), ("VCFG", nil), ("BLSN", nil), ("DRSN", nil), ("IC", nil), ("PO", nil),
            ("FC", nil), ("SS", nil), ("RERA", nil), ("light rain", nil),
        ] as [(String, Int64?)])
    func groupsGiveOneCondition(codes: String, status: Int64?) throws {
        let observation = try WeatherObservation.sample(observed: UTC(milliseconds: 0), conditions: codes)
        #expect(FitWeather.status(of: observation.phenomena) == status)
    }

    @Test func observationWithoutWeatherHasNoCondition() {
        #expect(FitWeather.status(of: []) == nil)
    }
}
