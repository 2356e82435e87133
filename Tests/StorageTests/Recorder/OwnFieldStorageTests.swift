import Domain
import SQLite
import Storage
import TestKit
import Testing

@Suite struct OwnFieldStorageTests {
    @Test func journalOfVersion14GetsMarksAndFields() throws {
        let stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(14)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps) VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0);
            INSERT INTO record (key, at_ms, elapsed_ms, distance_m) VALUES (1 << 32, 1000, 1000, 4.5);
            """)
        for version in [14, JournalSchema.version] {
            #expect(try stage.database().integer("PRAGMA user_version") == version)
            let recording = try #require(try stage.reader().recording(1))
            #expect(recording.marks.isEmpty && recording.fields.isEmpty)
            var rows: [RecordingRow] = []
            try stage.reader().rows(of: 1).each { rows.append($0) }
            #expect(rows.map(\.at) == [1000])
            try stage.restart()
        }
    }
}
