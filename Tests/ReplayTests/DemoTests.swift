import Domain
import Pipeline
import Simulation
import Testing

/// The demo of `paced --demo` without sockets: simulated inputs through the pipeline at full speed.
private struct Demo {
    let start = Instant(milliseconds: 3_600_000)
    var simulated: SimulatedRun
    var pipeline: Pipeline
    var effects = Effects()
    var outputs: [Output] { effects.outputs }

    init(seed: UInt64) throws {
        let utc = UTC(milliseconds: 1_772_350_200_400)
        simulated = SimulatedRun(seed: seed, startedAt: start, utc: utc)
        pipeline = Pipeline(settings: Settings(), isDemo: true, at: start)
        _ = try pipeline.step(.start(nil, indoor: false), at: start, into: &effects)
    }

    mutating func run(until end: Instant) {
        while true {
            let now = min(simulated.nextAt, pipeline.deadline)
            guard now <= end else { return }
            for input in simulated.advance(to: now) {
                pipeline.step(.input(input.value), at: input.measuredAt, into: &effects)
            }
            pipeline.step(.time, at: now, into: &effects)
        }
    }
}

@Test(arguments: 1...20 as ClosedRange<UInt64>)
func tenMinutesOfTheDemoMatchTheTrueDistance(seed: UInt64) throws {
    var demo = try Demo(seed: seed)
    let end = demo.start + .seconds(600)
    demo.run(until: end)
    let state = demo.pipeline.state(at: end)
    let figures = try #require(state.activity).total
    let truth = demo.simulated.trueDistance(at: end)
    #expect(abs(figures.distanceMetres / truth - 1) < 0.03)
    #expect(figures.elapsedMilliseconds == 600_000)
    // Two red lights of about 16 s each.
    #expect((564_000...572_000).contains(figures.movingMilliseconds))
    #expect(figures.averageHeartRate.map { (135...155).contains($0) } ?? false)
    #expect(figures.maximumHeartRate.map { (155...180).contains($0) } ?? false)
    #expect(state.faults.isEmpty)
}

@Test(arguments: 1...3 as ClosedRange<UInt64>)
func hourOfTheDemoMatchesTheTrueDistance(seed: UInt64) throws {
    var demo = try Demo(seed: seed)
    let end = demo.start + .seconds(3600)
    demo.run(until: end)
    let figures = try #require(demo.pipeline.state(at: end).activity).total
    #expect(abs(figures.distanceMetres / demo.simulated.trueDistance(at: end) - 1) < 0.03)
}

@Test func demoReportsItsTunnelsAndTheLostStrap() throws {
    var demo = try Demo(seed: 1)
    demo.run(until: demo.start + .seconds(300))
    var gaps: [Bool] = []
    var heartLinks: [LinkState] = []
    var gpsdLinks: [LinkState] = []
    var freshness: [Event.Freshness] = []
    for case .event(let event) in demo.outputs {
        switch event.kind {
        case .gap(.position, let seconds, _, let counted):
            #expect((20...22).contains(seconds))
            gaps.append(counted)
        case .link(.heart, let status, _): heartLinks.append(status.state)
        case .link(.gpsd, let status, _): gpsdLinks.append(status.state)
        case .fix(let state, _, _): freshness.append(state)
        default: break
        }
    }
    #expect(gaps == [true])
    #expect(heartLinks == [.connecting, .connected, .disconnected, .connecting, .connected])
    #expect(gpsdLinks == [.connecting, .connected, .connecting, .connected])
    #expect(freshness == [.fresh, .stale, .absent, .fresh])
    let readings = demo.outputs.compactMap { if case .heart(let reading) = $0 { reading } else { nil } }
    #expect((285...290).contains(readings.count))
    #expect(readings.allSatisfy { $0.quality == .good })
}

@Test func sameSeedGivesTheSameDemo() throws {
    var demo = try Demo(seed: 7)
    var again = try Demo(seed: 7)
    demo.run(until: demo.start + .seconds(300))
    again.run(until: again.start + .seconds(300))
    #expect(demo.outputs == again.outputs)
    #expect(demo.pipeline.state(at: demo.start + .seconds(300)) == again.pipeline.state(at: demo.start + .seconds(300)))
}
