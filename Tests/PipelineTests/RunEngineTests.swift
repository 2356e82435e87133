import Domain
import Pipeline
import Testing

private let start = Instant(milliseconds: 1_000_000)
private let utc = UTC(milliseconds: 1_800_000_000_000)

private func fix(at now: Instant) -> Input {
    .fix(Fix(arrivedAt: now, mode: 3, latitude: 52.5, longitude: 13.4, accuracy: 5, speed: 0))
}

private func engine(lastActivity: Int = 0) -> SteppedEngine {
    SteppedEngine(Pipeline(settings: Settings(), isDemo: false, lastActivity: lastActivity, at: start), at: start)
}

private func run(_ back: Duration) -> RunCommand {
    .start(.run, indoor: false, back: back)
}

extension SteppedEngine {
    /// Sends one fix a second.
    fileprivate mutating func live(from: Int, to: Int) {
        for second in from...to {
            let now = start + .seconds(second)
            receive(fix(at: now), at: now)
        }
    }

    fileprivate var activity: Activity? {
        state(at: start).activity
    }
}

@Test func inputLogStartsWithASnapshotAndTheStartCommand() throws {
    var engine = engine(lastActivity: 16)
    engine.live(from: 1, to: 10)
    #expect(engine.drainEntries().isEmpty)
    let now = start + .milliseconds(10_500)
    #expect(try engine.perform(run(.zero), at: now) == .started(activity: 17))
    let entries = engine.drainEntries()
    guard case .snapshot(let beginning) = entries.first?.kind else {
        throw CommandRejection(command: "start", state: .idle)
    }
    #expect(beginning.lastActivity == 16)
    #expect(entries.map(\.at) == [now, now])
    #expect(entries.last?.kind == .command(run(.zero)))
    engine.live(from: 11, to: 12)
    #expect(engine.drainEntries().map(\.at) == [start + .seconds(11), start + .seconds(12)])
    _ = try engine.perform(.stop, at: start + .seconds(13))
    #expect(engine.drainEntries().map(\.kind) == [.command(.stop)])
    engine.live(from: 14, to: 15)
    #expect(engine.drainEntries().isEmpty)
}

@Test func unchangedInputsAreNotLogged() throws {
    var engine = engine()
    _ = try engine.perform(run(.zero), at: start)
    _ = engine.drainEntries()
    for second in 0...60 {
        let now = start + .seconds(second)
        engine.receive(
            .systemClock(UTC(milliseconds: utc.milliseconds + Int64(second) * 1000), isSynchronised: true), at: now)
        engine.receive(.recorder(RecorderStatus(state: .writing, behindMilliseconds: Int64(second))), at: now)
    }
    #expect(throws: CommandRejection.self) { try engine.perform(.resume, at: start + .seconds(60)) }
    #expect(engine.drainEntries().map(\.at) == [start, start + .seconds(60)])
    // A step, and the kernel's report that the clock is not synchronised any more.
    let now = start + .seconds(61)
    engine.receive(.systemClock(utc, isSynchronised: true), at: now)
    engine.receive(.systemClock(utc, isSynchronised: false), at: now)
    engine.receive(.systemClock(utc, isSynchronised: false), at: now)
    #expect(engine.drainEntries().count == 2)
}

@Test func rejectedFixIsLoggedWithItsReason() throws {
    var engine = engine()
    _ = try engine.perform(run(.zero), at: start)
    _ = engine.drainEntries()
    engine.live(from: 1, to: 1)
    engine.receive(.fix(Fix(arrivedAt: start + .seconds(2), mode: 1)), at: start + .seconds(2))
    engine.live(from: 3, to: 3)
    #expect(engine.drainEntries().map(\.rejection) == [nil, .noFix, nil])
}

@Test func suspendedLoopIsLogged() throws {
    var engine = engine()
    _ = try engine.perform(run(.zero), at: start)
    engine.advance(to: start + .seconds(20))
    engine.advance(to: start + .milliseconds(65_000))
    _ = try engine.perform(.pause, at: start + .seconds(65))
    engine.advance(to: start + .milliseconds(68_500))
    let slept = engine.drainEntries().dropFirst(2)
    #expect(
        slept.map(\.kind) == [.suspended(.milliseconds(44_900)), .command(.pause), .suspended(.milliseconds(2500))])
    #expect(slept.map(\.at) == [65_000, 65_000, 68_500].map { start + .milliseconds($0) })
}

/// A start cannot be backdated to before the program's start or into the previous run.
@Test func backdatedStartIsLimitedToTheDaemonsStartAndThePreviousRun() throws {
    var engine = engine()
    engine.live(from: 1, to: 30)
    _ = engine.drainEntries()
    let now = start + .seconds(30)
    _ = try engine.perform(run(.seconds(100)), at: now)
    #expect(engine.activity?.total.elapsedMilliseconds == 30_000)
    let begun = engine.effects.outputs
    #expect(begun.map(\.kind) == [.start(.run, back: .seconds(30))])
    _ = engine.drainEntries()

    engine.live(from: 31, to: 60)
    _ = try engine.perform(.stop, at: start + .seconds(60))
    engine.live(from: 61, to: 80)
    _ = try engine.perform(run(.seconds(100)), at: start + .milliseconds(80_400))
    #expect(engine.activity?.total.elapsedMilliseconds == 20_400)
    #expect(engine.activity?.id == 2)
}

@Test func backdatedStartReplaysTwoMinutesAfterALongIdleTime() throws {
    var engine = engine()
    engine.live(from: 1, to: 1000)
    _ = engine.drainEntries()
    _ = try engine.perform(run(.seconds(120)), at: start + .seconds(1000))
    #expect(engine.activity?.total.elapsedMilliseconds == 120_000)
    #expect(engine.effects.state?.isChange == true)
    let entries = engine.drainEntries()
    #expect(entries.count == 122)
    #expect(entries.first?.at == start + .seconds(880))
}

/// Ten thousand reports a second, more than any receiver sends.
@Test func floodOfInputsKeepsTheBufferBounded() throws {
    var engine = engine()
    for count in 0..<100_000 {
        let now = start + .microseconds(100 * count)
        engine.receive(.battery(percent: count % 100), at: now)
    }
    _ = try engine.perform(run(.seconds(120)), at: start + .seconds(10))
    #expect(engine.drainEntries().count <= RunEngine.limit + 2)
    #expect(try #require(engine.activity).total.elapsedMilliseconds <= 500)
}

@Test func recorderStatusSurvivesABackdatedStart() throws {
    var engine = engine()
    engine.live(from: 1, to: 10)
    engine.receive(
        .recorder(RecorderStatus(state: .failed, message: "the disk is full")), at: start + .seconds(10))
    _ = try engine.perform(run(.seconds(5)), at: start + .seconds(10))
    let state = engine.state(at: start + .seconds(10))
    #expect(state.recorder.state == .failed)
    #expect(state.faults.map(\.name) == [.recorderFailed])
}

/// If an outage was too long, the part after it becomes a separate activity.
@Test(arguments: [true, false])
func partAfterALongOutageReplaysAsAnActivity(isPaused: Bool) throws {
    var engine = engine()
    _ = try engine.perform(run(.zero), at: start)
    engine.live(from: 1, to: 20)
    if isPaused { _ = try engine.perform(.pause, at: start + .seconds(20)) }
    let stopped = engine.suspend(at: start + .seconds(20))
    let interrupted = try #require(stopped)
    let now = start + .seconds(2000)
    var next = SteppedEngine(Pipeline(settings: Settings(), isDemo: false, at: now), at: now)
    next.resume(
        interrupted, after: Outage(duration: .seconds(1980), isSameBoot: false, settings: Settings()), at: now)
    next.live(from: 2001, to: 2030)
    let part = next.drainEntries()
    let entries = Replay.split(part, from: interrupted)
    #expect(entries.dropFirst(isPaused ? 3 : 2) == part.dropFirst())
    guard case .snapshot(let beginning) = entries.first?.kind else {
        throw CommandRejection(command: "start", state: .idle)
    }
    var replay = Replay(beginning)
    for entry in entries { replay.apply(entry) }
    let activity = try #require(replay.pipeline.state(at: start + .seconds(2030)).activity)
    #expect(activity.id == 2)
    #expect(activity.total.elapsedMilliseconds == (isPaused ? 0 : 30_000))
    #expect(replay.pipeline.runState == (isPaused ? .paused : .active))
    #expect(Replay.split(part.dropFirst(), from: interrupted).isEmpty)
}

extension Output {
    fileprivate var kind: Event.Kind? {
        if case .event(let event) = self { event.kind } else { nil }
    }
}

@Test func ofSeveralCoursesBeforeARunOnlyTheLastOneIsKept() throws {
    var engine = engine()
    engine.live(from: 1, to: 60)
    weak var first: Course?
    for number in 1...3 {
        let course = Course(
            hash: CourseHash(UInt128(number)), sport: nil, latitudes: [0, 1], longitudes: [0, 1], distances: [0, 1],
            altitudes: [], ascents: [], levelMetresOnFoot: [], levelMetresOnWheels: [], climbs: [], points: [],
            boxes: []
        )
        if number == 1 { first = course }
        let loaded = LoadedCourse(hash: course.hash, number: number, course: course)
        engine.receive(.course(loaded), at: start + .seconds(60 + number))
        engine.receive(.partner(.pace(Double(number))), at: start + .seconds(60 + number))
    }
    _ = engine.drainEntries()
    #expect(first == nil)
    _ = try engine.perform(run(.seconds(20)), at: start + .seconds(70))
    let entries = engine.drainEntries()
    let courses = entries.compactMap { if case .input(.course(let loaded)) = $0.kind { loaded?.number } else { nil } }
    let partners = entries.count { if case .input(.partner) = $0.kind { true } else { false } }
    #expect(courses == [3] && partners == 1)
    #expect(entries.count { if case .input(.fix) = $0.kind { true } else { false } } == 60)
}
