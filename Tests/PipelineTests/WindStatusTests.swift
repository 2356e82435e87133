import Domain
import Pipeline
import Testing

@Suite struct WindStatusTests {
    private static let observed = UTC(milliseconds: 1_800_000_000_000)

    private static func weather(
        _ direction: WeatherObservation.Direction?, _ speed: Double?, isStale: Bool = false
    ) throws -> WeatherObservation {
        try WeatherObservation(
            station: #require(SanitizedText("EDDB")), observed: observed, distance: 12_000, direction: direction,
            windSpeed: speed, isStale: isStale)
    }

    private static func fix(_ track: Double?, speed: Double? = 4, at now: Instant) -> Input {
        .fix(
            Fix(
                arrivedAt: now, mode: 3, latitude: 52.5, longitude: 13.4, accuracy: 5, speed: speed, track: track))
    }

    /// A moving receiver under an observation that is 10 min old.
    private static func run(_ weather: WeatherObservation?, track: Double? = 90, speed: Double? = 4) -> ScriptedRun {
        var run = ScriptedRun()
        run.receive(.systemClock(UTC(milliseconds: observed.milliseconds + 600_000), isSynchronised: true))
        run.receive(.weather(weather))
        run.receive(fix(track, speed: speed, at: run.now))
        return run
    }

    @Test(arguments: [
        (0.0, 1.0, 0.0), (45, 0.7071, -0.7071), (90, 0, -1), (135, -0.7071, -0.7071), (180, -1, 0),
        (225, -0.7071, 0.7071), (270, 0, 1), (315, 0.7071, 0.7071),
    ])
    func `Headwind is positive against the course over ground`(course: Double, head: Double, cross: Double) throws {
        let wind = try #require(Self.run(Self.weather(.from(0), 10), track: course).state.wind)
        #expect(abs(try #require(wind.headwind) - head * 6.036) < 0.001)
        #expect(abs(try #require(wind.crosswind) - cross * 6.036) < 0.001)
        #expect(wind.from == 0 && abs((wind.speed ?? 0) - 6.036) < 0.001 && wind.age == 600 && wind.reason == nil)
        #expect(wind.station.text == "EDDB" && wind.distance == 12_000)
    }

    @Test func `What is missing has its reason`() throws {
        #expect(Self.run(nil).state.wind == nil)
        let variable = try #require(Self.run(Self.weather(.variable, 2)).state.wind)
        #expect(variable.reason == .variable && variable.speed != nil && variable.headwind == nil)
        let calm = try #require(Self.run(Self.weather(nil, 0), track: nil).state.wind)
        #expect(calm.reason == .calm && calm.headwind == 0 && calm.crosswind == 0 && calm.relative == nil)
        #expect(try Self.run(Self.weather(nil, nil)).state.wind?.reason == .notReported)
        #expect(try Self.run(Self.weather(nil, 3)).state.wind?.reason == .notReported)
        let stale = try #require(Self.run(Self.weather(.from(0), 3, isStale: true)).state.wind)
        #expect(stale.reason == .stale && stale.speed == nil && stale.from == nil)
        for (track, speed) in [(nil, 4.0), (90.0, nil), (90.0, 0.4)] as [(Double?, Double?)] {
            let wind = try #require(Self.run(Self.weather(.from(10), 3), track: track, speed: speed).state.wind)
            #expect(wind.reason == .noCourse && wind.from == 10 && wind.headwind == nil)
        }
    }

    @Test func `The course ends with the position, and the figures are stale after 2 h`() throws {
        var run = try Self.run(Self.weather(.from(0), 3))
        #expect(run.state.wind?.reason == nil)
        run.wait(.seconds(6))
        #expect(run.state.wind?.reason == .noCourse)
        run.wait(.seconds(6593))
        #expect(run.state.wind?.reason == .noCourse && run.state.wind?.age == 7199)
        run.wait(.seconds(1))
        #expect(run.state.wind?.reason == .stale && run.state.wind?.age == 7200)
        run.receive(.weather(nil))
        #expect(run.state.wind == nil)
    }

    @Test func `Without the time of day the age is unknown`() throws {
        var run = ScriptedRun()
        run.receive(.weather(try Self.weather(.from(0), 3)))
        run.receive(Self.fix(90, at: run.now))
        let wind = try #require(run.state.wind)
        #expect(wind.age == nil && wind.relative == -90)
    }

    @Test func `A replay has the same wind, of an observation before the run too`() throws {
        let start = ScriptedRun.start
        var engine = SteppedEngine(Pipeline(settings: Settings(), isDemo: false, at: start), at: start)
        engine.receive(.systemClock(UTC(milliseconds: Self.observed.milliseconds), isSynchronised: true), at: start)
        engine.receive(.weather(try Self.weather(.from(10), 3)), at: start)
        // It leaves the history from which a run in the past starts.
        engine.advance(to: start + .seconds(300))
        _ = try engine.perform(.start(.run, indoor: false), at: start + .seconds(300))
        let changes = try [
            20: Self.weather(.from(200), 7), 40: Self.weather(.variable, 1), 60: nil, 70: Self.weather(.from(200), 7),
            71: Self.weather(.from(200), 7),
        ]
        var live: [Instant: WindStatus?] = [:]
        for second in 301...390 {
            let now = start + .seconds(second)
            engine.receive(Self.fix(Double(second), at: now), at: now)
            if let weather = changes[second - 300] { engine.receive(.weather(weather), at: now) }
            live[now] = engine.state(at: now).wind
        }
        let entries = engine.drainEntries()
        #expect(entries.count { if case .input(.weather) = $0.kind { true } else { false } } == 4, "one is the same")
        guard case .snapshot(let beginning) = entries.first?.kind else {
            throw CommandRejection(command: "start", state: .idle)
        }
        #expect(try beginning.weather == Self.weather(.from(10), 3))
        var replay = Replay(beginning)
        var replayed: [Instant: WindStatus?] = [:]
        for entry in entries {
            replay.apply(entry)
            if live[entry.at] != nil { replayed[entry.at] = replay.pipeline.state(at: entry.at).wind }
        }
        #expect(replayed == live && live.count == 90)
        #expect(live.values.contains { $0?.headwind != nil } && live.values.contains { $0 == nil })
    }

    @Test func `A new process has no observation until its topic has one`() throws {
        var run = try Self.run(Self.weather(.from(0), 3))
        try run.begin()
        let outage = Outage(duration: .seconds(5), isSameBoot: true, settings: Settings(), rule: .continued)
        run.pipeline.resume(after: outage, at: run.now + .seconds(5), into: &run.effects)
        #expect(run.pipeline.weather == nil)
    }
}
