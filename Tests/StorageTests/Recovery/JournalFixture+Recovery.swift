import Domain
import Formats
import Foundation
import Linux
import SQLite
import Storage
import TestKit

extension JournalFixture {
    static let files = ["", "-wal", "-shm"]

    /// Converts a journal of version 12 to version 11.
    static let withoutUUIDs = "ALTER TABLE activity DROP COLUMN uuid; ALTER TABLE course DROP COLUMN uuid;"

    /// Converts a journal to version 11.
    static let ofVersion11 = withoutFields + withoutTrash + withoutUUIDs

    /// Converts a journal to version 14.
    static let withoutFields = """
        ALTER TABLE activity DROP COLUMN fields; ALTER TABLE activity DROP COLUMN marks; ALTER TABLE record DROP COLUMN fields;

        """

    /// Converts a journal to version 12.
    static let withoutTrash = "DROP TABLE trash; DROP TABLE course_trash;"

    /// Converts a journal to version 9.
    static let withoutCourses = """
        DROP TABLE course; DROP TABLE partner; DROP TABLE activity_course; DROP TABLE loaded;

        """
    /// Converts a journal to version 8.
    static let withoutEnergy = {
        let columns = ["energy_kcal", "trimp", "grade_adjusted_pace"].flatMap { [("activity", $0), ("lap", $0)] }
        return columns.map { "ALTER TABLE \($0.0) DROP COLUMN \($0.1);" }.joined()
    }()

    /// Converts a journal to version 7.
    static let withoutAscent = {
        let climb = ["ascent_m", "descent_m", "ascent_error_m", "ascent_source", "auto_paused_ms"]
        let record = ["ascent_m", "descent_m", "grade_percent", "vertical_mps", "ascent_source"]
        let columns =
            climb.flatMap { [("activity", $0), ("lap", $0)] } + [("location", "vertical_accuracy_m")]
            + record.map { ("record", $0) }
        return withoutEnergy + columns.map { "ALTER TABLE \($0.0) DROP COLUMN \($0.1);" }.joined()
    }()

    /// Converts a journal to version 6.
    static let withoutSensors = {
        let effort = [
            "power_average_w", "power_maximum_w", "power_normalized_w", "work_j", "cadence_average", "cadence_maximum",
            "power_zone_ms",
        ]
        let columns =
            effort.flatMap { [("activity", $0), ("lap", $0)] }
            + [("activity", "power_best_w"), ("record", "left_balance")]
        return withoutAscent + columns.map { "ALTER TABLE \($0.0) DROP COLUMN \($0.1);" }.joined() + """
            DROP TABLE sensor;
            CREATE TABLE sensor (
                activity INTEGER PRIMARY KEY,
                address TEXT, name TEXT, manufacturer TEXT, serial_number TEXT, firmware TEXT, battery_percent INTEGER
            ) STRICT;
            """
    }()

    /// Records an activity with a number of entries and rows, and ends it.
    @discardableResult
    func recordActivity(_ steps: Int) -> SyntheticRun {
        begin()
        // Each activity starts at a different time.
        let run = self.run
        for step in 0..<steps {
            append()
            if step % 50 == 49 { turn() }
        }
        end()
        clock.advance(by: .seconds(3600))
        return run
    }

    /// Moves the whole log into the database.
    func checkpoint() throws {
        try database().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func bytes(_ ending: String = "") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ending)))
    }

    func replace(_ ending: String = "", with bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + ending))
    }

    /// The leaf pages of a table, counted from 1.
    func pages(of table: String) throws -> [Int] {
        let statement = try database().prepare(
            "SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY path")
        var pages: [Int] = []
        while try statement.step() { pages.append(Int(statement.integer(0) ?? 0)) }
        return pages
    }

    func overwrite(page: Int, with byte: UInt8 = 0x55) throws {
        var bytes = try bytes()
        bytes.replaceSubrange((page - 1) * 1024..<page * 1024, with: repeatElement(byte, count: 1024))
        try replace(with: bytes)
    }

    /// Runs the writer until the recovery is complete.
    ///
    /// - Returns: The reports.
    @discardableResult
    func recover(atMost turns: Int = 2000) throws -> [String] {
        var lines: [String] = []
        for _ in 0..<turns {
            turn()
            lines += journal.drainReports()
            if try !reader().recoveryLines().contains(where: { $0.hasSuffix("is being recovered.") }) { break }
        }
        return lines
    }

    func ids() throws -> [Int] {
        try reader().list(limit: 1000).map(\.id)
    }

    /// The bytes that `pacectl export` writes.
    func export(_ id: Int) throws -> [UInt8] {
        guard let recording = try reader().recording(id) else { return [] }
        var bytes: [UInt8] = []
        let origin = ExportMetadata.ofThisDevice(
            in: directory.path, started: recording.started, written: nil)
        _ = try ExportFormat.gpx.write(recording, rows: reader().rows(of: id), origin: origin) { span in
            for index in span.indices { bytes.append(span[index]) }
        }
        return bytes
    }
}
