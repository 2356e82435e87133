import Daemon
import Domain
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// A run that was closed on low battery, and its resume.
@Suite struct SuspendedActivityTests {
    private static let offset: Int64 = 1_790_000_000_000
    private let directory: TemporaryDirectory
    private let now = Instant(milliseconds: 5_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    private func begin(at now: Instant, resumeMinutes: Int = 15, time: UTC? = nil) throws -> DaemonFixture {
        try DaemonFixture(in: directory.path, at: now, resumeMinutes: resumeMinutes, time: time)
    }

    private func reader() throws -> JournalReader { try JournalReader(in: directory.path) }

    private func reboot() throws {
        let database = try SQLiteDatabase(JournalFile.path(in: directory.path), .writing)
        try database.execute("UPDATE part SET boot_id = 'before'; UPDATE clock SET boot_id = 'before'")
    }

    /// A ride of 20 s that was closed on low battery.
    private func closedRide() throws {
        var stage = try begin(at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(20, from: now)
        _ = try stage.close(at: now + .seconds(20))
        // The daemon continues and records the time of day.
        stage.ride(40, from: now + .seconds(20))
        #expect(stage.begun.recorder.journal.close())
    }

    /// Expects samples for each second of active time, the timer's starts and stops, and the same rows from a replay.
    private func expectWhole(_ seconds: Int, elapsed: ClosedRange<Int64>, total: Int64, parts: Int) throws {
        let summary = try #require(try reader().list(limit: 10).first)
        #expect(try reader().list(limit: 10).count == 1)
        #expect(!summary.isOpen)
        #expect(elapsed.contains(summary.total.elapsedMilliseconds))
        #expect(summary.totalMilliseconds == total)
        #expect(summary.gaps == 1)
        #expect(try reader().parts(of: 1).count == parts)
        var samples: [Int64] = []
        var timer: [RecordingRow] = []
        try reader().rows(of: 1).each { row in
            switch row {
            case .sample(let sample): samples.append(sample.elapsedMilliseconds)
            case .begin, .end: timer.append(row)
            default: break
            }
        }
        #expect(samples == (1...Int64(seconds)).map { $0 * 1000 })
        #expect(timer.count == 4)
        guard case .end(_, .outage) = timer[1], case .begin(_, .outage) = timer[2] else { throw Unexpected() }
        var replay: Replay?
        var end: Event.Kind?
        try reader().entries(of: 1) { entry in
            if case .snapshot(let snapshot) = entry.kind {
                replay = Replay(snapshot)
            } else {
                replay?.apply(entry) { _, effects in
                    for case .event(let event) in effects.outputs { end = event.kind }
                }
            }
        }
        guard case .stop(let again)? = end else { throw Unexpected() }
        #expect(again.total == summary.total)
        #expect(again.totalMilliseconds == summary.totalMilliseconds)
    }

    @Test func closedRideIsAnEndedActivity() throws {
        try closedRide()
        let summary = try #require(try reader().list(limit: 10).first)
        #expect(!summary.isOpen)
        #expect(summary.total.elapsedMilliseconds == 20_000)
        #expect(summary.totalMilliseconds == 20_000)
    }

    /// The activity had ended: the time until its resume is a pause, however short.
    @Test(arguments: [5, 30])
    func closedRideResumesInTheSameDaemon(after seconds: Int) throws {
        var stage = try begin(at: now)
        stage.begun.step(.gpsdLink(LinkStatus(.connected)), at: now)
        stage.begun.step(.raise(.exportFailed, message: "the disk is full"), at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(20, from: now)
        let closed = try stage.close(at: now + .seconds(20))
        #expect(stage.state.run == .idle)
        let again = now + .seconds(20 + seconds)
        stage.ride(seconds, from: now + .seconds(20))
        stage.goOn(closed, at: again)
        #expect(stage.state.run == .active)
        #expect(stage.state.activity?.id == 1)
        #expect(stage.state.activity?.total.elapsedMilliseconds == 20_000)
        #expect(stage.state.gpsd.state == .connected)
        #expect(stage.state.faults.map(\.message) == ["the disk is full"])
        #expect(stage.events.contains { $0.kind == .start(.ride, resumed: true) })
        stage.ride(10, from: again)
        try stage.perform(.stop, at: again + .seconds(10))
        #expect(stage.begun.recorder.journal.close())
        try expectWhole(30, elapsed: 30_000...30_000, total: Int64(30 + seconds) * 1000, parts: 2)
    }

    @Test(arguments: [false, true])
    func closedRideResumesAfterARestart(isOtherBoot: Bool) throws {
        try closedRide()
        if isOtherBoot { try reboot() }
        let start = isOtherBoot ? Instant(milliseconds: 9000) : now + .seconds(80)
        var stage = try begin(at: start, time: DaemonFixture.time(at: now + .seconds(80)))
        let closed = try #require(stage.begun.suspended)
        #expect(closed.last == start - .seconds(60))
        #expect(stage.state.run == .idle)
        stage.goOn(closed, at: start + .seconds(10))
        #expect(stage.state.activity?.total.elapsedMilliseconds == 20_000)
        stage.ride(10, from: start + .seconds(10), knowsTime: !isOtherBoot)
        try stage.perform(.stop, at: start + .seconds(20))
        #expect(stage.begun.recorder.journal.close())
        try expectWhole(30, elapsed: 30_000...30_000, total: 100_000, parts: 2)
    }

    @Test func pausedActivityStaysPaused() throws {
        var stage = try begin(at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(20, from: now)
        try stage.perform(.pause, at: now + .seconds(20))
        let closed = try stage.close(at: now + .seconds(30))
        stage.goOn(closed, at: now + .seconds(40))
        #expect(stage.state.run == .paused)
        #expect(stage.begun.recorder.journal.close())
    }

    @Test func activityBeyondTheResumeLimitStaysClosed() throws {
        try closedRide()
        let stage = try begin(at: now + .seconds(20 + 61), resumeMinutes: 1)
        #expect(stage.begun.suspended == nil)
        #expect(stage.begun.recorder.journal.close())
    }

    @Test func stoppedRunIsNotResumed() throws {
        var stage = try begin(at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(20, from: now)
        try stage.perform(.stop, at: now + .seconds(20))
        #expect(stage.begun.recorder.journal.close())
        let next = try begin(at: now + .seconds(30))
        #expect(next.begun.suspended == nil)
        #expect(next.begun.recorder.journal.close())
    }

    @Test func closedRideResumesWithoutATimeOfDay() throws {
        try closedRide()
        try reboot()
        let boot = Instant(milliseconds: 9000)
        let stage = try begin(at: boot)
        let closed = try #require(stage.begun.suspended)
        #expect(closed.last == boot - .seconds(1))
        #expect(closed.provisionalResume(at: boot) != nil)
        #expect(stage.begun.recorder.journal.close())
    }
}

private struct Unexpected: Error {}

extension DaemonFixture {
    fileprivate mutating func close(at now: Instant) throws -> SuspendedActivity {
        begun.engine.step(.time, at: now, into: &begun.effects)
        say(at: now)
        guard let open = begun.recorder.journal.open,
            let pipeline = begun.engine.suspend(at: now, into: &begun.effects)
        else { throw Unexpected() }
        let closed = SuspendedActivity(pipeline, open, begun.recorder, at: now)
        say(at: now)
        return closed
    }

    fileprivate mutating func goOn(_ closed: SuspendedActivity, at now: Instant) {
        begun.engine.step(.time, at: now, into: &begun.effects)
        say(at: now)
        closed.resume(begun.recorder, &begun.engine, at: now, into: &begun.effects)
        say(at: now)
    }
}
