import Domain
import Foundation
import MapStorage
import Pipeline
import SQLite
import TestKit
import Testing
import Transit

/// Lines, stops and paths of a timetable, and files that are none.
@Suite struct TransitDatabaseTests {
    // MARK: Stops and lines

    @Test func stopsHaveTheirNamesAndCodes() throws {
        let stops = """
            stop_id,stop_code,stop_name,stop_lat,stop_lon
            A,12,"Alpha, East",52.5,13.4
            B,B,,52.51,13.4
            C,,Gam\u{1B}ma,52.53,-13.4

            """
        let database = try MadeFeed().with("stops.txt", stops).imported().database
        let expected = [
            TransitStop(
                id: "A", code: "12", name: "Alpha, East", position: Coordinate(latitude: 52.5, longitude: 13.4)),
            // A code that is the ID says nothing.
            TransitStop(id: "B", code: nil, name: "B", position: Coordinate(latitude: 52.51, longitude: 13.4)),
            TransitStop(
                id: "C", code: nil, name: "Gam\u{FFFD}ma", position: Coordinate(latitude: 52.53, longitude: -13.4)),
        ]
        let stored = try database.stops()
        #expect(stored.map(\.stop) == expected)
        for (number, stop) in stored {
            #expect(try database.stop(number) == stop)
            #expect(try database.stop(id: stop.id)?.number == number)
            #expect(try database.position(ofStop: number) == stop.position)
        }
        #expect(try database.stop(99) == nil)
        #expect(try database.stop(id: "Z") == nil)
        #expect(try database.position(ofStop: 99) == nil)
    }

    @Test func nearestStopsComeFirst() throws {
        var random = SeededRandom(seed: 3)
        var rows = "stop_id,stop_lat,stop_lon\nA,52.5,13.4\nB,52.51,13.4\nC,52.53,13.4\n"
        for number in 0..<500 {
            rows += "\(number),\(52.5 + random.normal() * 0.02),\(13.4 + random.normal() * 0.03)\n"
        }
        let database = try MadeFeed().with("stops.txt", rows).imported().database
        let all = try database.stops()
        #expect(all.count == 503)
        for _ in 0..<100 {
            let here = Coordinate(latitude: 52.5 + random.normal() * 0.02, longitude: 13.4 + random.normal() * 0.03)
            let metres = random.uniform() * 3000
            let expected = all.map { ($0.number, here.metres(to: $0.stop.position)) }.filter { $0.1 <= metres }
                .sorted { $0.1 < $1.1 }.map(\.0)
            #expect(try database.stops(within: metres, of: here).map(\.number) == expected)
        }
    }

    @Test func stopsOnBothSidesOfTheMeridianOf180DegreesAreNear() throws {
        let rows = "stop_id,stop_lat,stop_lon\nA,-17,179.999\nB,-17,-179.999\nC,-17,179\n"
        let database = try MadeFeed().with("stops.txt", rows).imported().database
        let near = try database.stops(within: 800, of: Coordinate(latitude: -17, longitude: -179.9999))
        #expect(near.map(\.stop.id) == ["B", "A"])
    }

    @Test func linesAreInTheOrderOfTheAgency() throws {
        let routes = """
            route_id,route_short_name,route_long_name,route_color,route_sort_order
            1,,,,
            last,L,Last Line,FFCC66,30
            plain,P,P,none,
            first,F,,00ff00,2

            """
        let feed = MadeFeed().with("routes.txt", routes)
            .adding("trips.txt", "last,week,u", "plain,week,v", "first,week,w")
            .adding("stop_times.txt", "u,1:00:00,1:00:00,A,1", "u,2:00:00,2:00:00,B,2")
            .adding("stop_times.txt", "v,1:00:00,1:00:00,A,1", "v,2:00:00,2:00:00,B,2")
            .adding("stop_times.txt", "w,1:00:00,1:00:00,A,1", "w,2:00:00,2:00:00,B,2")
        let database = try feed.imported().database
        let lines = try database.lines()
        #expect(
            lines.map(\.line) == [
                TransitLine(id: "first", code: "F", name: "", color: LineColor(red: 0, green: 255, blue: 0)),
                TransitLine(
                    id: "last", code: "L", name: "Last Line", color: LineColor(red: 255, green: 204, blue: 102)),
                // A line needs a code or a name, and one of them is enough.
                TransitLine(id: "1", code: "1", name: ""), TransitLine(id: "plain", code: "P", name: ""),
            ])
        for (number, line) in lines { #expect(try database.line(number) == line) }
        #expect(try database.line(99) == nil)
    }

    // MARK: Paths

    private static func degrees(_ paths: [[Coordinate]]) -> [[[Int]]] {
        paths.map { path in
            path.map { [Int(($0.latitude * 1e5).rounded()), Int(($0.longitude * 1e5).rounded())] }
        }
    }

    @Test func pathsOfALineAreItsShapesInTheOrderOfTheirPoints() throws {
        let feed = MadeFeed().with(
            "trips.txt", "route_id,service_id,trip_id,shape_id\n1,week,t,s\n1,week,u,r\n1,week,v,s\n"
        )
        .adding("stop_times.txt", "u,1:00:00,1:00:00,A,1", "u,2:00:00,2:00:00,B,2")
        .adding("stop_times.txt", "v,1:00:00,1:00:00,A,1", "v,2:00:00,2:00:00,B,2")
        .with(
            "shapes.txt",
            """
            shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
            s,52.53,-13.4,10
            r,-0.000014,0.000016,1
            s,52.5,13.4,2
            unused,1,1,1
            s,52.51,13.123456,9
            r,89.99999,-180,3
            s,52.51,13.123456,8

            """)
        let database = try feed.imported().database
        let line = try #require(try database.lines().first?.number)
        #expect(
            Self.degrees(try database.paths(ofLine: line)) == [
                [[5_250_000, 1_340_000], [5_251_000, 1_312_346], [5_253_000, -1_340_000]],
                [[-1, 2], [8_999_999, -18_000_000]],
            ])
        #expect(try database.paths(ofLine: 99) == [])
    }

    @Test func pathsOfALineWithoutShapesLeadFromStopToStop() throws {
        let feed = MadeFeed().adding("trips.txt", "1,week,u", "1,week,v")
            // The stops of t at other times.
            .adding("stop_times.txt", "u,1:00:00,1:00:00,A,1", "u,2:00:00,2:00:00,B,2", "u,3:00:00,3:00:00,C,3")
            .adding("stop_times.txt", "v,1:00:00,1:00:00,C,1", "v,2:00:00,2:00:00,A,2")
        let database = try feed.imported().database
        let line = try #require(try database.lines().first?.number)
        #expect(
            Self.degrees(try database.paths(ofLine: line)) == [
                [[5_250_000, 1_340_000], [5_251_000, 1_340_000], [5_253_000, 1_340_000]],
                [[5_253_000, 1_340_000], [5_250_000, 1_340_000]],
            ])
    }

    // MARK: Files

    private static func message(_ directory: TemporaryDirectory) -> String {
        do {
            _ = try TransitDatabase(in: directory.path)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func missingFileIsImportedByACommand() throws {
        let directory = TemporaryDirectory()
        #expect(
            Self.message(directory)
                == "there is no timetable in \(directory.path): import one with 'pacectl transit import GTFS.zip'")
    }

    @Test func filesThatAreNoTimetableAreNamed() throws {
        let directory = TemporaryDirectory()
        let path = directory(TransitDatabase.fileName)
        func message(_ reason: String) -> String {
            "cannot read \(path) (\(reason)): replace it with 'pacectl transit import GTFS.zip'"
        }
        try Data("no database at all, but a text".utf8).write(to: URL(filePath: path))
        #expect(Self.message(directory) == message("file is not a database"))
        try FileManager.default.removeItem(atPath: path)
        let other = try SQLiteDatabase(path, .writing)
        try other.execute("CREATE TABLE stop(number)")
        #expect(Self.message(directory) == message("it is not a timetable"))
        try other.execute("PRAGMA application_id = 1885430644; PRAGMA user_version = 99")
        #expect(Self.message(directory) == message("another version of paced has made it"))
    }

    @Test(arguments: [
        ("DELETE FROM meta WHERE name = 'first_day'", "it has no days of service"),
        ("UPDATE meta SET value = -1 WHERE name = 'first_day'", "it has no days of service"),
        ("UPDATE meta SET value = 1 WHERE name = 'last_day'", "it has no days of service"),
        ("UPDATE meta SET value = 999999999 WHERE name = 'latest_s'", "it has no days of service"),
        ("DELETE FROM clock", "it has no time zone"), ("DROP TABLE call", "no such table: call"),
    ]) func damagedTimetableIsNamed(change: String, reason: String) throws {
        let timetable = try MadeFeed().imported()
        #expect(Self.message(timetable.directory) == "")
        try SQLiteDatabase(timetable.database.path, .writing).execute(change)
        #expect(Self.message(timetable.directory).contains("(\(reason)): replace it with 'pacectl transit import"))
    }

    /// Whatever is in the file, questions end with an answer or an error.
    @Test func damagedBytesDoNotEndTheProcess() throws {
        var random = SeededRandom(seed: 11)
        let timetable = try MadeFeed().imported()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: timetable.database.path)))
        let directory = TemporaryDirectory()
        let path = directory(TransitDatabase.fileName)
        let (start, end) = (seconds("2026-11-26T00:00:00Z"), Coordinate(latitude: 52.53, longitude: 13.4))
        var opened = 0
        for _ in 0..<300 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try Data(damaged).write(to: URL(filePath: path))
            guard let database = try? TransitDatabase(in: directory.path) else { continue }
            opened += 1
            _ = try? database.departures(from: [0, 1, 2], after: start, limit: 9, live: LiveTimetable())
            _ = try? database.nextJourneys(
                from: Coordinate(latitude: 52.5, longitude: 13.4), to: end, after: start, walking: WalkingRule(),
                needsBikes: false, live: LiveTimetable())
            _ = try? database.lines()
            _ = try? database.paths(ofLine: 0)
        }
        #expect(opened > 100)
    }
}
