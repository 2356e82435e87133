package import Domain
import Formats
import JSONCoding

/// Writes lines and their ways as one file for maps.
///
/// The positions must be on the Earth. A path of fewer than two positions is left out, and so is a line without a path.
package enum LineExport {
    /// Of the degrees: 0.1 m.
    private static let decimals = 6
    /// The width of a line in KML, in pixels.
    private static let width = 8

    /// KML 2.2: a Placemark for each line, with its title, its color and a MultiGeometry of LineStrings.
    ///
    /// Source: OGC 07-147r2.
    package static func kml(_ lines: [(line: TransitLine, paths: [[Coordinate]])]) -> [UInt8] {
        var text = FileText()
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2"><Document>

            """)
        for (line, paths) in drawn(lines) {
            text.write("<Placemark>")
            text.element("name", escaped: line.title)
            text.write("<Style><LineStyle>")
            text.element("color", escaped: line.color.map(color))
            text.write("<width>\(width)</width></LineStyle></Style><MultiGeometry>\n")
            for path in paths {
                text.write("<LineString><coordinates>\n")
                for position in path {
                    text.write(position.longitude, decimals: decimals)
                    text.write(",")
                    text.write(position.latitude, decimals: decimals)
                    text.write("\n")
                }
                text.write("</coordinates></LineString>\n")
            }
            text.write("</MultiGeometry></Placemark>\n")
        }
        text.write("</Document></kml>\n")
        return text.bytes
    }

    /// A color as KML has it: opaque, then blue, green and red.
    private static func color(_ color: LineColor) -> String {
        "FF" + LineColor(red: color.blue, green: color.green, blue: color.red).text
    }

    /// A FeatureCollection: a MultiLineString for each line, with `id`, `code`, `name` and `color`. What a line lacks
    /// is left out.
    ///
    /// Source: RFC 7946.
    package static func geoJSON(_ lines: [(line: TransitLine, paths: [[Coordinate]])]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "FeatureCollection")
            json.array("features") { json in
                for (line, paths) in drawn(lines) { json.feature(line, paths, decimals: decimals) }
            }
        }
        json.newline()
        return json.bytes
    }

    private static func drawn(
        _ lines: [(line: TransitLine, paths: [[Coordinate]])]
    ) -> [(line: TransitLine, paths: [[Coordinate]])] {
        lines.map { ($0.line, $0.paths.filter { $0.count > 1 }) }.filter { !$0.paths.isEmpty }
    }
}

extension JSONWriter {
    fileprivate mutating func feature(_ line: TransitLine, _ paths: [[Coordinate]], decimals: Int) {
        object { json in
            json.member("type", "Feature")
            json.object("properties") {
                $0.member("id", line.id)
                $0.member("code", line.code.isEmpty ? nil : line.code)
                $0.member("name", line.name.isEmpty ? nil : line.name)
                $0.member("color", line.color.map { "#" + $0.text })
            }
            json.object("geometry") { json in
                json.member("type", "MultiLineString")
                json.array("coordinates") { json in
                    for path in paths {
                        json.array { json in
                            for position in path {
                                json.array {
                                    $0.value(position.longitude, decimals: decimals)
                                    $0.value(position.latitude, decimals: decimals)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
