import Domain
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// Journals of version 8 have neither energy nor a grade-adjusted pace.
struct EnergyMigrationTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(8)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps, ascent_m, auto_paused_ms)
            VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0, 12.5, 300);
            INSERT INTO lap (activity, number, began_ms, ended_ms, elapsed_ms, moving_ms, distance_m, ascent_m,
            auto_paused_ms) VALUES (1, 1, 0, 2000, 2000, 1000, 9.5, 12.5, 300);
            """)
    }

    private func expectTheActivity() throws {
        let reader = try stage.reader()
        let recording = try #require(try reader.recording(1))
        let summary = try #require(try reader.summary(of: 1))
        for total in [recording.total, try #require(recording.laps.first).figures, summary.total] {
            #expect(total.distanceMetres == 9.5 && total.ascent == 12.5 && total.autoPausedMilliseconds == 300)
            #expect(total.energyKilocalories == nil && total.trainingImpulse == nil)
            #expect(total.gradeAdjustedPace == nil)
        }
    }

    @Test func journalOfVersion8IsReadWithoutMigration() throws {
        try expectTheActivity()
        #expect(try stage.database().integer("PRAGMA user_version") == 8)
    }

    @Test func journalOfVersion8KeepsItsRows() throws {
        try stage.restart()
        try #expect(stage.database().integer("PRAGMA user_version") == JournalSchema.version)
        try expectTheActivity()
    }

    @Test func energyIsKept() throws {
        try stage.restart()
        stage.begin()
        stage.record(4)
        var recording = stage.run.recording(after: 4)
        recording.total.energyKilocalories = 512.25
        recording.total.trainingImpulse = 80.5
        recording.total.gradeAdjustedPace = 0.3125
        recording.laps = [RecordingLap(trigger: nil, beganAt: 0, endedAt: 4000, figures: recording.total)]
        stage.journal.end(recording, gaps: 0, at: stage.clock.now)
        stage.turn()
        let id = try #require(recording.id)
        let read = try #require(try stage.reader().recording(id))
        for total in [read.total, read.laps[0].figures, try #require(try stage.reader().summary(of: id)).total] {
            #expect(total.energyKilocalories == 512.25 && total.trainingImpulse == 80.5)
            #expect(total.gradeAdjustedPace == 0.3125)
        }
    }
}
