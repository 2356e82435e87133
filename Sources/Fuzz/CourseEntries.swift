import Domain
import Formats
import Import

extension FuzzTarget {
    /// Files with a course, in chunks of 1 to 256 bytes: they are rejected, or their course is valid, and so is the one in
    /// the other direction, and what is written of it is read again.
    static let courses = FuzzTarget(name: "courses", corpus: courseFiles) { bytes in
        guard let course = importedCourse(bytes) else { return }
        expectValid(course.data)
        expectValid(course.data.reversed())
        for format in CourseFormat.allCases {
            let file = format.bytes(course.data, name: course.name, origin: ExportMetadata(serialNumber: 1))
            if let again = importedCourse([255] + file) { expectValid(again.data) }
        }
    }

    private static func importedCourse(_ bytes: [UInt8]) -> ImportedCourse? {
        var reader = CaseReader(bytes)
        let size = Int(reader.byte()) + 1
        var file = CourseImport()
        do {
            while !reader.isAtEnd { try file.feed(reader.bytes(size).span) }
            let course = try file.finish()
            precondition(course.skipped.entries.count <= SkippedElements.nameLimit)
            return course
        } catch {
            precondition(error is FileError)
            return nil
        }
    }

    static func expectValid(_ data: CourseData) {
        precondition((2...CourseData.vertexLimit).contains(data.vertices.count))
        precondition(data.points.count <= CourseData.pointLimit)
        var vertex = 0
        for point in data.points {
            precondition((vertex..<data.vertices.count).contains(point.vertex), "points in order")
            vertex = point.vertex
        }
        for (one, next) in zip(data.vertices, data.vertices.dropFirst()) {
            precondition(one.coordinate != next.coordinate)
            precondition(one.coordinate.latitude.magnitude <= 90 && one.coordinate.longitude.magnitude <= 180)
            precondition((one.elapsedMilliseconds == nil) == (next.elapsedMilliseconds == nil), "all times or none")
            precondition(one.elapsedMilliseconds ?? 0 <= next.elapsedMilliseconds ?? 0)
        }
    }

    /// One course in each format, and other forms of GPX and KML.
    private static let courseFiles: [[UInt8]] = {
        var course = CourseData(sport: .ride)
        for index in 0..<8 {
            course.vertices.append(
                CourseVertex(
                    Coordinate(latitude: 50 + Double(index) / 1000, longitude: index < 4 ? 8 : 8.002),
                    altitude: Double(100 + index), elapsedMilliseconds: Int64(index) * 40_000))
        }
        course.points = [
            CoursePoint(vertex: 3, .right, name: SanitizedText("Right")),
            CoursePoint(vertex: 5, .water, name: SanitizedText("Tap")),
        ]
        let origin = ExportMetadata(serialNumber: 1)
        let written = CourseFormat.allCases.map { $0.bytes(course, name: SanitizedText("Way"), origin: origin) }
        let texts = [
            """
            <gpx><rte><rtept lat="50" lon="8"/><rtept lat="50.01" lon="8"><sym>Left</sym><desc>Turn left</desc><extensions>
            <RoutePointExtension><rpt lat="50.01" lon="7.99"/></RoutePointExtension><turn>TL</turn></extensions></rtept></rte></gpx>
            """,
            """
            <kml><Document><Placemark><name>P</name><gx:Track><when>2026-03-01T07:30:10Z</when><when>2026-03-01T07:31:10Z</when>
            <gx:coord>13.4 52.5 34</gx:coord><gx:coord>13.4 52.6 34</gx:coord></gx:Track></Placemark></Document></kml>
            """,
        ]
        return (written + texts.map { Array($0.utf8) }).map { [63] + $0 }
    }()
}
