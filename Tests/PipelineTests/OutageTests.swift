import Domain
import Pipeline
import Testing

/// An activity whose process is interrupted and replaced.
private struct Interrupted {
    var run = ScriptedRun()
    var outage = Outage(duration: .seconds(40), isSameBoot: true, settings: Settings())

    /// Ends the process and continues in another.
    mutating func interrupt() {
        var engine = RunEngine(
            Pipeline(settings: Settings(), isDemo: false, at: run.now), at: run.now)
        run.now += outage.duration
        run.events = []
        engine.resume(run.pipeline, after: outage, at: run.now, into: &run.effects)
        run.adopt(engine)
        run.wait(.zero)
        run.receive(.clear(.exportFailed))
    }
}

@Test func activeRunResumesAfterAnOutage() throws {
    var interrupted = Interrupted()
    interrupted.run.fix(speed: 3)
    try interrupted.run.begin()
    interrupted.run.run(seconds: 20, speed: 3)
    try interrupted.run.perform(.lap)
    interrupted.run.run(seconds: 10, speed: 3)
    interrupted.run.wait(.milliseconds(340))
    let before = try #require(interrupted.run.activity)
    interrupted.interrupt()

    let run = interrupted.run
    #expect(run.pipeline.runState == .active)
    #expect(run.activity?.total == before.total)
    #expect(run.activity?.lapNumber == 2)
    #expect(run.activity?.lap == before.lap)
    #expect(run.state.position == nil)
    #expect(run.state.gpsd == LinkStatus(.disconnected, reason: .off))
    #expect(
        run.events.map(\.kind) == [
            .gap(.restart, seconds: 40, metres: nil, counted: false), .start(.run, resumed: true),
        ])
    #expect(run.events.allSatisfy { $0.at == run.now && $0.activity == before.id })
}

/// The elapsed part of a period is kept, and movement during the outage does not count.
@Test(arguments: [3, 40])
func timerAndDistanceStopDuringAnOutage(seconds: Int64) throws {
    var interrupted = Interrupted()
    interrupted.outage.duration = .seconds(seconds)
    interrupted.run.fix(speed: 3)
    try interrupted.run.begin()
    interrupted.run.run(seconds: 20, speed: 3)
    interrupted.run.wait(.milliseconds(1340))
    let before = try #require(interrupted.run.activity).total
    interrupted.interrupt()
    interrupted.run.wait(.milliseconds(59))
    #expect(interrupted.run.activity?.total.elapsedMilliseconds == before.elapsedMilliseconds)
    interrupted.run.wait(.milliseconds(1))
    #expect(interrupted.run.activity?.total.elapsedMilliseconds == before.elapsedMilliseconds + 100)
    interrupted.run.metres += 120
    interrupted.run.run(seconds: 10, speed: 3)
    let after = try #require(interrupted.run.activity).total
    #expect(abs(after.distanceMetres - before.distanceMetres - 27) < 3.1)
    guard case .ended(let summary) = try interrupted.run.perform(.stop) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.gaps == 1)
    #expect(summary.totalMilliseconds == after.elapsedMilliseconds + seconds * 1000)
}

@Test func pausedRunStaysPausedAfterAnOutage() throws {
    var interrupted = Interrupted()
    try interrupted.run.begin()
    interrupted.run.wait(.milliseconds(12_340))
    try interrupted.run.perform(.pause)
    interrupted.run.wait(.seconds(5))
    interrupted.interrupt()
    #expect(interrupted.run.pipeline.runState == .paused)
    interrupted.run.wait(.seconds(30))
    #expect(interrupted.run.activity?.total.elapsedMilliseconds == 12_300)
    try interrupted.run.perform(.resume)
    interrupted.run.wait(.milliseconds(60))
    #expect(interrupted.run.activity?.total.elapsedMilliseconds == 12_400)
}

@Test func settingsChangedDuringAnOutageApply() throws {
    var interrupted = Interrupted()
    try interrupted.run.begin()
    interrupted.outage.settings.autoLapSeconds = 10
    interrupted.interrupt()
    interrupted.run.wait(.seconds(10))
    #expect(interrupted.run.activity?.lapNumber == 2)
}

/// The start keeps the time of day of the earlier boot; if that is unknown, it stays unknown.
@Test(arguments: [true, false])
func timeOfDayIsUnknownAfterAReboot(isKnown: Bool) throws {
    var interrupted = Interrupted()
    let time = UTC(milliseconds: 1_800_000_000_000)
    if isKnown { interrupted.run.receive(.systemClock(time, isSynchronised: true)) }
    try interrupted.run.begin()
    interrupted.run.wait(.seconds(10))
    interrupted.outage.isSameBoot = false
    interrupted.interrupt()
    #expect(interrupted.run.state.time == nil)
    #expect(interrupted.run.state.clock == .unset)
    let later = UTC(milliseconds: time.milliseconds + 1_000_000)
    interrupted.run.receive(.systemClock(later, isSynchronised: true))
    guard case .ended(let summary) = try interrupted.run.perform(.stop) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.started == (isKnown ? time : nil))
    #expect(summary.ended == later)
}

@Test func timeOfDayContinuesWithinTheSameBoot() throws {
    var interrupted = Interrupted()
    let time = UTC(milliseconds: 1_800_000_000_000)
    interrupted.run.receive(.systemClock(time, isSynchronised: true))
    try interrupted.run.begin()
    interrupted.interrupt()
    #expect(interrupted.run.state.time == UTC(milliseconds: time.milliseconds + 40_000))
}

/// An activity whose last row is too old is stopped at that row, between two ticks, by a process that starts a day later.
@Test func stopBetweenTicksKeepsTheExactTotalTime() throws {
    var run = ScriptedRun()
    let time = UTC(milliseconds: 1_800_000_000_000)
    run.receive(.systemClock(time, isSynchronised: true))
    try run.begin()
    run.wait(.milliseconds(61_250))
    let last = run.now
    run.now += .seconds(86_400)
    guard case .ended(let summary) = try run.pipeline.step(.stop, at: last, into: &run.effects) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.ended == UTC(milliseconds: time.milliseconds + 61_250))
    #expect(summary.totalMilliseconds == 61_250)
    #expect(summary.total.elapsedMilliseconds == 61_200)
    #expect(summary.lastLap == summary.total)
    run.wait(.zero)
    let stop = run.events.last { if case .stop = $0.kind { true } else { false } }
    #expect(stop?.at == last)
    #expect(run.state.run == .idle)
}

// MARK: Outages with a continued run

/// Ticks and distance equal those of a run without the outage if no fix was missed.
@Test(arguments: [0, 7, 300, 640])
func continuedRunEqualsARunWithoutTheOutage(milliseconds: Int64) throws {
    func run() throws -> Interrupted {
        var interrupted = Interrupted()
        interrupted.run.fix(speed: 3)
        try interrupted.run.begin()
        interrupted.run.run(seconds: 12, speed: 3)
        interrupted.run.wait(.milliseconds(340))
        return interrupted
    }
    var interrupted = try run()
    interrupted.outage = Outage(
        duration: .milliseconds(milliseconds), isSameBoot: true, settings: Settings(), rule: .continued)
    interrupted.interrupt()
    var whole = try run().run
    whole.wait(.milliseconds(milliseconds))
    #expect(interrupted.run.activity == whole.activity)
    #expect(interrupted.run.state.position == whole.state.position)
    #expect(interrupted.run.state.gpsd == LinkStatus(.disconnected, reason: .off))
    #expect(
        interrupted.run.events.map(\.kind) == [
            .gap(.restart, seconds: Double(milliseconds) / 1000, metres: nil, counted: true),
            .start(.run, resumed: true),
        ])
    for _ in 0..<2 {
        interrupted.run.wait(.milliseconds(650 - milliseconds))
        whole.wait(.milliseconds(650 - milliseconds))
        interrupted.run.run(seconds: 20, speed: 3)
        whole.run(seconds: 20, speed: 3)
    }
    #expect(interrupted.run.activity == whole.activity)
    #expect(interrupted.run.state.ticks.late == 0)
    let (one, other) = (try interrupted.run.perform(.stop), try whole.perform(.stop))
    guard case .ended(var summary) = one, case .ended(let expected) = other else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.gaps == 1)
    summary.gaps = 0
    #expect(summary == expected)
}

/// A heart rate from before the outage is absent after it, and laps close at their ticks.
@Test func continuedOutageExpiresTheHeartRateAndClosesDueLaps() throws {
    var interrupted = Interrupted()
    var settings = Settings()
    settings.autoLapSeconds = 10
    interrupted.run = ScriptedRun(settings)
    try interrupted.run.begin()
    interrupted.run.wait(.milliseconds(9400))
    interrupted.run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])))
    interrupted.outage = Outage(duration: .seconds(1), isSameBoot: true, settings: settings, rule: .continued)
    interrupted.interrupt()
    #expect(interrupted.run.activity?.lapNumber == 2)
    #expect(interrupted.run.activity?.total.averageHeartRate == 120)
    #expect(interrupted.run.state.heart.beatsPerMinute == nil)
    let kinds = interrupted.run.events.map(\.kind)
    guard case .lap(_, number: 1, .time)? = kinds.first else { throw CommandRejection(command: "lap", state: .idle) }
    #expect(kinds.count == 3)
    #expect(interrupted.run.events[0].at == ScriptedRun.start + .seconds(10))
}
