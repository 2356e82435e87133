import Domain
import Pipeline
import Testing

/// Abandoned runs: `auto_stop_minutes`.
private struct Forgotten {
    var run: ScriptedRun

    init(minutes: Int = 2, autoLapSeconds: Int = 0) {
        var settings = Settings()
        settings.autoStopMinutes = minutes
        settings.autoLapSeconds = autoLapSeconds
        run = ScriptedRun(settings)
    }

    /// Sends a beat just before the end of each second.
    mutating func beat(seconds: Int) {
        for _ in 0..<seconds {
            run.wait(.milliseconds(990))
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])))
            run.wait(.milliseconds(10))
        }
    }

    /// Sends fixes of a receiver that lies still.
    mutating func lie(seconds: Int) {
        run.run(seconds: seconds, speed: 0, reported: 0.1)
    }

    /// The time and summary of the stop; nil if the run continues.
    var end: (at: Instant, summary: ActivitySummary)? {
        for event in run.events { if case .stop(let summary) = event.kind { return (event.at, summary) } }
        return nil
    }
}

@Test func autoStopClosesTheRunAtItsLastBeat() throws {
    var run = Forgotten(autoLapSeconds: 30)
    try run.run.begin()
    run.beat(seconds: 45)
    let last = run.run.now - .milliseconds(10)
    let before = try #require(run.run.activity)
    run.lie(seconds: 119)
    #expect(run.end == nil)
    #expect(run.run.state.run == .active)
    #expect(run.run.activity?.lapNumber == 6)
    run.lie(seconds: 1)
    let end = try #require(run.end)
    #expect(end.at == last)
    #expect(end.summary.total.elapsedMilliseconds == 44_900)
    #expect(end.summary.totalMilliseconds == 44_990)
    #expect(end.summary.total.averageHeartRate == before.total.averageHeartRate)
    #expect(end.summary.laps == 2)
    #expect(end.summary.lastLap.elapsedMilliseconds == 14_900)
    #expect(run.run.state.run == .idle)
    #expect(run.run.states.last?.run == .idle)
}

@Test func autoStopClosesTheRunAtItsLastMovement() throws {
    var run = Forgotten()
    run.run.fix(speed: 3)
    try run.run.begin()
    run.run.run(seconds: 60, speed: 3)
    let last = run.run.now - .milliseconds(10)
    run.lie(seconds: 121)
    let end = try #require(run.end)
    #expect(end.at == last)
    #expect((170...180).contains(end.summary.total.distanceMetres))
    #expect(end.summary.total.elapsedMilliseconds == 59_900)
}

/// A person who walks to and fro beside the bicycle does not count as moving.
@Test func driftDoesNotPostponeAutoStop() throws {
    var run = Forgotten()
    run.run.fix(speed: 3)
    try run.run.begin()
    for _ in 0..<3 {
        run.run.run(seconds: 10, speed: 2, reported: 2)
        run.run.run(seconds: 10, speed: -2, reported: 2)
        run.lie(seconds: 20)
    }
    #expect(run.end?.summary.total.elapsedMilliseconds == 0)
}

@Test func autoStopAppliesToAPausedRun() throws {
    var run = Forgotten()
    try run.run.begin()
    run.beat(seconds: 20)
    try run.run.perform(.pause)
    run.beat(seconds: 30)
    run.run.wait(.seconds(119))
    #expect(run.end == nil)
    run.run.wait(.seconds(2))
    let end = try #require(run.end)
    #expect(end.summary.total.elapsedMilliseconds == 20_000)
    #expect(end.summary.totalMilliseconds == 49_990)
}

@Test func commandPostponesAutoStop() throws {
    var run = Forgotten()
    try run.run.begin()
    run.run.wait(.seconds(100))
    try run.run.perform(.lap)
    run.run.wait(.seconds(119))
    #expect(run.end == nil)
    run.run.wait(.seconds(1))
    let end = try #require(run.end)
    #expect(end.summary.total.elapsedMilliseconds == 100_000)
    #expect(end.summary.laps == 2)
    #expect(end.summary.lastLap.elapsedMilliseconds == 0)
}

/// A backdated start is a command, so the run is not abandoned.
@Test(arguments: [nil, 100] as [Int?])
func backdatedStartPostponesAutoStop(beat: Int?) throws {
    var settings = Settings()
    settings.autoStopMinutes = 1
    var engine = SteppedEngine(
        Pipeline(settings: settings, isDemo: false, at: ScriptedRun.start), at: ScriptedRun.start)
    let asked = ScriptedRun.start + .seconds(200)
    for second in 1...200 {
        let now = ScriptedRun.start + .seconds(second)
        engine.advance(to: now)
        if second == beat {
            engine.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])), at: now)
        }
    }
    _ = try engine.perform(.start(.run, indoor: false, back: .seconds(110)), at: asked)
    #expect(engine.runState == .active)
    for second in 1...59 { engine.advance(to: asked + .seconds(second)) }
    #expect(engine.runState == .active)
    engine.advance(to: asked + .seconds(60))
    #expect(engine.runState == .idle)
    #expect(engine.drainEntries().last?.kind == .ended(.forgotten))
}

/// Without a heartbeat or a position there is no sign by which to judge.
@Test(arguments: [false, true])
func autoStopOfAnIndoorRunNeedsAHeartbeat(beats: Bool) throws {
    var run = Forgotten()
    try run.run.perform(.start(.run, indoor: true))
    if beats { run.beat(seconds: 1) }
    run.run.wait(.seconds(600))
    #expect((run.end != nil) == beats)
}

@Test func invalidReadingsDoNotPostponeAutoStop() throws {
    var run = Forgotten()
    try run.run.begin()
    for _ in 0..<130 {
        run.run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 0)))
        run.run.wait(.seconds(1))
    }
    #expect(run.end?.summary.total.elapsedMilliseconds == 0)
}

@Test func zeroAutoStopMinutesDisableAutoStop() throws {
    var run = Forgotten(minutes: 0)
    try run.run.begin()
    run.beat(seconds: 3)
    run.run.wait(.seconds(4_000))
    #expect(run.end == nil)
}

/// Time without any input does not count.
@Test func autoStopCountsFromTheEndOfAHole() throws {
    var run = Forgotten()
    try run.run.begin()
    run.beat(seconds: 10)
    run.run.sleep(.seconds(100))
    run.run.wait(.seconds(118))
    #expect(run.end == nil)
    run.run.wait(.seconds(3))
    #expect(run.end?.summary.total.elapsedMilliseconds == 9900)
    #expect(run.end?.summary.gaps == 0)
}

/// A hole longer than the setting pauses the run at its start. The run can be resumed until it is auto-stopped.
@Test func longHolePausesTheRunBeforeAutoStop() throws {
    var run = Forgotten()
    try run.run.begin()
    run.beat(seconds: 10)
    run.run.sleep(.seconds(4000))
    #expect(run.run.pipeline.runState == .paused)
    run.run.wait(.seconds(118))
    #expect(run.end == nil)
    run.run.wait(.seconds(3))
    #expect(run.end?.summary.total.elapsedMilliseconds == 9900)
}

@Test func autoStopCountsFromTheEndOfAnOutage() throws {
    var run = Forgotten()
    try run.run.begin()
    run.beat(seconds: 10)
    var engine = RunEngine(
        Pipeline(settings: Settings(), isDemo: false, at: run.run.now), at: run.run.now)
    run.run.now += .seconds(3600)
    let outage = Outage(duration: .seconds(3600), isSameBoot: true, settings: run.run.pipeline.settings)
    engine.resume(run.run.pipeline, after: outage, at: run.run.now, into: &run.run.effects)
    run.run.adopt(engine)
    run.run.wait(.seconds(119))
    #expect(run.end == nil)
    run.run.wait(.seconds(2))
    #expect(run.end?.summary.total.elapsedMilliseconds == 9900)
    #expect(run.end?.summary.totalMilliseconds == 9990)
}
