import Domain
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// Journals of version 10 have no entries of the weather.
struct WeatherMigrationTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        try stage.restart()
        stage.begin()
        stage.record(8)
        stage.end()
        let database = try stage.database()
        try database.execute(JournalFixture.ofVersion11 + "PRAGMA user_version = 10; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    @Test func tablesOfVersion10AreUnchanged() throws {
        func tables(_ version: Int64) throws -> String? {
            let directory = TemporaryDirectory()
            let database = try SQLiteDatabase(directory.path + "/journal.sqlite", .writing)
            try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(Int(version))))
            return try database.text("SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_master ORDER BY name)")
        }
        #expect(try tables(10) == tables(11))
        #expect(JournalSchema.version >= 11)
    }

    @Test func journalOfVersion10IsReadAndKeepsItsEntries() throws {
        let before = try stage.entries(of: 1)
        #expect(before.count == 8)
        #expect(try stage.database().integer("PRAGMA user_version") == 10)
        try stage.restart()
        #expect(try stage.database().integer("PRAGMA user_version") == JournalSchema.version)
        #expect(try stage.entries(of: 1) == before)
    }

    @Test func weatherIsKeptInAConvertedJournal() throws {
        try stage.restart()
        stage.begin()
        let now = stage.clock.now
        let entries = [WeatherObservation.inRain, nil].map { InputLogEntry(at: now, .input(.weather($0))) }
        for entry in entries { stage.journal.write(entry, at: now) }
        stage.turn()
        #expect(try stage.entries(of: 2) == entries)
    }
}
