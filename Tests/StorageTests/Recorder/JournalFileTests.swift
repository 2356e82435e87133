import Domain
import Foundation
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

struct JournalFileTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stage.directory.path).sorted()
    }

    @Test func journalFilesAreNotReadableByOthers() throws {
        let directory = TemporaryDirectory()
        let file = try JournalFile(in: directory.path)
        try file.database.execute("CREATE TABLE other (x); DROP TABLE other")
        for ending in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(file.path + ending, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o640, "\(ending)")
        }
    }

    @Test func modeOfAWiderJournalIsNarrowedAtTheStart() throws {
        try stage.restart()
        stage.turn()
        for ending in ["", "-wal", "-shm"] { #expect(chmod(stage.path + ending, 0o664) == 0) }
        try stage.restart()
        for ending in ["", "-wal", "-shm"] { #expect(try mode(ending) == 0o640, "\(ending)") }
        // A stricter mode set by the owner is kept.
        #expect(chmod(stage.path, 0o600) == 0)
        try stage.restart()
        #expect(try mode("") == 0o600)
    }

    private func mode(_ ending: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: stage.path + ending)[.posixPermissions] as? Int
    }

    @Test func openActivityIsFoundWithItsLastInstant() throws {
        stage.begin()
        stage.record(41)
        stage.journal.append(
            .clock(bootID: "boot", at: stage.clock.now - .seconds(3), SyntheticRun.began, .receiver),
            at: stage.clock.now)
        stage.turn()
        let open = try #require(try stage.restart().open)
        #expect(open.recording.id == 1 && open.entries == 41 && open.rows == 41 && !open.isIncomplete)
        #expect(open.last == stage.run.moment(40) && open.lastAt == 20_000 && open.parts == [stage.run.part])
        #expect(open.lastTime == UTC(milliseconds: SyntheticRun.began.milliseconds + 2500))
    }

    @Test func activityWithoutAClockIsTimedByTheFirstClockOfItsBoot() throws {
        var recording = stage.run.recording
        (recording.started, recording.isTimeUncertain) = (UTC(milliseconds: 0), true)
        stage.journal.begin(recording, stage.run.part, at: stage.clock.now)
        stage.journal.end(recording, gaps: 0, at: stage.clock.now)
        let time = UTC(milliseconds: SyntheticRun.began.milliseconds + 100_000)
        let moment = stage.run.start + .seconds(100)
        stage.journal.append(.clock(bootID: "another", at: moment, time, .receiver), at: stage.clock.now)
        stage.turn()
        #expect(try #require(try stage.reader().summary(of: 1)).started == nil)
        stage.journal.append(.clock(bootID: "boot", at: moment, time, .receiver), at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().summary(of: 1)?.started == SyntheticRun.began)
        // Later readings change nothing.
        let later = UTC(milliseconds: time.milliseconds + 5000)
        stage.journal.append(.clock(bootID: "boot", at: moment, later, .system), at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().summary(of: 1)?.started == SyntheticRun.began)
    }

    @Test func clocksOfEarlierPartsAreShiftedToContinue() throws {
        stage.begin()
        stage.record(4)
        let open = try #require(try stage.restart().open)
        // Another boot, whose clock restarts; the power was off for 10 s.
        stage.clock = ManualClock(now: Instant(milliseconds: 7000))
        let part = BootSegment(
            number: 1, bootID: "another", at: stage.clock.now, beginsAt: open.lastAt + 10_000, place: open.entries)
        stage.journal.resume(stage.run.recording, part, rows: open.rows, at: stage.clock.now)
        let outage = InputLogEntry(
            at: stage.clock.now, .outage(Outage(duration: .seconds(10), isSameBoot: false, settings: Settings())))
        stage.journal.write(outage, at: stage.clock.now)
        stage.turn()
        let entries = try stage.entries(of: 1)
        #expect(entries.last == outage && entries.count == 5)
        #expect(entries.map(\.at.milliseconds) == [-4500, -4000, -3500, -3000, 7000])
        if case .input(.fix(let fix)) = entries[0].kind { #expect(fix.arrivedAt.milliseconds == -4503) }
        let again = try #require(try stage.reader().openActivity())
        #expect(
            again.parts.count == 2 && again.last == part.at && again.lastAt == 11_500 && again.lastTime == nil)
    }

    @Test func partCanBeCutFromAnActivity() throws {
        stage.begin()
        stage.record(10)
        let part = BootSegment(number: 1, bootID: "another", at: stage.clock.now, beginsAt: 60_000, place: 10)
        stage.journal.resume(stage.run.recording, part, rows: 10, at: stage.clock.now)
        stage.record(5)
        stage.journal.append(.cut(activity: 1, entries: 10, rows: 9), at: stage.clock.now)
        stage.turn()
        #expect(try stage.entries(of: 1) == (0..<10).map(stage.run.entry))
        #expect(try stage.rows(of: 1) == (0..<9).map(stage.run.row))
        #expect(try stage.reader().parts(of: 1) == [stage.run.part])
    }

    @Test func slowQueryIsInterrupted() throws {
        stage.begin()
        stage.turn()
        let database = try stage.database()
        let isDone = try database.limited(to: .milliseconds(20)) { () throws(SQLiteError) in
            let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
            _ = try database.integer(endless)
        }
        #expect(!isDone)
        #expect(try database.limited(to: .seconds(20)) { () throws(SQLiteError) in try database.execute("SELECT 1") })
        #expect(try database.integer("SELECT count(*) FROM activity") == 1)
    }

    @Test func damagedJournalIsSetAsideAndReplaced() throws {
        stage.begin()
        stage.record(200)
        stage.end()
        try stage.restart()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: stage.path))
        for index in stride(from: 5000, to: bytes.count, by: 3) { bytes[index] ^= 0x5A }
        try bytes.write(to: URL(fileURLWithPath: stage.path))
        let preparation = try JournalStartup(in: stage.directory.path, at: SyntheticRun.began)
        let name = "journal-2026-03-01-073012.damaged.sqlite"
        #expect(preparation.damaged?.path == stage.directory.path + "/" + name)
        #expect(preparation.nextActivity == 2 && preparation.open == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: stage.directory.path + "/" + name)) == bytes)
        // With a stopped clock the next one gets the same date.
        try Data("this is no database, and was none".utf8).write(to: URL(fileURLWithPath: stage.path))
        let second = try JournalStartup(in: stage.directory.path, at: SyntheticRun.began)
        #expect(second.damaged?.path.hasSuffix("073012-2.damaged.sqlite") == true)
        #expect(try files().filter { $0.hasSuffix("damaged.sqlite") }.count == 2)
    }

    @Test func journalOfALaterReleaseIsNotChanged() throws {
        stage.begin()
        stage.record(5)
        try stage.restart()
        do {
            let database = try stage.database()
            try database.execute("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: stage.path))
        #expect(throws: JournalFailure.newer(99)) {
            try JournalStartup(in: stage.directory.path, at: SyntheticRun.began)
        }
        #expect(throws: JournalFailure.newer(99)) { try stage.reader() }
        #expect(throws: JournalFailure.newer(99)) {
            try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
        }
        stage.begin()
        stage.turn()
        #expect(stage.journal.status(at: stage.clock.now).state == .failed)
        #expect(stage.journal.status(at: stage.clock.now).message?.contains("later release") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: stage.path)) == before)
    }

    @Test func migrationKeepsTheDataAndAFailedStepChangesNothing() throws {
        stage.begin()
        stage.record(5)
        try stage.restart()
        let database = try stage.database()
        let step: JournalStep = """
            ALTER TABLE activity ADD COLUMN weather TEXT;
            UPDATE activity SET weather = 'rain';
            """
        try JournalSchema.migrate(database, steps: JournalSchema.steps + [step])
        try JournalSchema.migrate(database, steps: JournalSchema.steps + [step])
        #expect(try database.integer("PRAGMA user_version") == JournalSchema.version + 1)
        #expect(try database.text("SELECT weather FROM activity") == "rain")
        #expect(try database.integer("SELECT count(*) FROM location") == 3)
        // A step that fails midway changes nothing.
        let broken: JournalStep = "CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);"
        #expect(throws: JournalFailure.self) {
            try JournalSchema.migrate(database, steps: JournalSchema.steps + [step, broken])
        }
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        #expect(try database.integer("PRAGMA user_version") == JournalSchema.version + 1)
    }

    @Test func removedJournalIsCreatedAgainWithTheOpenActivity() throws {
        stage.begin()
        stage.record(5)
        for ending in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: stage.path + ending) }
        stage.turn(after: .seconds(1))
        stage.record(10)
        #expect(try stage.reader().summary(of: 1)?.isOpen == true)
        #expect(try stage.entries(of: 1) == (5..<15).map(stage.run.entry))
        #expect(stage.journal.status(at: stage.clock.now).state == .writing)
    }

    @Test func writingResumesWhenTheDirectoryReturns() throws {
        stage.begin()
        stage.record(5)
        let away = stage.directory.path + "-away"
        try FileManager.default.moveItem(atPath: stage.directory.path, toPath: away)
        for _ in 0..<6 {
            stage.append()
            stage.turn()
        }
        #expect(stage.journal.status(at: stage.clock.now).state == .failed)
        try FileManager.default.moveItem(atPath: away, toPath: stage.directory.path)
        for _ in 0..<4 { stage.turn() }
        #expect(stage.journal.status(at: stage.clock.now).state == .writing)
        #expect(try stage.entries(of: 1) == (0..<11).map(stage.run.entry))
    }

    @Test func readerNeedsNeitherTheDaemonNorTheWALFiles() throws {
        stage.begin()
        stage.record(5)
        // While the daemon is running.
        #expect(try stage.entries(of: 1).count == 5)
        try stage.restart()
        try stage.database().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: stage.path + ending) }
        #expect(try stage.entries(of: 1).count == 5)
        #expect(try files().filter { $0.hasSuffix("-shm") || $0.hasSuffix("-wal") } == [])
        #expect(throws: JournalFailure.missing) { try JournalReader(in: stage.directory.path + "/nowhere") }
    }

    @Test func importIsListedOnlyWhenItIsComplete() throws {
        stage.begin()
        stage.record(3)
        do {
            let broken = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
            for place in 0..<1000 { try broken.write(stage.run.row(place)) }
            #expect(try stage.reader().list(limit: 9).map(\.id) == [1])
            stage.record(3)
        }
        let whole = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
        for place in 0..<1000 { try whole.write(stage.run.row(place)) }
        stage.record(3)
        var recording = stage.run.recording(after: 1000)
        recording.uuid = .new(at: nil)
        recording.sourceTotals = SourceTotals()
        recording.sourceTotals?.creator = SanitizedText("Another watch")
        let id = try whole.finish(recording, gaps: 0)
        recording.id = id
        #expect(try stage.reader().recording(id) == recording)
        #expect(try stage.rows(of: id) == (0..<1000).map(stage.run.row))
        #expect(try stage.entries(of: 1).count == 9 && stage.entries(of: id) == [])
        #expect(try stage.database().integer("SELECT count(*) FROM record") == 1009)
    }

    /// As on a disk that became read-only while the journal was written, and that has lost the index of the log.
    @Test func walWithoutItsIndexIsReadOnAReadOnlyDisk() throws {
        stage.begin()
        stage.record(20)
        let other = TemporaryDirectory()
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: stage.path + ending, toPath: other.path + "/journal.sqlite" + ending)
        }
        let database = try SQLiteDatabase(other.path + "/journal.sqlite", .unshared)
        #expect(try database.integer("SELECT count(*) FROM record") == 20)
        #expect(!FileManager.default.fileExists(atPath: other.path + "/journal.sqlite-shm"))
        let log = try Data(contentsOf: URL(fileURLWithPath: other.path + "/journal.sqlite-wal"))
        #expect(try log == Data(contentsOf: URL(fileURLWithPath: stage.path + "-wal")))
    }

    @Test func activityResumedInANewJournalIsListed() throws {
        stage.begin()
        stage.record(10)
        try stage.restart()
        try FileManager.default.removeItem(atPath: stage.path)
        let part = BootSegment(number: 1, bootID: "boot", at: stage.clock.now, beginsAt: 60_000, place: 10)
        stage.journal.resume(stage.run.recording, part, rows: 10, at: stage.clock.now)
        stage.record(5)
        stage.end()
        let summary = try #require(try stage.reader().summary(of: 1))
        #expect(!summary.isOpen && summary.total.elapsedMilliseconds > 0)
        #expect(try stage.rows(of: 1).count == 5)
    }
}
