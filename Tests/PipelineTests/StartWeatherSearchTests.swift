import Domain
import Pipeline
import TestKit
import Testing

/// The weather at the start of runs of an engine, found in their entries.
@Suite struct StartWeatherSearchTests {
    private static let start = UTC(milliseconds: 1_772_350_212_000)
    private var engine: SteppedEngine
    private var now = Instant(milliseconds: 1_000_000)

    init() {
        engine = SteppedEngine(Pipeline(settings: Settings(), isDemo: false, at: now), at: now)
    }

    /// An observation of this temperature, 10 min before the start.
    private static func weather(
        _ temperature: Double, before seconds: Int64 = 600, isStale: Bool = false
    ) throws -> WeatherObservation {
        try .sample(
            observed: UTC(milliseconds: start.milliseconds - seconds * 1000), temperature: temperature,
            isStale: isStale)
    }

    private mutating func wait(_ seconds: Int) {
        for _ in 0..<seconds {
            now += .seconds(1)
            engine.advance(to: now)
        }
    }

    private mutating func receive(_ weather: WeatherObservation?) {
        engine.receive(.weather(weather), at: now)
    }

    private mutating func begin(back: Duration = .zero) throws {
        _ = try engine.perform(.start(nil, indoor: false, back: back), at: now)
    }

    /// The temperature at the start, of the entries so far.
    private mutating func found() -> Double? {
        var search = StartWeatherSearch(start: Self.start)
        for entry in engine.drainEntries() { search.receive(entry) }
        return search.weather?.observation.temperature
    }

    @Test mutating func observationThatWasKnownCounts() throws {
        try receive(Self.weather(7))
        wait(200)
        try begin()
        wait(5)
        try receive(Self.weather(8))
        receive(nil)
        #expect(found() == 7)
    }

    @Test(arguments: [(0, 5.0), (600, 5.0), (899, 5.0), (900, nil), (960, nil)] as [(Int, Double?)])
    mutating func firstObservationOf15MinutesCounts(seconds: Int, temperature: Double?) throws {
        try begin()
        wait(seconds)
        try receive(Self.weather(5))
        wait(1)
        try receive(Self.weather(6))
        #expect(found() == temperature)
    }

    @Test mutating func staleObservationGivesWayToALaterOne() throws {
        try receive(Self.weather(7, isStale: true))
        try begin()
        wait(30)
        try receive(Self.weather(6, before: 7200))
        wait(30)
        try receive(Self.weather(5))
        #expect(found() == 5)
    }

    @Test mutating func retractedObservationDoesNotCount() throws {
        try receive(Self.weather(7))
        wait(10)
        receive(nil)
        try begin()
        wait(1)
        #expect(found() == nil)
    }

    @Test mutating func observationThatIsRetractedInTheRunCounts() throws {
        try begin()
        wait(60)
        try receive(Self.weather(5))
        wait(60)
        receive(nil)
        #expect(found() == 5)
    }

    @Test(arguments: [(100, 7.0), (60, 6.0), (30, 6.0), (0, 5.0)] as [(Int, Double)])
    mutating func backdatedRunHasTheObservationOfItsStart(back: Int, temperature: Double) throws {
        try receive(Self.weather(7))
        wait(60)
        try receive(Self.weather(6))
        wait(60)
        try receive(Self.weather(5))
        try begin(back: .seconds(back))
        #expect(found() == temperature)
    }

    @Test mutating func observationAfterAnOutageCountsIn15Minutes() throws {
        let pipeline = Pipeline(settings: Settings(), isDemo: false, at: now)
        try begin()
        wait(60)
        var entries = engine.drainEntries()
        guard case .snapshot(let snapshot)? = entries.first?.kind else {
            Issue.record("no snapshot")
            return
        }
        var replay = Replay(snapshot)
        for entry in entries.dropFirst() { replay.apply(entry) }
        now += .seconds(300)
        engine = SteppedEngine(pipeline, at: now)
        engine.resume(
            replay.pipeline,
            after: Outage(duration: .seconds(300), isSameBoot: true, settings: Settings(), rule: .continued), at: now)
        try receive(Self.weather(4))
        entries += engine.drainEntries()
        var search = StartWeatherSearch(start: Self.start)
        for entry in entries { search.receive(entry) }
        #expect(search.weather?.observation.temperature == 4)
    }
}
