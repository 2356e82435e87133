import Console
import Domain
import Formats
import Foundation
import TestKit
import Testing

@Suite struct ElevationTests {
    private static func vertices(_ places: [(Double, Double)]) -> [CourseVertex] {
        places.map { CourseVertex(Coordinate(latitude: $0.0, longitude: $0.1)) }
    }

    /// A tile whose elevation is the row plus twice the column, and unknown at one place.
    private static func write(_ name: String, in directory: TemporaryDirectory, void: (Int, Int)? = nil) throws {
        var bytes: [UInt8] = []
        for row in 0..<1201 {
            for column in 0..<1201 {
                let value = void.map { $0 == (row, column) } == true ? Int16.min : Int16(row + 2 * column)
                bytes += [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
            }
        }
        try Data(bytes).write(to: URL(filePath: directory.path + "/" + name))
    }

    @Test func tilesHaveTheNamesOfTheirSouthWestCorners() {
        for (latitude, longitude, name) in [
            (45.5, 6.9, "N45E006.hgt"), (-0.1, -0.1, "S01W001.hgt"), (-33.9, 151.2, "S34E151.hgt"),
            (90, 180, "N89W180.hgt"), (-90, -180, "S90W180.hgt"), (9, 100, "N09E100.hgt"),
        ] as [(Double, Double, String)] {
            #expect(ElevationTile(at: Coordinate(latitude: latitude, longitude: longitude)).fileName == name)
        }
    }

    @Test func altitudesAreBetweenTheElevationsAroundThem() throws {
        let directory = TemporaryDirectory()
        try Self.write("N50E008.hgt", in: directory)
        try Self.write("N50E007.hgt", in: directory)
        let tiles = ElevationTiles([directory.path + "/none", directory.path])
        let places = [(50.75, 8), (50, 8), (50.5, 8.25), (50.5 + 0.4 / 1200, 8.25 + 0.5 / 1200), (50.5, 7.5)]
        let altitudes = try #require(try tiles.altitudes(of: Self.vertices(places)))
        for (altitude, expected) in zip(altitudes, [300, 1200, 1200, 1200.6, 1800]) {
            #expect(abs(altitude - expected) < 1e-6)
        }
    }

    @Test func anUnknownElevationOrAMissingTileLeavesAllOut() throws {
        let directory = TemporaryDirectory()
        try Self.write("N50E008.hgt", in: directory, void: (600, 600))
        let tiles = ElevationTiles([directory.path])
        #expect(try tiles.altitudes(of: Self.vertices([(50.1, 8.1), (50.2, 8.1)])) != nil)
        #expect(try tiles.altitudes(of: Self.vertices([(50.1, 8.1), (50.4999, 8.5001)])) == nil)
        #expect(try tiles.altitudes(of: Self.vertices([(50.1, 8.1), (51.1, 8.1)])) == nil)
    }

    @Test func aFileOfAnotherSizeIsNamed() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/N50E008.hgt"
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        #expect(
            throws: Failure.failed(
                "\(path) has 3 bytes, but a tile of elevations has 2884802 or 25934402; replace or remove it")
        ) { try ElevationTiles([directory.path]).altitudes(of: Self.vertices([(50.5, 8.5)])) }
    }

    @Test func aCourseWithoutAltitudesGetsThem() throws {
        let directory = TemporaryDirectory()
        try Self.write("N50E008.hgt", in: directory)
        let path = directory.path + "/way.geojson"
        func read(_ coordinates: String) throws -> [Double?] {
            try Data("{\"type\": \"LineString\", \"coordinates\": \(coordinates)}".utf8).write(to: URL(filePath: path))
            let file = CourseFile(path: path, tiles: ElevationTiles([directory.path]))
            return try file.read().data.vertices.map { $0.altitude.map { $0.rounded() } }
        }
        #expect(try read("[[8, 50], [8, 50.5]]") == [1200, 600])
        #expect(try read("[[8, 50, 7], [8, 50.5]]") == [7, nil])
        #expect(try read("[[8, 50], [9, 50.5]]") == [nil, nil])
    }
}
