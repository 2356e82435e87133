import Domain
import Foundation
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// Journals of other releases, other files, and write-ahead logs.
struct DamagedFileTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    @Test(arguments: 1..<Int(JournalSchema.version))
    func journalOfAnOlderReleaseIsRecovered(version: Int) throws {
        let run = stage.recordActivity(200)
        try stage.restart()
        let database = try stage.database()
        try database.execute("CREATE TABLE reserved (activity INTEGER PRIMARY KEY) STRICT")
        if version < 15 { try database.execute(JournalFixture.withoutFields) }
        if version < 13 { try database.execute(JournalFixture.withoutTrash) }
        if version < 12 { try database.execute(JournalFixture.withoutUUIDs) }
        if version < 10 { try database.execute(JournalFixture.withoutCourses) }
        switch version {
        case 9...14: break
        case 8: try database.execute(JournalFixture.withoutEnergy)
        case 7: try database.execute(JournalFixture.withoutAscent)
        default: try database.execute(JournalFixture.withoutSensors)
        }
        if version >= 7 {
            try database.execute(
                """
                INSERT OR REPLACE INTO sensor VALUES
                (1, 1, '["heart-rate"]', 'A0:9E:1A:00:00:01', 'Polar H10', NULL, NULL, '12345', NULL, 80)
                """)
        } else {
            try database.execute(
                "INSERT INTO sensor VALUES (1, 'A0:9E:1A:00:00:01', 'Polar H10', NULL, '12345', NULL, 80)")
        }
        if version < 4 { try database.execute("ALTER TABLE activity DROP COLUMN recovered; DROP TABLE recovery") }
        if version < 3 { try database.execute("DROP TABLE setting") }
        if version < 2 { try database.execute("DROP TABLE export") }
        try database.execute("PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
        // An older journal is readable as it is.
        #expect(try stage.reader().summary(of: 1)?.recovered == nil && stage.reader().recoveryLines() == [])
        let pages = try stage.pages(of: "location")
        try stage.overwrite(page: pages[1])
        #expect(try stage.restart().damaged != nil)
        try stage.recover()
        #expect(try stage.rows(of: 1) == (0..<200).map(run.row))
        let strap = try #require(try stage.reader().recording(1)?.sensors.first)
        #expect(strap.kinds == [.heartRate] && strap.serialNumber == SanitizedText("12345"))
        #expect(strap.name == SanitizedText("Polar H10") && strap.batteryPercent == 80)
        let entries = try stage.entries(of: 1)
        #expect(entries.count < 200 && entries.count > 170)
        #expect(try stage.reader().summary(of: 1)?.recovered == RecoveryNote(lostRows: 0))
    }

    @Test func journalOfALaterReleaseIsRejected() throws {
        stage.recordActivity(20)
        try stage.restart()
        try stage.checkpoint()
        var bytes = try stage.bytes()
        bytes[63] = 99
        try Data(bytes).write(to: URL(fileURLWithPath: stage.directory.path + "/later.sqlite"))
        stage.journal.append(.recover(file: "later.sqlite"), at: stage.clock.now)
        let lines = try stage.recover()
        #expect(lines.first?.contains("cannot be recovered: a later release of paced wrote it (schema 99") == true)
        #expect(try stage.reader().recoveryLines() == ["later.sqlite cannot be recovered."])
    }

    @Test(arguments: ["CREATE TABLE photo (name TEXT); INSERT INTO photo VALUES ('a')", "text", "missing", "fifo"])
    func otherFilesAreRejected(content: String) throws {
        stage.turn()
        let path = stage.directory.path + "/other.sqlite"
        switch content {
        case "text": try Data(repeating: 0x20, count: 5000).write(to: URL(fileURLWithPath: path))
        case "missing": break
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        default: try SQLiteDatabase(path, .writing).execute(content)
        }
        stage.journal.append(.recover(file: "other.sqlite"), at: stage.clock.now)
        let lines = try stage.recover()
        let words = content == "text" ? "0 activities are copied" : "cannot be recovered"
        #expect(lines.last?.contains(words) == true)
        #expect(try stage.ids() == [])
    }

    /// SQL in a foreign file is never executed.
    @Test func schemaOfTheFileIsNotExecuted() throws {
        let run = stage.recordActivity(100)
        try stage.restart()
        let database = try stage.database()
        try database.execute(
            """
            CREATE TRIGGER nasty AFTER INSERT ON activity BEGIN DELETE FROM record; END;
            CREATE VIEW shown AS SELECT * FROM activity;
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
        try stage.overwrite(page: stage.pages(of: "heart")[0])
        #expect(try stage.restart().damaged != nil)
        try stage.recover()
        #expect(try stage.rows(of: 1) == (0..<100).map(run.row))
        #expect(
            try stage.database().integer("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')") == 0)
    }

    @Test(arguments: [true, false])
    func walWithoutItsFileIsSetAsideAndRecovered(isEmpty: Bool) throws {
        stage.begin()
        stage.record(60)
        let run = stage.run
        stage.end()
        let log = try stage.bytes("-wal")
        #expect(log.count > 10_000)
        // The writer closes the file before the test removes it.
        try stage.restart()
        for ending in JournalFixture.files { try? FileManager.default.removeItem(atPath: stage.path + ending) }
        try stage.replace("-wal", with: log)
        if isEmpty { try stage.replace(with: []) }
        let preparation = try stage.restart()
        let word = isEmpty ? "empty" : "missing"
        #expect(preparation.damaged?.reason == "its file is \(word), but its write-ahead log has \(log.count) bytes")
        let path = try #require(preparation.damaged?.path)
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))) == log)
        try stage.recover()
        #expect(try stage.ids() == [1])
        let rows = try stage.rows(of: 1)
        #expect(rows.count > 40 && rows.allSatisfy { row in (0..<60).contains { run.row($0) == row } })
    }

    @Test func ignoredCommitsOfADamagedWALAreReported() throws {
        stage.begin()
        stage.record(60)
        var log = try stage.bytes("-wal")
        let frames = (log.count - 32) / 1048
        // One bit of a frame in the middle of the log.
        log[32 + frames / 2 * 1048 + 500] ^= 4
        let file = try stage.bytes()
        for ending in JournalFixture.files { try FileManager.default.removeItem(atPath: stage.path + ending) }
        try stage.replace(with: file)
        try stage.replace("-wal", with: log)
        let ignored = try #require(try JournalStartup(in: stage.directory.path, at: SyntheticRun.began).ignored)
        #expect(ignored.hasSuffix(" commits in \(frames - frames / 2) frames"))
        // An intact log, and the uncommitted end that a kill leaves, are not reported.
        let whole = try JournalFixture()
        whole.begin()
        whole.record(60)
        let end = try whole.bytes("-wal").dropLast(300)
        let start = try whole.bytes()
        for ending in JournalFixture.files { try FileManager.default.removeItem(atPath: whole.path + ending) }
        try whole.replace(with: start)
        try whole.replace("-wal", with: Array(end))
        #expect(try JournalStartup(in: whole.directory.path, at: SyntheticRun.began).ignored == nil)
    }

    @Test func journalDamagedDuringARunKeepsItsFirstPart() throws {
        stage.begin()
        stage.record(100)
        let run = stage.run
        try stage.checkpoint()
        for page in try stage.pages(of: "location").suffix(1) { try stage.overwrite(page: page) }
        for ending in ["-shm"] { try? FileManager.default.removeItem(atPath: stage.path + ending) }
        // The writer finds it when it reopens the file.
        try FileManager.default.moveItem(atPath: stage.path, toPath: stage.path + ".away")
        stage.append()
        stage.turn(after: .seconds(2))
        stage.record(20)
        try FileManager.default.moveItem(
            atPath: stage.path + ".away", toPath: stage.directory.path + "/half.damaged.sqlite")
        stage.journal.append(.recover(file: "half.damaged.sqlite"), at: stage.clock.now)
        let lines = try stage.recover()
        #expect(lines.contains { $0.contains("activity 1 is recovered as activity") })
        let other = try #require(try stage.ids().first { $0 != 1 })
        #expect(try stage.rows(of: other).dropLast() == (0..<100).map(run.row)[...])
        #expect(try stage.reader().summary(of: 1)?.uuid == run.uuid)
        #expect(try ![nil, run.uuid].contains(stage.reader().summary(of: other)?.uuid))
        #expect(try stage.reader().summary(of: 1)?.isOpen == true)
    }
}
