import Domain
import Formats
import Import
import JSONCoding
import Testing
import Transit

@Suite struct LineExportTests {
    private static let paths = [
        [Coordinate(latitude: 40.7914, longitude: -77.8586), Coordinate(latitude: 40.1234564, longitude: -77)],
        [Coordinate(latitude: -0.000001, longitude: 180), Coordinate(latitude: 0, longitude: 179.5)],
    ]
    private static let line = TransitLine(
        id: "42", code: "VE", name: "Vairo <\"Blvd\"> & Co", color: LineColor(red: 0x12, green: 0xCC, blue: 0x0A))

    private static func kml(_ lines: [(line: TransitLine, paths: [[Coordinate]])]) -> String {
        String(decoding: LineExport.kml(lines), as: UTF8.self)
    }

    private static func geoJSON(_ lines: [(line: TransitLine, paths: [[Coordinate]])]) -> String {
        String(decoding: LineExport.geoJSON(lines), as: UTF8.self)
    }

    @Test func kmlHasAPlacemarkWithTheTitleAndTheColorOfEachLine() {
        #expect(
            Self.kml([(Self.line, Self.paths), (TransitLine(id: "1", code: "", name: "A"), [Self.paths[0]])]) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <kml xmlns="http://www.opengis.net/kml/2.2"><Document>
                <Placemark><name>VE - Vairo &lt;&quot;Blvd&quot;&gt; &amp; Co</name>\
                <Style><LineStyle><color>FF0ACC12</color><width>8</width></LineStyle></Style><MultiGeometry>
                <LineString><coordinates>
                -77.8586,40.7914
                -77,40.123456
                </coordinates></LineString>
                <LineString><coordinates>
                180,-0.000001
                179.5,0
                </coordinates></LineString>
                </MultiGeometry></Placemark>
                <Placemark><name>A</name><Style><LineStyle><width>8</width></LineStyle></Style><MultiGeometry>
                <LineString><coordinates>
                -77.8586,40.7914
                -77,40.123456
                </coordinates></LineString>
                </MultiGeometry></Placemark>
                </Document></kml>

                """)
    }

    @Test func geoJSONHasAFeatureWithThePropertiesOfEachLine() throws {
        let text = Self.geoJSON([
            (Self.line, Self.paths), (TransitLine(id: "1", code: "", name: "A"), [Self.paths[1]]),
        ])
        #expect(
            text == """
                {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"42","code":"VE",\
                "name":"Vairo \\u003c\\"Blvd\\"> & Co","color":"#12CC0A"},"geometry":{"type":"MultiLineString",\
                "coordinates":[[[-77.8586,40.7914],[-77,40.123456]],[[180,-0.000001],[179.5,0]]]}},\
                {"type":"Feature","properties":{"id":"1","name":"A"},"geometry":{"type":"MultiLineString",\
                "coordinates":[[[180,-0.000001],[179.5,0]]]}}]}

                """)
        let json = try JSON(parsing: text.utf8)
        #expect(json["features"]?.array?.first?["properties"]?["name"]?.string == Self.line.name)
    }

    @Test func linesAndPathsWithoutTwoPositionsAreLeftOut() throws {
        let lines: [(line: TransitLine, paths: [[Coordinate]])] = [
            (TransitLine(id: "1", code: "none", name: ""), []),
            (TransitLine(id: "2", code: "short", name: ""), [[], [Self.paths[0][0]]]),
            (Self.line, [[], Self.paths[0], [Self.paths[0][0]]]),
        ]
        #expect(LineExport.kml(lines) == LineExport.kml([(Self.line, [Self.paths[0]])]))
        #expect(LineExport.geoJSON(lines) == LineExport.geoJSON([(Self.line, [Self.paths[0]])]))
        #expect(Self.geoJSON([]) == "{\"type\":\"FeatureCollection\",\"features\":[]}\n")
    }

    @Test func linesAreReadBackFromKML() throws {
        let lines = LineList.cata.lines.enumerated().map { index, entry in
            let path = (0..<20).map { position in
                let number = (20 * index + position) * 7_368_787
                return Coordinate(
                    latitude: Double(number % 180_000_001 - 90_000_000) / 1e6,
                    longitude: Double(number % 360_000_001 - 180_000_000) / 1e6)
            }
            return (line: entry.line, paths: [path, path.reversed()])
        }
        let trace = try readTrace(LineExport.kml(lines))
        #expect(trace.paths == lines.flatMap(\.paths))
        #expect(trace.placemarks == lines.count)
    }
}
