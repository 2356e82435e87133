import Domain
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// Journals of version 6 have one sensor, the strap, and no power.
struct SensorMigrationTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(6)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps, claim)
            VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0, '{"distance_m":9.25}');
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps) VALUES (2, 'run', 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0);
            INSERT INTO lap VALUES (1, 1, NULL, 0, 2000, 2000, 1000, 9.5, 4.5, 120.5, 130);
            INSERT INTO sensor VALUES (1, 'A0:9E:1A:00:00:01', 'Polar H10', 'Polar', '12345', '5.0.0', 80);
            INSERT INTO record VALUES ((1 << 32), 0, 'begin', 'command', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL);
            INSERT INTO record VALUES ((1 << 32) + 1, 1000, NULL, NULL, NULL, NULL, 1000, 9.5, NULL, NULL, NULL, NULL,
            120, 85, 250, -3);
            """)
    }

    private func expectTheActivity() throws {
        let reader = try stage.reader()
        let recording = try #require(try reader.recording(1))
        var strap = RecordingSensor([.heartRate])
        strap.address = BluetoothAddress(value: 0xA09E_1A00_0001)
        strap.name = SanitizedText("Polar H10")
        strap.manufacturer = SanitizedText("Polar")
        strap.serialNumber = SanitizedText("12345")
        strap.firmware = SanitizedText("5.0.0")
        strap.batteryPercent = 80
        #expect(recording.sensors == [strap])
        #expect(recording.laps.map(\.figures.maximumHeartRate) == [130])
        #expect(recording.laps.map(\.figures.averagePower) == [nil] && recording.total.bestPowers == BestPowers())
        #expect(recording.sourceTotals?.distanceMetres == 9.25)
        #expect(try reader.recording(2)?.sensors == [])
        #expect(try reader.summary(of: 1)?.total.averagePower == nil)
        var sample = RecordingSample(at: 1000, elapsedMilliseconds: 1000)
        sample.distanceMetres = 9.5
        (sample.heartRate, sample.cadence, sample.power, sample.temperature) = (120, 85, 250, -3)
        #expect(try stage.rows(of: 1) == [.begin(at: 0, .command), .sample(sample)])
    }

    @Test func journalOfVersion6IsReadWithoutMigration() throws {
        try expectTheActivity()
        #expect(try stage.database().integer("PRAGMA user_version") == 6)
    }

    @Test func journalOfVersion6KeepsItsStrapAndItsRows() throws {
        try stage.restart()
        try #expect(stage.database().integer("PRAGMA user_version") == JournalSchema.version)
        try expectTheActivity()
        #expect(try stage.database().integer("SELECT count(*) FROM sqlite_schema WHERE name = 'strap'") == 0)
    }

    /// On foot totals count both feet.
    @Test func changedSportConvertsTheCadenceOfTheTotals() throws {
        try stage.restart()
        stage.begin()
        stage.record(4)
        var recording = stage.run.recording(after: 4)
        recording.total.averageCadence = 170
        recording.laps = [RecordingLap(trigger: nil, beganAt: 0, endedAt: 4000, figures: recording.total)]
        let id = try #require(recording.id)
        stage.journal.end(recording, gaps: 0, at: stage.clock.now)
        stage.journal.append(.edit(activity: id, .ride, nil), at: stage.clock.now)
        stage.turn()
        let ride = try #require(try stage.reader().recording(id))
        #expect(ride.total.averageCadence == 85)
        #expect(ride.laps[0].figures.averageCadence == 85)
        stage.journal.append(.edit(activity: id, .hike, nil), at: stage.clock.now)
        stage.journal.append(.edit(activity: id, .walk, nil), at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().recording(id)?.total.averageCadence == 170)
    }
}
