import Domain
import JSONCoding

/// Reads the course of a GeoJSON text: all LineString and MultiLineString geometries, joined in the order of the file.
/// Point features near them become its points.
///
/// Source: RFC 7946.
package struct GeoJSONCourse {
    /// The most bytes of a text, all of which is parsed at once.
    package static let sizeLimit = 16 << 20

    private var course = CourseBuilder()
    private var name: SanitizedText?
    private var uuid: UUID?
    private var lines = 0

    /// - Throws: ``FileError``
    package static func read(_ bytes: [UInt8]) throws(FileError) -> ImportedCourse {
        let root: JSON
        do throws(ParseError) {
            root = try JSON(parsing: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
        } catch {
            throw FileError(at: .byte(error.offset), "expected \(error.expected.text)")
        }
        var file = GeoJSONCourse()
        try file.add(root, properties: nil)
        var imported = try file.course.finish(
            name: file.name ?? root["name"]?.string.flatMap { SanitizedText($0) }, sport: nil,
            missing: "the file has no LineString and no MultiLineString")
        imported.uuid = file.lines == 1 ? file.uuid : nil
        return imported
    }

    private mutating func add(_ value: JSON, properties: JSON?) throws(FileError) {
        switch value["type"]?.string {
        case "FeatureCollection":
            for feature in value["features"]?.array ?? [] { try add(feature, properties: nil) }
        case "Feature":
            if let geometry = value["geometry"], geometry != .null {
                try add(geometry, properties: value["properties"])
            }
        case "GeometryCollection":
            for geometry in value["geometries"]?.array ?? [] { try add(geometry, properties: properties) }
        case "LineString": try add(line: value["coordinates"], properties)
        case "MultiLineString":
            for line in value["coordinates"]?.array ?? [] { try add(line: line, properties) }
        case "Point": try add(point: value["coordinates"] ?? .null, properties)
        case "MultiPoint":
            for point in value["coordinates"]?.array ?? [] { try add(point: point, properties) }
        case let other?: course.skipped.count(other)
        case nil: throw FileError("not GeoJSON: an object has no type")
        }
    }

    private mutating func add(line: JSON?, _ properties: JSON?) throws(FileError) {
        course.beginPart()
        lines += 1
        // The uuid of an exported activity is not that of a course.
        if properties?["creator"] == nil { uuid = properties?["uuid"]?.string.flatMap { UUID($0) } }
        name = name ?? properties?["name"]?.string.flatMap { SanitizedText($0) }
        for (index, position) in (line?.array ?? []).enumerated() {
            do throws(FileError) {
                let (coordinate, altitude) = try Self.position(position)
                try course.add(coordinate, altitude: altitude, time: nil)
            } catch {
                throw FileError("position \(index + 1) of line \(lines): \(error.reason)")
            }
        }
    }

    private mutating func add(point: JSON, _ properties: JSON?) throws(FileError) {
        let (coordinate, _) = try Self.position(point)
        let name = properties?["name"]?.string
        let kind =
            ["kind", "type", "sym"].lazy.compactMap { properties?[$0]?.string }
            .compactMap { CoursePointKind(words: $0) }.first
            ?? name.flatMap { CoursePointKind(words: $0, isName: true) }
        try course.add(
            CourseBuilder.Cue(
                coordinate: coordinate, kind: kind ?? .generic,
                name: SanitizedText(name: name, note: properties?["desc"]?.string)))
    }

    private static func position(_ value: JSON) throws(FileError) -> (Coordinate, Double?) {
        let numbers = value.array ?? []
        var point = ParsedCoursePoint()
        point.longitude = numbers.first?.number
        point.latitude = numbers.dropFirst().first?.number
        return (try point.coordinate(), numbers.dropFirst(2).first?.number)
    }
}
