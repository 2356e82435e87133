import Domain
import Formats
import Import
import JSONCoding
import TestKit
import Testing

@Suite struct TraceImportTests {
    private static func read(_ text: String) throws -> KMLTrace {
        try readTrace(Array(text.utf8))
    }

    private static func error(_ bytes: [UInt8]) -> String? {
        do throws(FileError) {
            _ = try readTrace(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    private static func error(_ text: String) -> String? {
        error(Array(text.utf8))
    }

    private static func line(_ coordinates: String) -> String {
        "<LineString><coordinates>\(coordinates)</coordinates></LineString>"
    }

    private static func placemark(_ content: String) -> String {
        "<kml><Placemark>\(content)</Placemark></kml>"
    }

    private static func path(_ coordinates: [(longitude: Double, latitude: Double)]) -> [Coordinate] {
        coordinates.map { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    }

    // MARK: Files of others

    @Test func linesAreThoseThatAnotherReaderFinds() throws {
        var lines = 0
        for file in ReferenceFile.all(in: "kml", ".kml") {
            guard let other = ReferenceFile.all(in: "kml", file.name + ".geojson").first else { continue }
            let bytes = try file.bytes()
            // The other reader makes lines of tracks too.
            let hasTrack = String(decoding: bytes, as: UTF8.self).contains("Track>")
            let expected = hasTrack ? [] : Self.lines(in: try JSON(parsing: other.bytes()))
            #expect(try readTrace(bytes).paths == expected.filter { $0.count > 1 }, "\(file)")
            lines += expected.count
        }
        #expect(lines >= 4)
    }

    /// The LineStrings of GeoJSON, wherever they are.
    private static func lines(in json: JSON) -> [[Coordinate]] {
        if json["type"]?.string == "LineString" {
            let positions = json["coordinates"]?.array ?? []
            return [
                positions.compactMap(\.array).filter { $0.count > 1 }.map { position in
                    Coordinate(latitude: position[1].number ?? .nan, longitude: position[0].number ?? .nan)
                }
            ]
        }
        let children = (json["features"]?.array ?? []) + (json["geometries"]?.array ?? [])
        return (children + [json["geometry"]].compactMap(\.self)).flatMap { lines(in: $0) }
    }

    @Test func elementsAreAsManyAsTheReferenceCounts() throws {
        let reference = try #require(ReferenceFile.all(in: "kml", "truth.json").first)
        let truth = try JSON(parsing: reference.bytes())
        for file in ReferenceFile.all(in: "kml", ".kml") {
            let counts = try #require(truth[file.name])
            func count(_ name: String) -> Int { counts[name]?.integer ?? 0 }
            let trace = try readTrace(file.bytes())
            // One of the placemarks of this file is deleted by an Update.
            let deleted = file.name == "libkml-all-arrays.kml" ? 1 : 0
            #expect(trace.placemarks == count("Placemark") - deleted, "\(file)")
            #expect(trace.lineStrings == count("LineString"), "\(file)")
            #expect(trace.skipped["Polygon"] == count("Polygon"), "\(file)")
            if count("Point") + count("LinearRing") == 0 {
                #expect(trace.paths.map(\.count).reduce(0, +) == count("coord_tuples"), "\(file)")
            }
        }
    }

    // MARK: What is read

    @Test func linesOfAllFoldersAreInTheOrderOfTheFile() throws {
        let trace = try Self.read(
            """
            <kml xmlns="http://www.opengis.net/kml/2.2"><Placemark>\(Self.line("1,2 3,4"))</Placemark>
            <Document><Folder><name>F</name><Folder><Placemark><name>P</name>
            <MultiGeometry>\(Self.line("5,6,7\n\t8,9,10\r\n"))
            <MultiGeometry>\(Self.line(" -1.5e1,0.25 -16,-0.5,"))</MultiGeometry></MultiGeometry>
            \(Self.line("1,1 2,2"))</Placemark></Folder></Folder></Document></kml>
            """)
        #expect(
            trace.paths == [
                Self.path([(1, 2), (3, 4)]), Self.path([(5, 6), (8, 9)]), Self.path([(-15, 0.25), (-16, -0.5)]),
                Self.path([(1, 1), (2, 2)]),
            ])
        #expect(trace.placemarks == 2)
        #expect(trace.lineStrings == 4)
        #expect(trace.skipped.entries.isEmpty)
    }

    @Test func otherGeometryIsLeftOut() throws {
        let ring = "<LinearRing><coordinates>0,0 0,1 1,1 0,0</coordinates></LinearRing>"
        let trace = try Self.read(
            Self.placemark(
                """
                <MultiGeometry><Point><coordinates>1,2</coordinates></Point>\(ring)
                <Polygon><outerBoundaryIs>\(ring)</outerBoundaryIs></Polygon>\(Self.line("1,2 3,4"))
                <Track><when>2026-03-01T07:30:10Z</when><coord>1 2</coord><coord>1 3</coord></Track></MultiGeometry>
                \(ring)
                """))
        #expect(trace.paths == [Self.path([(1, 2), (3, 4)])])
        #expect(trace.lineStrings == 1)
        #expect(trace.skipped["LinearRing"] == 2)
        #expect(trace.skipped["Polygon"] == 1)
        #expect(trace.skipped.entries.count == 2)
    }

    @Test func linesOfFewerThanTwoPositionsAreDropped() throws {
        let trace = try Self.read(
            Self.placemark("<MultiGeometry>\(Self.line(""))\(Self.line("1,2"))\(Self.line("1,2 1,2"))</MultiGeometry>"))
        #expect(trace.paths == [Self.path([(1, 2), (1, 2)])])
        #expect(trace.lineStrings == 3)
    }

    // MARK: Limits and errors

    @Test(arguments: ["181,0", "0,-90.001", "1e9,1"])
    func positionThatIsNotOnTheEarthIsRefusedWithItsLine(_ position: String) throws {
        let error = try #require(Self.error("<kml>\n<Placemark>\n" + Self.line("0,0 \(position) 1,1")))
        #expect(error.hasPrefix("line 3, column "))
        #expect(error.contains("a position is not on the Earth"))
    }

    @Test(arguments: ["1", "1,", "1,x", "nan,1", ",1", "1;2"])
    func positionWithoutTwoNumbersIsRefusedWithItsLine(_ position: String) throws {
        let error = try #require(Self.error("<kml>\n<Placemark>\n" + Self.line("0,0 \(position) 1,1")))
        #expect(error.hasPrefix("line 3, column "))
        #expect(error.contains("no latitude and longitude that are numbers"))
    }

    @Test func linesAreLimited() throws {
        let lines = String(repeating: Self.line("1,2 3,4"), count: KMLTrace.lineLimit)
        #expect(try Self.read(Self.placemark(lines)).paths.count == KMLTrace.lineLimit)
        let error = Self.error(Self.placemark(lines + Self.line("1,2 3,4")))
        #expect(error?.hasSuffix("the file has more than 2000 lines") == true)
    }

    @Test func positionsOfAllLinesTogetherAreLimited() throws {
        let half = Self.line(String(repeating: "1,2 ", count: KMLTrace.positionLimit / 2))
        #expect(try Self.read(Self.placemark(half + half)).paths.map(\.count) == [100_000, 100_000])
        let error = Self.error(Self.placemark(half + half + Self.line("1,2")))
        #expect(error?.hasSuffix("the lines have more than 200000 positions") == true)
    }

    @Test func filesOfOtherKindsAreRefused() {
        #expect(Self.error("") == "the file is empty")
        #expect(Self.error("404 page not found") == "not a KML file")
        #expect(Self.error([0x1F, 0x8B, 8, 0])?.contains("gunzip") == true)
        #expect(Self.error("PK\u{3}\u{4}")?.contains("KMZ") == true)
        #expect(Self.error("<gpx/>")?.hasSuffix("not a KML file: its first element is <gpx>") == true)
        #expect(Self.error("<!DOCTYPE html><html/>")?.contains("document type declarations") == true)
        #expect(Self.error("<kml><Placemark>")?.hasPrefix("line 1, column ") == true)
    }
}
