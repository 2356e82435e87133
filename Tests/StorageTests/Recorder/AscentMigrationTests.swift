import Domain
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// Journals of version 7 have no ascent.
struct AscentMigrationTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(7)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps, power_average_w)
            VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0, 200.5);
            INSERT INTO lap (activity, number, began_ms, ended_ms, elapsed_ms, moving_ms, distance_m, cadence_average)
            VALUES (1, 1, 0, 2000, 2000, 1000, 9.5, 88);
            INSERT INTO record (key, at_ms, elapsed_ms, distance_m, left_balance)
            VALUES ((1 << 32), 1000, 1000, 9.5, 49);
            INSERT INTO location (key, at_ns, arrived_ns, mode, latitude, longitude, altitude_m, satellites)
            VALUES ((1 << 32) + 1, 5, 4, 3, 52.5, 13.4, 34.1, 9);
            """)
    }

    private func expectTheActivity() throws {
        let reader = try stage.reader()
        let recording = try #require(try reader.recording(1))
        #expect(recording.total.averagePower == 200.5 && recording.laps.map(\.figures.averageCadence) == [88])
        #expect(recording.total.ascent == nil && recording.total.ascentSource == nil)
        #expect(recording.laps.map(\.figures.ascent) == [nil] && recording.total.autoPausedMilliseconds == nil)
        #expect(try reader.summary(of: 1)?.total.ascent == nil)
        var sample = RecordingSample(at: 1000, elapsedMilliseconds: 1000)
        sample.distanceMetres = 9.5
        sample.leftBalance = 49
        #expect(try stage.rows(of: 1) == [.sample(sample)])
        var fixes: [Fix] = []
        try reader.entries(of: 1) { entry in
            guard case .input(.fix(let fix)) = entry.kind else { return }
            fixes.append(fix)
        }
        #expect(fixes.map(\.altitude) == [34.1] && fixes.map(\.verticalAccuracy) == [nil])
    }

    @Test func journalOfVersion7IsReadWithoutMigration() throws {
        try expectTheActivity()
        #expect(try stage.database().integer("PRAGMA user_version") == 7)
    }

    @Test func journalOfVersion7KeepsItsRows() throws {
        try stage.restart()
        try #expect(stage.database().integer("PRAGMA user_version") == JournalSchema.version)
        try expectTheActivity()
    }

    @Test func ascentIsKept() throws {
        try stage.restart()
        stage.begin()
        stage.record(4)
        var recording = stage.run.recording(after: 4)
        recording.total.ascent = 120.25
        recording.total.descent = 80.5
        recording.total.ascentError = 9.5
        recording.total.ascentSource = .barometer
        recording.total.autoPausedMilliseconds = 1200
        recording.laps = [RecordingLap(trigger: nil, beganAt: 0, endedAt: 4000, figures: recording.total)]
        stage.journal.end(recording, gaps: 0, at: stage.clock.now)
        stage.turn()
        let id = try #require(recording.id)
        let read = try #require(try stage.reader().recording(id))
        for total in [read.total, read.laps[0].figures, try #require(try stage.reader().summary(of: id)).total] {
            #expect(total.ascent == 120.25 && total.descent == 80.5 && total.ascentError == 9.5)
            #expect(total.ascentSource == .barometer && total.autoPausedMilliseconds == 1200)
        }
    }
}
