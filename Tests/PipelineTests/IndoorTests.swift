import Domain
import Pipeline
import Testing

private let start = Instant(milliseconds: 1_000_000)

/// A fix that moves 3 m each second, with the time of day.
private func fix(_ second: Int) -> Input {
    let now = start + .seconds(second)
    return .fix(
        Fix(
            arrivedAt: now, time: UTC(milliseconds: Release.date.milliseconds + 1_000_000 + Int64(second) * 1000),
            mode: 3,
            latitude: 52.5 + Double(second) * 27e-6, longitude: 13.4, altitude: 34, accuracy: 5, speed: 3))
}

/// An engine with a receiver, and everything that it has published and logged since the last command to start.
private struct Indoors {
    var engine: SteppedEngine
    var second = 0
    var entries: [InputLogEntry] = []
    var seconds: [State] = []
    var events: [Event] = []

    init() {
        engine = SteppedEngine(Pipeline(settings: Settings(), isDemo: false, at: start), at: start)
    }

    mutating func receive(seconds: Int) {
        for _ in 0..<seconds {
            second += 1
            engine.receive(fix(second), at: start + .seconds(second))
            drain()
        }
    }

    mutating func perform(_ command: RunCommand) throws {
        _ = try engine.perform(command, at: start + .seconds(second))
        drain()
    }

    private mutating func drain() {
        seconds += engine.effects.seconds
        for case .event(let event) in engine.effects.outputs where event.activity != nil { events.append(event) }
        entries += engine.drainEntries()
    }
}

@Test(arguments: [0, 30])
func indoorRunLogsNoPosition(ago: Int) throws {
    var run = Indoors()
    run.receive(seconds: 90)
    #expect(run.engine.state(at: start + .seconds(90)).position != nil)
    try run.perform(.start(.run, indoor: true, back: .seconds(ago)))
    run.receive(seconds: 20)
    try run.perform(.pause)
    run.receive(seconds: 5)
    try run.perform(.resume)
    run.receive(seconds: 5)
    #expect(run.engine.state(at: start + .seconds(120)).position == nil)
    try run.perform(.stop)
    guard case .snapshot(let snapshot)? = run.entries.first?.kind else {
        Issue.record("the log does not begin with a snapshot")
        return
    }
    #expect(snapshot.position == nil)
    #expect(snapshot.newest == nil)
    #expect(snapshot.jitter.isEmpty)
    #expect(snapshot.filter == PipelineSnapshot.Filter())
    #expect(!run.entries.contains { if case .input(.fix) = $0.kind { true } else { false } })
    // The next position follows the run.
    run.receive(seconds: 1)
    #expect(run.engine.state(at: start + .seconds(121)).position != nil)

    var replay = Replay(snapshot)
    var seconds: [State] = []
    var events: [Event] = []
    for entry in run.entries.dropFirst() {
        replay.apply(entry) { _, effects in
            seconds += effects.seconds
            for case .event(let event) in effects.outputs where event.activity != nil { events.append(event) }
        }
    }
    // The lateness of ticks is not replayed.
    for index in run.seconds.indices { run.seconds[index].ticks = TickStats() }
    #expect(seconds == run.seconds)
    #expect(seconds.count == ago + 25)
    #expect(events.map(\.kind) == run.events.map(\.kind))
}

/// The receiver dates a run that uses no position of it, and a replay of the run too.
@Test(arguments: [(0, 0), (0, 30), (90, 0), (2, 1)])
func indoorRunReceivesTheTimeOfDayOfTheReceiver(seconds: Int, ago: Int) throws {
    var run = Indoors()
    run.receive(seconds: seconds)
    try run.perform(.start(.run, indoor: true, back: .seconds(ago)))
    run.receive(seconds: 10)
    let state = run.engine.state(at: start + .seconds(run.second))
    #expect(state.clock == .receiver)
    guard case .snapshot(let snapshot)? = run.entries.first?.kind else {
        Issue.record("the log does not begin with a snapshot")
        return
    }
    var replay = Replay(snapshot)
    for entry in run.entries.dropFirst() { replay.apply(entry) }
    #expect(replay.pipeline.state(at: start + .seconds(run.second)).time == state.time)
    // A mapping that is known needs no entry.
    #expect(run.entries.count <= 2 + 4)
}
