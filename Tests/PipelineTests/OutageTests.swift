import Domain
import Pipeline
import Testing

/// An activity whose process is interrupted and replaced.
private struct Interrupted {
    var course = Course()
    var outage = Outage(duration: .seconds(40), isSameBoot: true, settings: Settings())

    /// Ends the process and continues in another.
    mutating func interrupt() {
        var engine = RunEngine(
            Pipeline(settings: Settings(), isDemo: false, at: course.now), at: course.now)
        course.now += outage.duration
        course.events = []
        engine.resume(course.pipeline, after: outage, at: course.now, into: &course.effects)
        course.adopt(engine)
        course.wait(.zero)
        course.receive(.clear(.exportFailed))
    }
}

@Test func activeRunResumesAfterAnOutage() throws {
    var interrupted = Interrupted()
    interrupted.course.fix(speed: 3)
    try interrupted.course.begin()
    interrupted.course.run(seconds: 20, speed: 3)
    try interrupted.course.perform(.lap)
    interrupted.course.run(seconds: 10, speed: 3)
    interrupted.course.wait(.milliseconds(340))
    let before = try #require(interrupted.course.activity)
    interrupted.interrupt()

    let course = interrupted.course
    #expect(course.pipeline.runState == .active)
    #expect(course.activity?.total == before.total)
    #expect(course.activity?.lapNumber == 2)
    #expect(course.activity?.lap == before.lap)
    #expect(course.state.position == nil)
    #expect(course.state.gpsd == LinkStatus(.disconnected, reason: .off))
    #expect(
        course.events.map(\.kind) == [
            .gap(.restart, seconds: 40, metres: nil, counted: false), .start(.run, resumed: true),
        ])
    #expect(course.events.allSatisfy { $0.at == course.now && $0.activity == before.id })
}

/// The elapsed part of a period is kept, and movement during the outage does not count.
@Test(arguments: [3, 40])
func timerAndDistanceStopDuringAnOutage(seconds: Int64) throws {
    var interrupted = Interrupted()
    interrupted.outage.duration = .seconds(seconds)
    interrupted.course.fix(speed: 3)
    try interrupted.course.begin()
    interrupted.course.run(seconds: 20, speed: 3)
    interrupted.course.wait(.milliseconds(1340))
    let before = try #require(interrupted.course.activity).total
    interrupted.interrupt()
    interrupted.course.wait(.milliseconds(59))
    #expect(interrupted.course.activity?.total.elapsedMilliseconds == before.elapsedMilliseconds)
    interrupted.course.wait(.milliseconds(1))
    #expect(interrupted.course.activity?.total.elapsedMilliseconds == before.elapsedMilliseconds + 100)
    interrupted.course.metres += 120
    interrupted.course.run(seconds: 10, speed: 3)
    let after = try #require(interrupted.course.activity).total
    #expect(abs(after.distanceMetres - before.distanceMetres - 27) < 3.1)
    guard case .ended(let summary) = try interrupted.course.perform(.stop) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.gaps == 1)
    #expect(summary.totalMilliseconds == after.elapsedMilliseconds + seconds * 1000)
}

@Test func pausedRunStaysPausedAfterAnOutage() throws {
    var interrupted = Interrupted()
    try interrupted.course.begin()
    interrupted.course.wait(.milliseconds(12_340))
    try interrupted.course.perform(.pause)
    interrupted.course.wait(.seconds(5))
    interrupted.interrupt()
    #expect(interrupted.course.pipeline.runState == .paused)
    interrupted.course.wait(.seconds(30))
    #expect(interrupted.course.activity?.total.elapsedMilliseconds == 12_300)
    try interrupted.course.perform(.resume)
    interrupted.course.wait(.milliseconds(60))
    #expect(interrupted.course.activity?.total.elapsedMilliseconds == 12_400)
}

@Test func settingsChangedDuringAnOutageApply() throws {
    var interrupted = Interrupted()
    try interrupted.course.begin()
    interrupted.outage.settings.autoLapSeconds = 10
    interrupted.interrupt()
    interrupted.course.wait(.seconds(10))
    #expect(interrupted.course.activity?.lapNumber == 2)
}

/// The start keeps the time of day of the earlier boot; if that is unknown, it stays unknown.
@Test(arguments: [true, false])
func timeOfDayIsUnknownAfterAReboot(isKnown: Bool) throws {
    var interrupted = Interrupted()
    let time = UTC(milliseconds: 1_800_000_000_000)
    if isKnown { interrupted.course.receive(.systemClock(time, isSynchronised: true)) }
    try interrupted.course.begin()
    interrupted.course.wait(.seconds(10))
    interrupted.outage.isSameBoot = false
    interrupted.interrupt()
    #expect(interrupted.course.state.time == nil)
    #expect(interrupted.course.state.clock == .unset)
    let later = UTC(milliseconds: time.milliseconds + 1_000_000)
    interrupted.course.receive(.systemClock(later, isSynchronised: true))
    guard case .ended(let summary) = try interrupted.course.perform(.stop) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.started == (isKnown ? time : nil))
    #expect(summary.ended == later)
}

@Test func timeOfDayContinuesWithinTheSameBoot() throws {
    var interrupted = Interrupted()
    let time = UTC(milliseconds: 1_800_000_000_000)
    interrupted.course.receive(.systemClock(time, isSynchronised: true))
    try interrupted.course.begin()
    interrupted.interrupt()
    #expect(interrupted.course.state.time == UTC(milliseconds: time.milliseconds + 40_000))
}

/// An activity whose last row is too old is stopped at that row, between two ticks, by a process that starts a day later.
@Test func stopBetweenTicksKeepsTheExactTotalTime() throws {
    var course = Course()
    let time = UTC(milliseconds: 1_800_000_000_000)
    course.receive(.systemClock(time, isSynchronised: true))
    try course.begin()
    course.wait(.milliseconds(61_250))
    let last = course.now
    course.now += .seconds(86_400)
    guard case .ended(let summary) = try course.pipeline.step(.stop, at: last, into: &course.effects) else {
        throw CommandRejection(command: "stop", state: .idle)
    }
    #expect(summary.ended == UTC(milliseconds: time.milliseconds + 61_250))
    #expect(summary.totalMilliseconds == 61_250)
    #expect(summary.total.elapsedMilliseconds == 61_200)
    #expect(summary.lastLap == summary.total)
    course.wait(.zero)
    let stop = course.events.last { if case .stop = $0.kind { true } else { false } }
    #expect(stop?.at == last)
    #expect(course.state.run == .idle)
}

// MARK: Outages with a continued run

/// Ticks and distance equal those of a run without the outage if no fix was missed.
@Test(arguments: [0, 7, 300, 640])
func continuedRunEqualsARunWithoutTheOutage(milliseconds: Int64) throws {
    func course() throws -> Interrupted {
        var interrupted = Interrupted()
        interrupted.course.fix(speed: 3)
        try interrupted.course.begin()
        interrupted.course.run(seconds: 12, speed: 3)
        interrupted.course.wait(.milliseconds(340))
        return interrupted
    }
    var interrupted = try course()
    interrupted.outage = Outage(
        duration: .milliseconds(milliseconds), isSameBoot: true, settings: Settings(), rule: .continued)
    interrupted.interrupt()
    var whole = try course().course
    whole.wait(.milliseconds(milliseconds))
    #expect(interrupted.course.activity == whole.activity)
    #expect(interrupted.course.state.position == whole.state.position)
    #expect(interrupted.course.state.gpsd == LinkStatus(.disconnected, reason: .off))
    #expect(
        interrupted.course.events.map(\.kind) == [
            .gap(.restart, seconds: Double(milliseconds) / 1000, metres: nil, counted: true),
            .start(.run, resumed: true),
        ])
    for _ in 0..<2 {
        interrupted.course.wait(.milliseconds(650 - milliseconds))
        whole.wait(.milliseconds(650 - milliseconds))
        interrupted.course.run(seconds: 20, speed: 3)
        whole.run(seconds: 20, speed: 3)
    }
    #expect(interrupted.course.activity == whole.activity)
    #expect(interrupted.course.state.ticks.late == 0)
    let (one, other) = (try interrupted.course.perform(.stop), try whole.perform(.stop))
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
    interrupted.course = Course(settings)
    try interrupted.course.begin()
    interrupted.course.wait(.milliseconds(9400))
    interrupted.course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])))
    interrupted.outage = Outage(duration: .seconds(1), isSameBoot: true, settings: settings, rule: .continued)
    interrupted.interrupt()
    #expect(interrupted.course.activity?.lapNumber == 2)
    #expect(interrupted.course.activity?.total.averageHeartRate == 120)
    #expect(interrupted.course.state.heart.beatsPerMinute == nil)
    let kinds = interrupted.course.events.map(\.kind)
    guard case .lap(_, number: 1, .time)? = kinds.first else { throw CommandRejection(command: "lap", state: .idle) }
    #expect(kinds.count == 3)
    #expect(interrupted.course.events[0].at == Course.start + .seconds(10))
}
