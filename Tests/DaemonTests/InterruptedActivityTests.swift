import Daemon
import Domain
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// An interrupted run, and the next start's decision about it.
@Suite struct InterruptedActivityTests {
    private let directory: TemporaryDirectory
    private let now = Instant(milliseconds: 5_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    private func begin(
        at now: Instant, resumeMinutes: Int = 15, time: UTC? = nil, isDemo: Bool = false
    ) throws -> DaemonFixture {
        try DaemonFixture(in: directory.path, at: now, resumeMinutes: resumeMinutes, time: time, isDemo: isDemo)
    }

    /// A run of this length, whose daemon is killed.
    private func interruptedRun(seconds: Int = 20, isPaused: Bool = false) throws {
        var stage = try begin(at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(seconds, from: now)
        if isPaused { try stage.perform(.pause, at: now + .seconds(seconds)) }
        #expect(stage.begun.recorder.journal.close())
    }

    /// Makes the journal's last boot another one.
    private func reboot() throws {
        let database = try SQLiteDatabase(JournalFile.path(in: directory.path), .writing)
        try database.execute("UPDATE part SET boot_id = 'before'; UPDATE clock SET boot_id = 'before'")
    }

    private func summaries() throws -> [ActivitySummary] {
        try JournalReader(in: directory.path).list(limit: 10)
    }

    @Test func interruptedRunResumesFromItsLastInstant() throws {
        try interruptedRun()
        var stage = try begin(at: now + .seconds(79))
        stage.say(at: now + .seconds(79))
        #expect(stage.state.run == .active)
        #expect(stage.state.activity?.id == 1)
        #expect(stage.state.activity?.sport == .ride)
        let elapsed = try #require(stage.state.activity?.total.elapsedMilliseconds)
        #expect((19_000...19_300).contains(elapsed))
        let gap = stage.events.map(\.kind).first { if case .gap(.restart, _, _, _) = $0 { true } else { false } }
        guard case .gap(_, let seconds, _, counted: false)? = gap else { throw Unexpected() }
        #expect((59...61).contains(seconds))
        #expect(stage.events.map(\.kind).contains(.start(.ride, resumed: true)))
        stage.ride(10, from: now + .seconds(79))
        try stage.perform(.stop, at: now + .seconds(89))
        #expect(stage.begun.recorder.journal.close())
        let summary = try #require(try summaries().first)
        #expect(!summary.isOpen)
        #expect((29_000...29_300).contains(summary.total.elapsedMilliseconds))
        #expect(summary.totalMilliseconds == 89_000)
        #expect(summary.gaps == 1)
        let reader = try JournalReader(in: directory.path)
        var timer: [RecordingRow] = []
        var elapsedOfSamples: [Int64] = []
        try reader.rows(of: 1).each { row in
            switch row {
            case .begin, .end: timer.append(row)
            case .sample(let sample): elapsedOfSamples.append(sample.elapsedMilliseconds)
            default: break
            }
        }
        #expect(elapsedOfSamples == (1...Int64(elapsedOfSamples.count)).map { $0 * 1000 })
        #expect(elapsedOfSamples.count == 29)
        #expect(timer.count == 4)
        #expect(timer.first == .begin(at: 0, .command))
        #expect(timer.last == .end(at: 89_000, .command))
    }

    @Test func pausedRunStaysPaused() throws {
        try interruptedRun(isPaused: true)
        let stage = try begin(at: now + .seconds(60))
        #expect(stage.state.run == .paused)
        #expect(stage.state.activity?.total.elapsedMilliseconds == 20_000)
    }

    @Test func runBeyondTheResumeLimitIsClosed() throws {
        try interruptedRun()
        let stage = try begin(at: now + .seconds(20 + 61), resumeMinutes: 1)
        #expect(stage.state.run == .idle)
        #expect(stage.begun.recorder.journal.close())
        let summary = try #require(try summaries().first)
        #expect(!summary.isOpen)
        #expect((19_000...19_300).contains(summary.total.elapsedMilliseconds))
        #expect(summary.totalMilliseconds < 20_000)
    }

    @Test func timeOfDayDecidesTheAgeAfterAReboot() throws {
        try interruptedRun()
        try reboot()
        let last = UTC(milliseconds: now.milliseconds + DaemonFixture.offset + 20_000)
        let young = try begin(at: Instant(milliseconds: 9000), time: UTC(milliseconds: last.milliseconds + 100_000))
        #expect(young.state.run == .active)
        #expect(young.begun.provisional == nil)
        #expect(young.begun.recorder.journal.close())
    }

    @Test func runOfYesterdayIsClosedAfterAReboot() throws {
        try interruptedRun()
        try reboot()
        let time = UTC(milliseconds: now.milliseconds + DaemonFixture.offset + 86_400_000)
        let stage = try begin(at: Instant(milliseconds: 9000), time: time)
        #expect(stage.state.run == .idle)
        #expect(stage.begun.recorder.journal.close())
        #expect(try summaries().map(\.isOpen) == [false])
    }

    @Test func runWithoutAClockStaysOneIfItIsRecent() throws {
        try interruptedRun()
        try reboot()
        let stage = try rideWithoutClock()
        let time = UTC(milliseconds: now.milliseconds + DaemonFixture.offset + 60_000)
        let provisional = try #require(stage.begun.provisional)
        #expect(
            provisional.split(
                at: Instant(milliseconds: 39_000), time: time, stage.begun.recorder, &stage.begun.engine,
                into: &stage.begun.effects) == nil)
        #expect(stage.state.activity?.id == 1)
    }

    @Test func runWithoutAClockBecomesTwoIfItIsOld() throws {
        try interruptedRun()
        try reboot()
        var stage = try rideWithoutClock()
        let provisional = try #require(stage.begun.provisional)
        let time = UTC(milliseconds: now.milliseconds + DaemonFixture.offset + 86_400_000)
        let later = Instant(milliseconds: 39_000)
        let said = try #require(
            provisional.split(
                at: later, time: time, stage.begun.recorder, &stage.begun.engine, into: &stage.begun.effects))
        let kinds = said.compactMap { if case .event(let event) = $0 { event } else { nil } }
        #expect(kinds.map(\.activity) == [1, 2])
        #expect(stage.state.activity?.id == 2)
        #expect(stage.state.run == .active)
        #expect(stage.state.activity?.sport == .ride)
        // It started with the daemon, 30 s before.
        #expect(stage.state.activity?.total.elapsedMilliseconds == 30_000)
        stage.begun.provisional = nil
        stage.ride(5, from: later)
        try stage.perform(.stop, at: later + .seconds(5))
        #expect(stage.begun.recorder.journal.close())
        // The fixture's clock of the second boot is behind that of the first.
        let summaries = try summaries().sorted { $0.id > $1.id }
        #expect(summaries.map(\.id) == [2, 1])
        #expect(summaries.allSatisfy { !$0.isOpen })
        #expect(summaries[0].total.elapsedMilliseconds == 35_000)
        #expect((19_000...19_300).contains(summaries[1].total.elapsedMilliseconds))
        let reader = try JournalReader(in: directory.path)
        for summary in summaries {
            var elapsed: [Int64] = []
            try reader.rows(of: summary.id).each {
                if case .sample(let sample) = $0 { elapsed.append(sample.elapsedMilliseconds) }
            }
            #expect(elapsed == (1...Int64(elapsed.count)).map { $0 * 1000 })
            #expect(Int64(elapsed.count) == summary.total.elapsedMilliseconds / 1000)
            var replay: Replay?
            try reader.entries(of: summary.id) { entry in
                if case .snapshot(let snapshot) = entry.kind {
                    replay = Replay(snapshot)
                } else {
                    replay?.apply(entry)
                }
            }
            #expect(replay != nil)
        }
    }

    /// The board has rebooted, and the time of day is unknown for 30 s.
    private func rideWithoutClock() throws -> DaemonFixture {
        let boot = Instant(milliseconds: 9000)
        var stage = try begin(at: boot)
        stage.say(at: boot)
        stage.ride(30, from: boot, knowsTime: false)
        #expect(stage.state.activity?.id == 1)
        let elapsed = try #require(stage.state.activity?.total.elapsedMilliseconds)
        #expect((48_000...50_000).contains(elapsed))
        return stage
    }

    /// A kill between an automatic stop and its row in the journal: the next start ends the run at the same moment.
    @Test(arguments: [10, 500, 3000])
    func autoStoppedRunIsClosedAtItsLastBeat(outage: Int) throws {
        var stage = try begin(at: now)
        var settings = Settings()
        settings.autoStopMinutes = 1
        stage.begun.step(.setting(.autoStopMinutes, settings), at: now)
        try stage.perform(.start(.ride, indoor: true), at: now)
        stage.ride(20, from: now)
        // A clock step each second is stored as an entry, but is not activity.
        for second in 20..<78 {
            let now = now + .seconds(second)
            let time = UTC(milliseconds: now.milliseconds + DaemonFixture.offset + Int64(second) * 1000)
            stage.begun.step(.systemClock(time, isSynchronised: true), at: now)
            stage.say(at: now)
        }
        #expect(stage.state.run == .active)
        let journal = stage.begun.recorder.journal
        journal.append(.clock(bootID: Clock.bootID(), at: now + .seconds(80), UTC(milliseconds: 0), .system), at: now)
        #expect(journal.close())
        let next = try begin(at: now + .seconds(80 + outage))
        #expect(next.state.run == .idle)
        #expect(next.begun.recorder.journal.close())
        let summary = try #require(try summaries().first)
        #expect(!summary.isOpen)
        #expect(summary.total.elapsedMilliseconds == 19_200)
        #expect(summary.totalMilliseconds == 19_250)
        let reader = try JournalReader(in: directory.path)
        var rows: [RecordingRow] = []
        try reader.rows(of: 1).each { rows.append($0) }
        #expect(rows.last == .end(at: 19_250, .auto))
        #expect(rows.count { if case .sample = $0 { true } else { false } } == 19)
        #expect(rows.count { if case .end = $0 { true } else { false } } == 1)
        var last: InputLogEntry.Kind?
        try reader.entries(of: 1) { last = $0.kind }
        #expect(last == .ended(.forgotten))
    }

    @Test func demoDoesNotResumeARun() throws {
        try interruptedRun()
        let stage = try begin(at: now + .seconds(30), isDemo: true)
        #expect(stage.state.run == .idle)
        #expect(stage.begun.recorder.journal.close())
        #expect(try summaries().map(\.isOpen) == [false])
    }

    private struct Unexpected: Error {}
}
