import Domain
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// The weather at the start of an activity of a journal.
struct StartWeatherTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        stage.turn()
    }

    private static func weather(_ temperature: Double) throws -> WeatherObservation {
        try .sample(observed: SyntheticRun.began, temperature: temperature)
    }

    private func write(_ kind: InputLogEntry.Kind) {
        stage.journal.write(InputLogEntry(at: stage.clock.now, kind), at: stage.clock.now)
    }

    /// Begins an activity that knows the weather.
    private func begin(_ weather: WeatherObservation?) {
        stage.begin()
        var snapshot = Pipeline(settings: Settings(), isDemo: false, at: stage.clock.now).snapshot
        snapshot.weather = weather
        write(.snapshot(snapshot))
        write(.command(.start(.run, indoor: false, back: .zero)))
    }

    private func found(_ change: (inout RecordedActivity) -> Void = { _ in }) throws -> Double? {
        let reader = try stage.reader()
        var recording = try #require(try reader.recording(1))
        change(&recording)
        return try reader.startWeather(of: recording)?.observation.temperature
    }

    @Test func observationOfTheSnapshotIsFound() throws {
        try begin(Self.weather(7))
        stage.record(20)
        stage.end()
        #expect(try found() == 7)
        #expect(try found { $0.isIndoor = true } == nil)
        #expect(try found { $0.started.milliseconds += 7_200_000 } == nil)
        #expect(try found { ($0.started.milliseconds, $0.isTimeUncertain) = (0, true) } == 7)
    }

    @Test func activityWithoutWeatherHasNone() throws {
        begin(nil)
        stage.record(20)
        stage.end()
        #expect(try found() == nil)
        // Without entries at all, as an imported activity.
        try stage.database().execute("DELETE FROM input")
        #expect(try found() == nil)
    }

    @Test func entryThatCannotBeReadIsSkipped() throws {
        begin(nil)
        stage.record(5)
        try write(.input(.weather(Self.weather(6))))
        stage.record(5)
        try write(.input(.weather(Self.weather(5))))
        stage.end()
        #expect(try found() == 6)
        try stage.database().execute(
            "UPDATE input SET value = '{\"station\":7' WHERE key = (SELECT min(key) FROM input WHERE kind = 'weather')")
        #expect(try found() == 5)
    }

    @Test(arguments: [(300_000, 4.0), (899_000, nil)] as [(Int64, Double?)])
    func timeOfAnotherBootCounts(milliseconds: Int64, temperature: Double?) throws {
        begin(nil)
        stage.record(8)
        // The clock begins again with the next boot.
        let part = BootSegment(
            number: 1, bootID: "next", at: Instant(milliseconds: 5000), beginsAt: milliseconds, place: stage.steps + 2)
        stage.journal.resume(stage.run.recording, part, rows: stage.steps, at: stage.clock.now)
        let entry = InputLogEntry(at: Instant(milliseconds: 7000), .input(.weather(try Self.weather(4))))
        stage.journal.write(entry, at: stage.clock.now)
        stage.end()
        #expect(try found() == temperature)
    }
}
