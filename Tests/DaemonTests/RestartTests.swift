import Daemon
import Domain
import Glibc
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// A daemon that ends and starts again on the same boot within 10 s: the run was never paused.
@Suite struct RestartTests {
    private let directory: TemporaryDirectory
    private let start = Instant(milliseconds: 5_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    private func begin(at now: Instant) throws -> DaemonFixture {
        try DaemonFixture(in: directory.path, at: now, time: DaemonFixture.time(at: now))
    }

    /// A daemon that has recorded an indoor ride with a beat each second.
    private func ride(seconds: Int = 20) throws -> DaemonFixture {
        var stage = try begin(at: start)
        try stage.perform(.start(.ride, indoor: true), at: start)
        stage.ride(seconds, from: start)
        return stage
    }

    private func reader() throws -> JournalReader { try JournalReader(in: directory.path) }

    private func journal() throws -> SQLiteDatabase {
        try SQLiteDatabase(JournalFile.path(in: directory.path), .writing)
    }

    /// The timer's rows, without samples.
    private func timer() throws -> [RecordingRow] {
        var rows: [RecordingRow] = []
        try reader().rows(of: 1).each { row in
            switch row {
            case .begin, .end: rows.append(row)
            default: break
            }
        }
        return rows
    }

    private func outages() throws -> [Outage] {
        var outages: [Outage] = []
        try reader().entries(of: 1) { if case .outage(let outage) = $0.kind { outages.append(outage) } }
        return outages
    }

    /// Expects that a replay of the stored entries gives the stored summary and rows, to the bit.
    private func expectReplayEqualsJournal() throws {
        let summary = try #require(try reader().list(limit: 10).first)
        var stored: [RecordingRow] = []
        try reader().rows(of: 1).each { stored.append($0) }
        var replay: Replay?
        var recordingBuilder = RecordingBuilder()
        var rows: [RecordingRow] = []
        var stopped: ActivitySummary?
        try reader().entries(of: 1) { entry in
            if case .snapshot(let snapshot) = entry.kind {
                replay = Replay(snapshot)
            } else {
                replay?.apply(entry) { _, effects in
                    recordingBuilder.ingest(effects.outputs, seconds: effects.seconds, zones: nil)
                    rows += recordingBuilder.drainRows()
                    for case .event(let event) in effects.outputs {
                        if case .stop(let summary) = event.kind { stopped = summary }
                    }
                }
            }
        }
        let again = try #require(stopped)
        #expect(again.total == summary.total)
        #expect(again.totalMilliseconds == summary.totalMilliseconds)
        #expect(again.gaps == summary.gaps)
        #expect(rows == stored)
    }

    @Test(arguments: [0, 40, 480, 9000])
    func restartWithinTenSecondsDoesNotPauseTheRun(gone: Int) throws {
        var stage = try ride()
        let stop = start + .microseconds(20_633_700)
        try stage.end(at: stop)
        let now = stop + .milliseconds(gone)
        var next = try begin(at: now)
        next.say(at: now)
        #expect(next.state.run == .active)
        #expect(next.state.activity?.total.elapsedMilliseconds == (now - start).wholeMilliseconds / 100 * 100)
        let gaps = next.events.map(\.kind).filter { if case .gap = $0 { true } else { false } }
        #expect(gaps == [.gap(.restart, seconds: Double(gone) / 1000, metres: nil, counted: true)])
        next.ride(10, from: now)
        let end = now + .milliseconds(10_250)
        try next.perform(.stop, at: end)
        try next.end(at: nil)
        let total = (end - start).wholeMilliseconds
        #expect(try timer() == [.begin(at: 0, .command), .end(at: total, .command)])
        #expect(try outages().map(\.rule) == [.continued])
        let summary = try #require(try reader().list(limit: 10).first)
        #expect(summary.total.elapsedMilliseconds == total / 100 * 100)
        #expect(summary.totalMilliseconds == total)
        #expect(summary.gaps == 1)
        try expectReplayEqualsJournal()
    }

    @Test func killedDaemonResumesWithoutLosingTime() throws {
        var stage = try ride()
        try stage.end(at: nil)
        // The last second did not reach the disk.
        let database = try journal()
        try database.execute("DELETE FROM heart WHERE at_ns > \((start + .milliseconds(18_500)).nanoseconds)")
        try database.execute("DELETE FROM input WHERE at_ns > \((start + .milliseconds(18_500)).nanoseconds)")
        try database.execute("DELETE FROM record WHERE at_ms > 18500")
        let now = start + .milliseconds(20_900)
        var next = try begin(at: now)
        next.say(at: now)
        #expect(next.state.activity?.total.elapsedMilliseconds == 20_900)
        try next.perform(.stop, at: now + .seconds(5))
        try next.end(at: nil)
        #expect(try timer().count == 2)
        try expectReplayEqualsJournal()
    }

    @Test func longerOutagePausesTheRun() throws {
        var stage = try ride()
        let stop = start + .milliseconds(20_633)
        try stage.end(at: stop)
        let now = stop + .milliseconds(10_001)
        var next = try begin(at: now)
        next.say(at: now)
        // It continues from the stop, not from the last beat.
        #expect(next.state.activity?.total.elapsedMilliseconds == 20_600)
        try next.perform(.stop, at: now + .seconds(5))
        try next.end(at: nil)
        #expect(try timer().count == 4)
        #expect(try outages().map(\.rule) == [.paused])
        try expectReplayEqualsJournal()
    }

    @Test func pausedRunStaysPaused() throws {
        var stage = try ride()
        try stage.perform(.pause, at: start + .seconds(20))
        try stage.end(at: start + .seconds(22))
        var next = try begin(at: start + .seconds(23))
        next.say(at: start + .seconds(23))
        #expect(next.state.run == .paused)
        #expect(next.state.activity?.total.elapsedMilliseconds == 20_000)
        #expect(
            next.events.map(\.kind).contains(.gap(.restart, seconds: 1, metres: nil, counted: false)))
        try next.perform(.resume, at: start + .seconds(30))
        try next.perform(.stop, at: start + .seconds(35))
        try next.end(at: nil)
        #expect(try reader().list(limit: 1).first?.total.elapsedMilliseconds == 25_000)
        try expectReplayEqualsJournal()
    }

    @Test func journalWithLostRowsPausesTheRun() throws {
        var stage = try ride()
        try stage.end(at: start + .seconds(20))
        try journal().execute("INSERT INTO loss VALUES (NULL, 1, 5003000000000, 5004000000000, 7)")
        var next = try begin(at: start + .seconds(21))
        next.say(at: start + .seconds(21))
        #expect(next.state.activity?.total.elapsedMilliseconds == 20_000)
        try next.end(at: nil)
        #expect(try outages().map(\.rule) == [.paused])
    }

    /// Only entries and rows of the run prove that it was active.
    @Test func clockReadingDoesNotShortenTheOutage() throws {
        var stage = try ride()
        let journal = stage.begun.recorder.journal
        let note = start + .seconds(29)
        journal.append(.clock(bootID: Clock.bootID(), at: note, DaemonFixture.time(at: note), .system), at: note)
        try stage.end(at: nil)
        var next = try begin(at: start + .seconds(32))
        #expect(next.state.run == .active)
        try next.end(at: start + .seconds(33))
        #expect(try outages().map(\.rule) == [.paused])
    }

    @Test func clockReadingAfterTheLastBeatKeepsTheRunActive() throws {
        var stage = try ride()
        let journal = stage.begun.recorder.journal
        let note = start + .milliseconds(19_900)
        journal.append(.clock(bootID: Clock.bootID(), at: note, DaemonFixture.time(at: note), .system), at: note)
        try stage.end(at: nil)
        var next = try begin(at: start + .seconds(22))
        next.say(at: start + .seconds(22))
        #expect(next.state.activity?.total.elapsedMilliseconds == 22_000)
        try next.perform(.stop, at: start + .seconds(25))
        try next.end(at: nil)
        try expectReplayEqualsJournal()
    }

    /// The boot segment is on the disk but its outage is not: the next start has one outage since the last entry.
    @Test(arguments: [6, 300])
    func killDuringAResumeLosesNothing(seconds: Int) throws {
        var stage = try ride()
        try stage.end(at: start + .seconds(20))
        let killed = try begin(at: start + .seconds(20 + seconds - 1))
        #expect(killed.begun.recorder.journal.close())
        #expect(try outages().isEmpty)
        let now = start + .seconds(20 + seconds)
        var next = try begin(at: now)
        next.say(at: now)
        let isCounted = seconds <= 10
        #expect(next.state.activity?.total.elapsedMilliseconds == (isCounted ? 20_000 + Int64(seconds) * 1000 : 20_000))
        try next.perform(.stop, at: now + .seconds(4))
        try next.end(at: nil)
        #expect(try outages().map(\.duration) == [.seconds(seconds)])
        #expect(try reader().parts(of: 1).count == 2)
        try expectReplayEqualsJournal()
    }

    /// A daemon that is killed while it resumes the run after a reboot, then starts without a kill.
    @Test func killDuringAResumeAfterARebootLosesNothing() throws {
        var stage = try ride()
        try stage.end(at: start + .seconds(20))
        try journal().execute("UPDATE part SET boot_id = 'before'; UPDATE clock SET boot_id = 'before'")
        let boot = Instant(milliseconds: 9000)
        let time = DaemonFixture.time(at: start + .seconds(60))
        let killed = try DaemonFixture(in: directory.path, at: boot, time: time)
        #expect(killed.begun.recorder.journal.close())
        var next = try DaemonFixture(
            in: directory.path, at: boot + .seconds(1), time: UTC(milliseconds: time.milliseconds + 1000))
        next.say(at: boot + .seconds(1))
        #expect(next.state.activity?.total.elapsedMilliseconds == 20_000)
        try next.perform(.stop, at: boot + .seconds(5))
        try next.end(at: nil)
        #expect(try reader().list(limit: 1).first?.total.elapsedMilliseconds == 24_000)
        #expect(try timer().count == 4)
        try expectReplayEqualsJournal()
    }

    /// No motion, and the missed ticks reach the auto-stop time.
    @Test func autoStopDuringARestartClosesTheRunAtItsLastBeat() throws {
        var stage = try begin(at: start)
        var settings = Settings()
        settings.autoStopMinutes = 1
        stage.begun.step(.setting(.autoStopMinutes, settings), at: start)
        try stage.perform(.start(.ride, indoor: true), at: start)
        stage.ride(20, from: start)
        for second in 20..<77 {
            stage.begun.engine.step(.time, at: start + .seconds(second), into: &stage.begun.effects)
            stage.say(at: start + .seconds(second))
        }
        try stage.end(at: start + .seconds(77))
        var next = try begin(at: start + .seconds(82))
        next.say(at: start + .seconds(82))
        #expect(next.state.run == .idle)
        try next.end(at: start + .seconds(83))
        let summary = try #require(try reader().list(limit: 1).first)
        #expect(!summary.isOpen)
        #expect(summary.total.elapsedMilliseconds == 19_200)
        #expect(try timer() == [.begin(at: 0, .command), .end(at: 19_250, .auto)])
        let third = try begin(at: start + .seconds(84))
        #expect(third.state.run == .idle)
        #expect(third.begun.recorder.journal.close())
    }

    // MARK: Distance

    /// A kilometre at 10 m/s on a circle, as a noisy receiver with this rate reports it.
    private func fixes(perSecond rate: Int) -> [Fix] {
        var random = SeededRandom(seed: UInt64(rate))
        return (0...rate * 110).map { index in
            let seconds = Double(index) / Double(rate)
            let angle = min(max(seconds - 5, 0), 100) * 10 / 150
            let noise = [0, 1].map { _ in (random.uniform() - 0.5) * 0.6 }
            let arrival = start + .milliseconds(Int64(seconds * 1000) + 120)
            return Fix(
                arrivedAt: arrival,
                time: UTC(milliseconds: DaemonFixture.time(at: start).milliseconds + Int64(seconds * 1000)), mode: 3,
                latitude: 52.5 + (150 * sin(angle) + noise[0]) / 111_268,
                longitude: 13.4 + (150 * (1 - cos(angle)) + noise[1]) / 67_900, accuracy: 4,
                speed: seconds > 5 && seconds <= 105 ? 10 : 0)
        }
    }

    private typealias Restart = (at: Duration, gone: Duration, isKill: Bool)

    /// Metres of a ride whose daemon ends and starts at these moments; fixes that arrive meanwhile are lost.
    private func metres(of fixes: [Fix], _ restarts: [Restart] = []) throws -> Double {
        var rest = restarts[...]
        var stage = try begin(at: start)
        try stage.perform(.start(.ride, indoor: false), at: start)
        for fix in fixes {
            while let restart = rest.first, start + restart.at <= fix.arrivedAt {
                rest.removeFirst()
                try stage.end(at: restart.isKill ? nil : start + restart.at)
                let now = start + restart.at + restart.gone
                stage = try begin(at: now)
                stage.say(at: now)
                let elapsed = stage.state.activity?.total.elapsedMilliseconds
                #expect(elapsed == (now - start).wholeMilliseconds / 100 * 100)
            }
            let isLost = restarts.contains { (start + $0.at...start + $0.at + $0.gone).contains(fix.arrivedAt) }
            if !isLost { stage.receive(.fix(fix), at: fix.arrivedAt) }
        }
        try stage.perform(.stop, at: start + .seconds(111))
        try stage.end(at: nil)
        let summary = try #require(try reader().list(limit: 1).first)
        #expect(summary.total.elapsedMilliseconds == 111_000)
        #expect(summary.gaps == restarts.count)
        #expect(try timer().count == 2)
        try expectReplayEqualsJournal()
        return summary.total.distanceMetres
    }

    @Test(arguments: [1, 10], [false, true])
    func twentyRestartsInAKilometreLoseUnderHalfAPercent(rate: Int, areKills: Bool) throws {
        let fixes = fixes(perSecond: rate)
        let expected = try RestartTests().metres(of: fixes)
        #expect(abs(expected - 1000) < 25)
        var random = SeededRandom(seed: 7)
        let restarts = (0..<20).map { index in
            let at = 6_000_000 + index * 4_900_000 + Int.random(in: 0...4_000_000, using: &random)
            return (
                at: Duration.microseconds(at),
                gone: Duration.microseconds(Int.random(in: 18_000...500_000, using: &random)), isKill: areKills
            )
        }
        let metres = try metres(of: fixes, restarts)
        #expect(abs(metres - expected) / expected < 0.005, "\(metres) m of \(expected)")
    }

    /// The next daemon is ended within milliseconds, repeatedly.
    @Test func restartsInTheFirstSecondLoseUnderHalfAPercent() throws {
        let fixes = fixes(perSecond: 1)
        let expected = try RestartTests().metres(of: fixes)
        let restarts = (0..<12).map { index in
            (at: Duration.milliseconds(50_000 + index * 61), gone: Duration.milliseconds(40), isKill: index % 3 == 2)
        }
        let metres = try metres(of: fixes, restarts)
        #expect(abs(metres - expected) / expected < 0.005, "\(metres) m of \(expected)")
    }
}
