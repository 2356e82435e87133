import Domain
import Formats
import Foundation
import SQLite
import Storage
import TestKit
import Testing

/// Journals of version 11 have no uuids (`Tests/Data/state-b3356df9/README`).
struct UUIDMigrationTests {
    private static let source = GpsdLog("state-b3356df9").path

    /// A copy of the journal of version 11.
    private static func copy() throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: source + "/journal.sqlite", toPath: directory.path + "/journal.sqlite")
        return directory
    }

    private static func uuids(_ directory: TemporaryDirectory) throws -> [Domain.UUID?] {
        let reader = try JournalReader(in: directory.path)
        return try reader.list(limit: 10).map(\.uuid) + reader.courses(limit: 10).map(\.uuid)
    }

    @Test func journalOfVersion11IsReadWithoutUUIDs() throws {
        let directory = try Self.copy()
        #expect(try Self.uuids(directory) == [nil, nil, nil])
        let reader = try JournalReader(in: directory.path)
        #expect(try reader.records(.activity, beginning: #require(UUIDPrefix("06a75ebc"))).isEmpty)
    }

    /// The uuids are part of the format: a copy that another release migrates has the same.
    @Test func migrationsOfOneJournalAgree() throws {
        for _ in 0..<2 {
            let directory = try Self.copy()
            _ = try JournalFile(in: directory.path)
            #expect(
                try Self.uuids(directory)
                    == [
                        "b74fdb4b-5036-8ee3-be4c-0a7f094fbe7c", "06a75ebc-39af-86dd-a2eb-d7172799b097",
                        "7bcca365-44dd-83a6-83f0-3dafb21ac50e",
                    ].map { Domain.UUID($0) })
        }
    }

    @Test func equalImportsGetDifferentUUIDs() throws {
        let directory = try Self.copy()
        let columns =
            "sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms, elapsed_ms, moving_ms, distance_m, gaps"
        let database = try SQLiteDatabase(directory.path + "/journal.sqlite", .writing)
        for _ in 0..<2 {
            try database.execute("INSERT INTO activity (\(columns)) SELECT \(columns) FROM activity WHERE id = 2")
        }
        _ = try JournalFile(in: directory.path)
        let uuids = try Self.uuids(directory).compactMap(\.self)
        #expect(uuids.count == 5 && Set(uuids).count == 5)
    }

    @Test(arguments: ExportFormat.allCases)
    func exportsKeepTheirBytesButForTheNewFields(format: ExportFormat) throws {
        let directory = try Self.copy()
        _ = try JournalFile(in: directory.path)
        let reader = try JournalReader(in: directory.path)
        for (id, name) in [(1, "undated-1-run"), (2, "2015-01-19-2124-other")] {
            let recording = try #require(try reader.recording(id))
            func export(_ recording: RecordedActivity) throws -> [UInt8] {
                var bytes: [UInt8] = []
                _ = try format.write(
                    recording, rows: reader.rows(of: id), origin: ExportMetadata(serialNumber: 2_033_359_802)
                ) { piece in piece.withUnsafeBytes { bytes += Array($0) } }
                return bytes
            }
            let path = Self.source + "/exports/\(name).\(format)"
            let former = [UInt8](try #require(FileManager.default.contents(atPath: path)))
            #expect(try export(recording.anonymous) == former, "\(path)")
            let uuid = try #require(recording.uuid)
            // FIT has it in binary: its readers test it.
            guard format != .fit else { continue }
            let element =
                "<paced:activity xmlns:paced=\"urn:uuid:ed22eb95-6e1c-4794-b914-1b92bd2dfa95\">\(uuid)</paced:activity>"
            let track =
                "<opentracks:trackid xmlns:opentracks=\"http://opentracksapp.com/xmlschemas/v1\">\(uuid)</opentracks:trackid>"
            let text = [
                "<extensions>\(element)\(track)</extensions>\n", "<Extensions>\(element)</Extensions>\n",
                "\"uuid\":\"\(uuid)\",",
            ].reduce(String(decoding: try export(recording), as: UTF8.self)) {
                $0.replacingOccurrences(of: $1, with: "")
            }
            #expect(text == String(decoding: former, as: UTF8.self), "\(path)")
        }
    }
}
