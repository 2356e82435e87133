import Domain
import Formats
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// The trash of the journal.
struct TrashTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        for _ in 0..<3 { stage.recordActivity(20) }
    }

    private static let day: Int64 = 86_400_000

    private func write(_ change: JournalChange) {
        stage.journal.append(change, at: stage.clock.now)
        // Some turns erase rows.
        for _ in 0..<10 { stage.turn() }
    }

    private func put(_ activity: Int, at time: UTC? = SyntheticRun.began) {
        write(.trash(.put(.activity, activity, at: time)))
    }

    private func note(_ days: Int64, _ source: ClockSource = .system) {
        let time = UTC(milliseconds: SyntheticRun.began.milliseconds + days * Self.day)
        write(.clock(bootID: "boot", at: stage.clock.now, time, source))
    }

    private func ids(in place: RecordPlace = .lists) throws -> [Int] {
        try stage.reader().list(limit: 10, in: place).map(\.id)
    }

    @Test func whatIsInTheTrashIsInNoList() throws {
        stage.journal.append(.export(activity: 2, .fit), at: stage.clock.now)
        put(2)
        let reader = try stage.reader()
        #expect(try ids() == [3, 1] && ids(in: .trash) == [2])
        #expect(try reader.totals().map(\.id) == [3, 1])
        #expect(try reader.summary(of: 2) == nil && reader.recording(2) == nil)
        #expect(try reader.summary(of: 2, in: .trash)?.trashed?.at == SyntheticRun.began)
        #expect(try reader.orders(bootID: "").isEmpty)
    }

    @Test func restoredActivityIsAsItWas() throws {
        let (rows, summary) = (try stage.rows(of: 2), try stage.reader().summary(of: 2))
        put(2)
        write(.trash(.restore(.activity, 2)))
        #expect(try ids() == [3, 2, 1] && ids(in: .trash).isEmpty)
        #expect(try stage.rows(of: 2) == rows && stage.reader().summary(of: 2) == summary)
    }

    @Test func openActivityDoesNotGetThere() throws {
        stage.begin()
        stage.record(2)
        put(4)
        #expect(try ids(in: .trash).isEmpty)
    }

    @Test func trashIsErasedAfter30DaysOfASetClock() throws {
        put(2)
        note(29)
        note(31, .rtc)
        #expect(try ids(in: .trash) == [2])
        note(30)
        #expect(try ids(in: .trash).isEmpty && ids() == [3, 1])
        #expect(try stage.database().integer("SELECT count(*) FROM record WHERE key >> 32 = 2") == 0)
    }

    @Test func timeWithoutAClockBeginsWithTheFirstClock() throws {
        put(2, at: nil)
        #expect(try stage.reader().summary(of: 2, in: .trash)?.trashed == TrashMark(at: nil))
        note(100)
        #expect(try stage.reader().summary(of: 2, in: .trash)?.trashed?.at != nil)
        note(129)
        #expect(try ids(in: .trash) == [2])
        note(130)
        #expect(try ids(in: .trash).isEmpty)
    }

    @Test func secondPutKeepsTheTime() throws {
        put(2)
        put(2, at: UTC(milliseconds: SyntheticRun.began.milliseconds + Self.day))
        #expect(try stage.reader().summary(of: 2, in: .trash)?.trashed?.at == SyntheticRun.began)
    }

    @Test func emptyTrashLeavesNoRow() throws {
        for id in [1, 3] { put(id) }
        write(.trash(.empty))
        #expect(try ids() == [2] && ids(in: .trash).isEmpty)
        #expect(try stage.database().integer("SELECT count(*) FROM record WHERE key >> 32 <> 2") == 0)
    }

    @Test func fileOfAnActivityInTheTrashIsRefused() throws {
        let uuid = try #require(try stage.reader().summary(of: 2)?.uuid)
        put(2)
        let file = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
        try file.write(.begin(at: 0, .command))
        var recording = stage.run.recording
        recording.uuid = uuid
        let error = #expect(throws: SQLiteError.self) { try file.finish(recording, gaps: 0, replaces: nil) }
        #expect("\(error.map { "\($0)" } ?? "")".hasSuffix("it is in the trash: restore activity 2"))
    }

    @Test func fullDiskErasesTheOldestFirst() throws {
        let stage = try JournalFixture(freeBytes: 63 << 20)
        for _ in 0..<3 { stage.recordActivity(20) }
        func put(_ activity: Int, day: Int64) {
            let time = UTC(milliseconds: SyntheticRun.began.milliseconds + day * Self.day)
            stage.journal.append(.trash(.put(.activity, activity, at: time)), at: stage.clock.now)
        }
        put(1, day: 2)
        put(3, day: 1)
        var left: [[Int]] = []
        for _ in 0..<20 {
            stage.turn()
            let ids = try stage.reader().list(limit: 10, in: .trash).map(\.id)
            if left.last != ids { left.append(ids) }
        }
        #expect(left.suffix(2) == [[1], []])
        #expect(try stage.reader().list(limit: 10).map(\.id) == [2])
        #expect(stage.journal.drainReports().contains { $0.hasPrefix("activity 3 is erased") })
    }

    @Test func roomOnTheDiskKeepsTheTrash() throws {
        let stage = try JournalFixture(freeBytes: 64 << 20)
        stage.recordActivity(20)
        stage.journal.append(.trash(.put(.activity, 1, at: nil)), at: stage.clock.now)
        for _ in 0..<10 { stage.turn() }
        #expect(try stage.reader().list(limit: 10, in: .trash).map(\.id) == [1])
    }

    @Test func recoveredActivityStaysInTheTrash() throws {
        put(2)
        try stage.restart()
        try stage.checkpoint()
        try stage.overwrite(page: stage.pages(of: "activity")[0])
        _ = try stage.restart()
        try stage.recover()
        #expect(try ids() == [3, 1])
        #expect(try stage.reader().summary(of: 2, in: .trash)?.trashed?.at == SyntheticRun.began)
    }

    @Test func journalOfVersion12HasAnEmptyTrash() throws {
        let stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(12)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps) VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0);
            """)
        for version in [12, JournalSchema.version] {
            #expect(try stage.database().integer("PRAGMA user_version") == version)
            #expect(try stage.reader().list(limit: 10).map(\.id) == [1])
            #expect(try stage.reader().list(limit: 10, in: .trash).isEmpty)
            #expect(try stage.reader().courses(limit: 10, in: .trash).isEmpty)
            try stage.restart()
        }
    }
}
