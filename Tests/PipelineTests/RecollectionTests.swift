import Domain
import Pipeline
import Testing

private let start = Instant(milliseconds: 1_000_000)
private let utc = UTC(milliseconds: 1_800_000_000_000)

private func fix(at now: Instant) -> Input {
    .fix(Fix(arrivedAt: now, mode: 3, latitude: 52.5, longitude: 13.4, accuracy: 5, speed: 0))
}

private func recollection(lastActivity: Int = 0) -> RunEngine {
    RunEngine(Pipeline(settings: Settings(), isDemo: false, lastActivity: lastActivity, at: start), at: start)
}

private func run(_ back: Duration) -> RunCommand {
    .start(.run, indoor: false, back: back)
}

extension RunEngine {
    /// Sends one fix a second.
    fileprivate mutating func live(from: Int, to: Int) {
        for second in from...to {
            let now = start + .seconds(second)
            receive(fix(at: now), at: now)
        }
    }

    fileprivate var activity: Activity? {
        pipeline.state(at: start).activity
    }
}

@Test func theEntriesOfAnActivityBeginWithItsBeginning() throws {
    var recollection = recollection(lastActivity: 16)
    recollection.live(from: 1, to: 10)
    #expect(recollection.drainEntries().isEmpty)
    let now = start + .milliseconds(10_500)
    #expect(try recollection.perform(run(.zero), at: now) == .started(activity: 17))
    let entries = recollection.drainEntries()
    guard case .snapshot(let beginning) = entries.first?.kind else {
        throw CommandRejection(command: "start", state: .idle)
    }
    #expect(beginning.lastActivity == 16)
    #expect(entries.map(\.at) == [now, now])
    #expect(entries.last?.kind == .command(run(.zero)))
    recollection.live(from: 11, to: 12)
    #expect(recollection.drainEntries().map(\.at) == [start + .seconds(11), start + .seconds(12)])
    _ = try recollection.perform(.stop, at: start + .seconds(13))
    #expect(recollection.drainEntries().map(\.kind) == [.command(.stop)])
    recollection.live(from: 14, to: 15)
    #expect(recollection.drainEntries().isEmpty)
}

@Test func whatChangesNothingIsNotKept() throws {
    var recollection = recollection()
    _ = try recollection.perform(run(.zero), at: start)
    _ = recollection.drainEntries()
    for second in 0...60 {
        let now = start + .seconds(second)
        recollection.receive(
            .systemClock(UTC(milliseconds: utc.milliseconds + Int64(second) * 1000), isSynchronised: true), at: now)
        recollection.receive(.recorder(RecorderStatus(state: .writing, behindMilliseconds: Int64(second))), at: now)
    }
    #expect(throws: CommandRejection.self) { try recollection.perform(.resume, at: start + .seconds(60)) }
    #expect(recollection.drainEntries().map(\.at) == [start, start + .seconds(60)])
    // A step, and the kernel's report that the clock is not synchronised any more.
    let now = start + .seconds(61)
    recollection.receive(.systemClock(utc, isSynchronised: true), at: now)
    recollection.receive(.systemClock(utc, isSynchronised: false), at: now)
    recollection.receive(.systemClock(utc, isSynchronised: false), at: now)
    #expect(recollection.drainEntries().count == 2)
}

@Test func aRefusedFixIsKeptWithTheReason() throws {
    var recollection = recollection()
    _ = try recollection.perform(run(.zero), at: start)
    _ = recollection.drainEntries()
    recollection.live(from: 1, to: 1)
    recollection.receive(.fix(Fix(arrivedAt: start + .seconds(2), mode: 1)), at: start + .seconds(2))
    recollection.live(from: 3, to: 3)
    #expect(recollection.drainEntries().map(\.refusal) == [nil, .noFix, nil])
}

@Test func aHeldUpLoopIsKept() throws {
    var recollection = recollection()
    _ = try recollection.perform(run(.zero), at: start)
    recollection.advance(to: start + .seconds(20))
    recollection.advance(to: start + .milliseconds(65_000))
    _ = try recollection.perform(.pause, at: start + .seconds(65))
    recollection.advance(to: start + .milliseconds(68_500))
    let slept = recollection.drainEntries().dropFirst(2)
    #expect(
        slept.map(\.kind) == [.suspended(.milliseconds(44_900)), .command(.pause), .suspended(.milliseconds(2500))])
    #expect(slept.map(\.at) == [65_000, 65_000, 68_500].map { start + .milliseconds($0) })
}

/// A start cannot be backdated to before the program's start or into the previous run.
@Test func aStartGoesBackNoFurtherThanThereIsSomething() throws {
    var recollection = recollection()
    recollection.live(from: 1, to: 30)
    let now = start + .seconds(30)
    _ = try recollection.perform(run(.seconds(100)), at: now)
    #expect(recollection.activity?.total.elapsedMilliseconds == 30_000)
    let begun = recollection.pipeline.drainOutputs()
    #expect(begun.map(\.kind) == [.start(.run, back: .seconds(30))])
    _ = recollection.drainEntries()

    recollection.live(from: 31, to: 60)
    _ = try recollection.perform(.stop, at: start + .seconds(60))
    recollection.live(from: 61, to: 80)
    _ = try recollection.perform(run(.seconds(100)), at: start + .milliseconds(80_400))
    #expect(recollection.activity?.total.elapsedMilliseconds == 20_400)
    #expect(recollection.activity?.id == 2)
}

@Test func aStartGoesBackTwoMinutesHoweverLongNothingRan() throws {
    var recollection = recollection()
    recollection.live(from: 1, to: 1000)
    _ = recollection.pipeline.drainOutputs()
    _ = try recollection.perform(run(.seconds(120)), at: start + .seconds(1000))
    #expect(recollection.activity?.total.elapsedMilliseconds == 120_000)
    let entries = recollection.drainEntries()
    #expect(entries.count == 122)
    #expect(entries.first?.at == start + .seconds(880))
    #expect(recollection.pipeline.popState()?.isChange == true)
}

/// Ten thousand reports a second, more than any receiver sends.
@Test func aFloodOfInputsTakesNoRoom() throws {
    var recollection = recollection()
    for count in 0..<100_000 {
        let now = start + .microseconds(100 * count)
        recollection.receive(.battery(percent: count % 100), at: now)
    }
    _ = try recollection.perform(run(.seconds(120)), at: start + .seconds(10))
    #expect(recollection.drainEntries().count <= RunEngine.limit + 2)
    #expect(try #require(recollection.activity).total.elapsedMilliseconds <= 500)
}

@Test func theMachinesOwnOutlivesALateStart() throws {
    var recollection = recollection()
    recollection.live(from: 1, to: 10)
    recollection.receive(
        .recorder(RecorderStatus(state: .failed, message: "the disk is full")), at: start + .seconds(10))
    _ = try recollection.perform(run(.seconds(5)), at: start + .seconds(10))
    let state = recollection.pipeline.state(at: start + .seconds(10))
    #expect(state.recorder.state == .failed)
    #expect(state.faults.map(\.name) == [.recorderFailed])
}

/// If an outage was too long, the part after it becomes a separate activity.
@Test(arguments: [true, false])
func aPartCanBecomeAnActivityOfItsOwn(isPaused: Bool) throws {
    var recollection = recollection()
    _ = try recollection.perform(run(.zero), at: start)
    recollection.live(from: 1, to: 20)
    if isPaused { _ = try recollection.perform(.pause, at: start + .seconds(20)) }
    let interrupted = recollection.pipeline
    _ = recollection.drainEntries()
    let now = start + .seconds(2000)
    var next = RunEngine(Pipeline(settings: Settings(), isDemo: false, at: now), at: now)
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
