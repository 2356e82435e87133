import Domain
import Foundation
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// A state directory with imported runs, and the writer of its index.
private final class IndexFixture {
    let directory = TemporaryDirectory()
    var writer: IndexWriter

    init() {
        writer = IndexWriter(in: directory.path)
    }

    var path: String { directory.path + "/index.sqlite" }

    /// Imports a run of ten minutes at a speed.
    ///
    /// - Parameter start: from where it goes north at its speed; nil without positions.
    func addRun(speed: Double, sport: Sport = .run, from start: Coordinate? = nil) throws {
        let journal = try JournalImport(in: directory.path, at: SyntheticRun.began)
        try journal.write(.begin(at: 0, .command))
        for second in 0...600 {
            var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
            sample.distanceMetres = speed * Double(second)
            sample.power = 200
            sample.coordinate = start.map { start in
                let degrees = speed * Double(second) / Coordinate.metresPerDegree
                return Coordinate(latitude: start.latitude + degrees, longitude: start.longitude)
            }
            try journal.write(.sample(sample))
        }
        try journal.write(.end(at: 600_000, .command))
        var recording = RecordedActivity(sport: sport, started: SyntheticRun.began)
        recording.totalMilliseconds = 600_000
        recording.total.elapsedMilliseconds = 600_000
        recording.total.distanceMetres = speed * 600
        _ = try journal.finish(recording, gaps: 0)
    }

    func change(_ statement: String, in name: String = "journal.sqlite") throws {
        try SQLiteDatabase(directory.path + "/" + name, .writing).execute(statement)
    }

    /// Performs an update.
    ///
    /// - Returns: its reports.
    @discardableResult func update() throws -> [String] {
        var reports: [String] = []
        var step = try writer.step(scans: true)
        while true {
            if let report = step.report { reports.append(report) }
            if !step.isMore { return reports }
            step = try writer.step(scans: false)
        }
    }

    /// The numbers of the entries.
    func entries() throws -> [Int] {
        let statement = try SQLiteDatabase(path, .reading).prepare("SELECT id FROM activity ORDER BY id")
        var ids: [Int] = []
        while try statement.step() { ids.append(Int(statement.integer(0) ?? 0)) }
        return ids
    }

    /// The activities that passed through an area as a reader finds them.
    func passing(_ latitude: Double, _ longitude: Double, radius: Double) throws -> [Int] {
        let journal = try JournalReader(in: directory.path)
        let area = SearchArea(centre: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
        return try journal.activities(in: area, among: journal.totals(), in: directory.path).sorted()
    }

    /// The best times over 1 km as a reader finds them, oldest activity first.
    func kilometres() throws -> [Double?] {
        let journal = try JournalReader(in: directory.path)
        let activities = Array(try journal.totals().reversed())
        return try journal.bests(of: activities, in: directory.path).map { efforts in
            efforts.first { $0.kind == .kilometre }?.value.rounded()
        }
    }
}

@Suite struct IndexTests {
    private let index = IndexFixture()

    @Test func activitiesThatPassedByAreFoundWithAndWithoutAnIndex() throws {
        let stage = IndexFixture()
        // 1.8 km to the north each; the last one is beside the meridian of 180 degrees.
        for start in [
            Coordinate(latitude: 52, longitude: 13), Coordinate(latitude: 52.1, longitude: 13),
            Coordinate(latitude: -17, longitude: 179.999),
        ] { try stage.addRun(speed: 3, from: start) }
        try stage.addRun(speed: 3)
        for isIndexed in [false, true] {
            if isIndexed { try stage.update() }
            #expect(try stage.passing(52.015, 13, radius: 300) == [1])
            #expect(try stage.passing(52.015, 13.02, radius: 1000) == [])
            #expect(try stage.passing(52.015, 13.02, radius: 2000) == [1])
            #expect(try stage.passing(52.06, 13, radius: 10_000) == [1, 2])
            #expect(try stage.passing(-16.99, -179.999, radius: 1000) == [3])
        }
    }

    @Test func `An update indexes each activity, and a reader takes its bests from there`() throws {
        try index.addRun(speed: 4)
        try index.addRun(speed: 5)
        let computed = try index.kilometres()
        #expect(computed == [250_000, 200_000])
        #expect(!FileManager.default.fileExists(atPath: index.path), "a reader writes nothing")
        #expect(try index.update().isEmpty)
        #expect(try index.entries() == [1, 2])
        #expect(try index.kilometres() == computed)
        try index.change("UPDATE best SET value = 7 WHERE kind = '1km' AND activity = 2", in: "index.sqlite")
        #expect(try index.kilometres() == [250_000, 7])
        let mode = try FileManager.default.attributesOfItem(atPath: index.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: index.directory.path).filter {
                $0.hasPrefix("index.sqlite-")
            }.isEmpty)
    }

    @Test func `A second update changes nothing`() throws {
        try index.addRun(speed: 4)
        try index.update()
        try index.change("UPDATE best SET value = 7 WHERE kind = '1km'", in: "index.sqlite")
        try index.update()
        #expect(try index.kilometres() == [7])
    }

    @Test(arguments: [
        "sport = 'walk'", "started_ms = 1000", "time_uncertain = 1", "elapsed_ms = 599000", "total_ms = 601000",
        "distance_m = 2399", "ascent_m = 10", "moving_ms = 1", "indoor = 1",
    ])
    func `An entry with other totals than the journal is behind`(_ change: String) throws {
        try index.addRun(speed: 4)
        try index.update()
        try index.change("UPDATE best SET value = 7 WHERE kind = '1km'", in: "index.sqlite")
        try index.change("UPDATE activity SET \(change)")
        #expect(try index.kilometres() == [250_000], "computed from the rows")
        try index.update()
        #expect(try index.kilometres() == [250_000])
        try index.change("UPDATE best SET value = 8 WHERE kind = '1km'", in: "index.sqlite")
        #expect(try index.kilometres() == [8], "up to date again")
    }

    @Test func `A name leaves the entry as it is`() throws {
        try index.addRun(speed: 4)
        try index.update()
        try index.change("UPDATE best SET value = 7 WHERE kind = '1km'", in: "index.sqlite")
        try index.change("UPDATE activity SET name = 'Evening'")
        #expect(try index.kilometres() == [7])
    }

    @Test func `A ride has no times`() throws {
        try index.addRun(speed: 4)
        try index.update()
        try index.change("UPDATE activity SET sport = 'ride'")
        #expect(try index.kilometres() == [nil])
        try index.update()
        #expect(try index.kilometres() == [nil])
    }

    @Test func `Deleted, open and demo activities have no entry`() throws {
        for _ in 1...4 { try index.addRun(speed: 4) }
        try index.update()
        try index.change("DELETE FROM activity WHERE id = 1")
        try index.change("UPDATE activity SET open = 1 WHERE id = 2")
        try index.change("UPDATE activity SET demo = 1 WHERE id = 3")
        try index.update()
        #expect(try index.entries() == [4])
        let orphans = try SQLiteDatabase(index.path, .reading).integer("SELECT count(*) FROM best WHERE activity <> 4")
        #expect(orphans == 0)
    }

    @Test func `A damaged index is built again, and reported once`() throws {
        try index.addRun(speed: 4)
        try index.update()
        for damage in [Array("no database".utf8), Array(repeating: 0xA5, count: 20_000)] {
            try Data(damage).write(to: URL(fileURLWithPath: index.path))
            #expect(try index.kilometres() == [250_000])
            let reports = try index.update()
            #expect(reports.count == 1 && reports[0].hasPrefix("index.sqlite is damaged"))
            #expect(try index.entries() == [1])
            #expect(try index.update().isEmpty)
        }
    }

    @Test func `A page that is damaged is found`() throws {
        for _ in 1...100 { try index.addRun(speed: 4) }
        try index.update()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: index.path))
        bytes.replaceSubrange(
            bytes.count / 2..<bytes.count, with: repeatElement(0x5A, count: bytes.count - bytes.count / 2))
        try bytes.write(to: URL(fileURLWithPath: index.path))
        #expect(try index.kilometres() == Array(repeating: 250_000, count: 100))
        #expect(try index.update().count == 1)
        #expect(try index.entries().count == 100)
    }

    @Test(arguments: ["PRAGMA user_version = 0", "PRAGMA user_version = 9", "PRAGMA application_id = 1"])
    func `An index of another version is built again`(_ change: String) throws {
        try index.addRun(speed: 4)
        try index.update()
        try index.change("UPDATE best SET value = 7 WHERE kind = '1km'; " + change, in: "index.sqlite")
        #expect(try index.kilometres() == [250_000])
        #expect(try index.update() == ["index.sqlite has another version: it is built again"])
        #expect(try index.kilometres() == [250_000])
        try index.change("UPDATE best SET value = 8 WHERE kind = '1km'", in: "index.sqlite")
        #expect(try index.kilometres() == [8])
    }

    @Test func `An update has several steps`() throws {
        for _ in 1...40 { try index.addRun(speed: 4) }
        #expect(try index.writer.step(scans: true).isMore)
        // Another change meanwhile begins again.
        try index.change("DELETE FROM activity WHERE id = 1")
        #expect(try index.update().isEmpty)
        #expect(try index.entries() == Array(2...40))
    }

    @Test func `A directory without a journal has no index`() throws {
        #expect(try index.writer.step(scans: true) == IndexWriter.Step(isMore: false, report: nil))
        #expect(!FileManager.default.fileExists(atPath: index.path))
    }

    @Test func `A link in the place of the index is an error`() throws {
        try index.addRun(speed: 4)
        try FileManager.default.createSymbolicLink(atPath: index.path, withDestinationPath: "elsewhere")
        #expect(throws: DirectoryError.self) { try index.update() }
        #expect(try index.kilometres() == [250_000])
        try FileManager.default.removeItem(atPath: index.path)
        #expect(try index.update().isEmpty)
        #expect(try index.entries() == [1])
    }
}
