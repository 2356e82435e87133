import Domain
import Foundation
import Linux
import SQLite
import Storage
import TestKit
import Testing

struct JournalSettingsTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    private func set(_ name: String, _ value: String) {
        stage.journal.append(.setting(JournalSetting(name: name, value: value)), at: stage.clock.now)
        stage.turn()
    }

    private static let metric = JournalSetting(name: "metric", value: "true")
    private static let zones = JournalSetting(name: "zones", value: "[100,120,140,160,180]")

    @Test func lastValueOfASettingIsRestored() throws {
        #expect(try stage.restart().settings == [])
        set("metric", "false")
        set("zones", "[100,120,140,160,180]")
        set("metric", "true")
        #expect(try stage.restart().settings == [Self.metric, Self.zones])
        stage.journal.append(.unset(name: "metric"), at: stage.clock.now)
        stage.turn()
        #expect(try stage.restart().settings == [Self.zones])
    }

    @Test func settingsSurviveARemovedJournal() throws {
        set("metric", "true")
        try stage.restart()
        set("zones", "[100,120,140,160,180]")
        for ending in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: stage.path + ending) }
        for _ in 0..<4 { stage.turn() }
        #expect(try stage.restart().settings == [Self.metric, Self.zones])
    }

    @Test func settingsSurviveADamagedJournal() throws {
        set("metric", "true")
        stage.begin()
        stage.record(400)
        stage.end()
        try stage.restart()
        try stage.database().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: stage.path))
        // The last pages hold records.
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2)
        try file.write(contentsOf: Data(repeating: 0x55, count: 8192))
        try file.close()
        let preparation = try stage.restart()
        #expect(preparation.damaged != nil)
        #expect(preparation.settings == [Self.metric])
    }

    @Test func journalBeforeSettingsIsMigrated() throws {
        stage.turn()
        let database = try stage.database()
        try database.execute(
            JournalFixture.ofVersion11 + JournalFixture.withoutCourses + JournalFixture.withoutSensors + """
                CREATE TABLE reserved (activity INTEGER PRIMARY KEY) STRICT;
                DROP TABLE setting; DROP TABLE recovery; ALTER TABLE activity DROP COLUMN recovered;
                PRAGMA user_version = 2
                """)
        #expect(try stage.reader().settings() == [])
        #expect(try stage.restart().settings == [])
        set("metric", "true")
        #expect(try stage.restart().settings == [Self.metric])
    }

    @Test func syncIntervalCanBeChanged() throws {
        for _ in 0..<40 {
            stage.append()
            stage.turn()
        }
        stage.journal.setSyncSeconds(60)
        stage.begin()
        stage.record(4)
        let synced = try #require(stage.journal.status(at: stage.clock.now).syncedMillisecondsAgo)
        stage.record(40)
        #expect(try #require(stage.journal.status(at: stage.clock.now).syncedMillisecondsAgo) == synced + 20_000)
        stage.journal.setSyncSeconds(1)
        stage.record(4)
        #expect(try #require(stage.journal.status(at: stage.clock.now).syncedMillisecondsAgo) <= 1000)
    }
}
