import Domain
import Formats
import Foundation
import Import
import Pipeline
import TestKit
import Testing

/// Courses in files, checked by independent readers and by the schemas of the formats.
@Suite struct CourseFileTests {
    static let files = ReferenceFile.all(in: "courses", ".fit", ".gpx", ".tcx").filter { !$0.name.hasPrefix("trackeR") }
    private static let schemas = ReferenceFile.collection.appending(path: "xsd")
    private static let hasSchemas = FileManager.default.fileExists(atPath: schemas.path)
    private static let origin = ExportMetadata(serialNumber: 7, written: UTC(year: 2026, month: 3, day: 1))

    private let directory: TemporaryDirectory
    private let check: Checker

    init() throws {
        directory = TemporaryDirectory()
        check = try Checker("check_fit")
    }

    private static func read(_ file: ReferenceFile) throws -> ImportedCourse {
        try ReadCourse.read(file.bytes())
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = directory(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: files)
    func otherReadersReadAnExportedCourse(file: ReferenceFile) throws {
        let course = try Self.read(file)
        let path = try write(
            CourseFormat.fit.bytes(course.data, name: course.name, origin: Self.origin), "course.fit")
        let words = try check(["course", path]).split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        #expect(words.prefix(2) == ["course", course.name?.text ?? "Course"])
        #expect(words.count == 3 + course.data.points.count)
    }

    @Test(.enabled(if: hasSchemas, "needs the schemas in ../shared/data/xsd"), arguments: files)
    func exportedCourseIsValidForItsSchema(file: ReferenceFile) throws {
        let course = try Self.read(file)
        for (format, schema) in [(CourseFormat.gpx, "all-gpx.xsd"), (.tcx, "all-tcx.xsd"), (.kml, "kml22gx.xsd")] {
            let path = try write(
                format.bytes(course.data, name: course.name, origin: Self.origin), "course." + format.rawValue)
            try Tool.run(
                "xmllint", "--noout", "--nonet", "--schema", Self.schemas.appending(path: schema).path, path)
        }
    }

    /// Vertices, kinds and names: in FIT by Garmin's SDK and fitdecode, in GeoJSON by geojson, in KML by fastkml.
    @Test(arguments: files)
    func otherReadersReadTheSamePlaces(file: ReferenceFile) throws {
        let course = try Self.read(file)
        let reader = try Checker("read_courses")
        for (format, nameLimit, metres) in [
            (CourseFormat.fit, 15, 0.101), (.geojson, .max, 0.00051), (.kml, .max, 0.00051),
        ] {
            let path = try write(
                format.bytes(course.data, name: course.name, origin: Self.origin), "course." + format.rawValue)
            let lines = try reader([path]).split(separator: "\n").map { $0.split(separator: " ", maxSplits: 4) }
            // fastkml makes one of equal positions.
            let written = format == .kml ? Self.differing(course.data.vertices) : course.data.vertices
            try #require(lines.count == 2 + written.count + course.data.points.count, "\(lines.last ?? [])")
            #expect(lines[1].joined(separator: " ") == "name " + (course.name?.text ?? "-"))
            let different = zip(written, lines[2...]).first { vertex, line in
                line[0] != "v" || !Self.isNear(vertex, line[1], line[2])
                    || !Self.isNear(vertex.altitude, Double(line[3]), metres)
            }
            #expect(different == nil, "\(format)")
            for (point, line) in zip(course.data.points, lines[(2 + written.count)...]) {
                var name = point.name?.text ?? "-"
                while name.utf8.count > nameLimit { name.removeLast() }
                #expect(line[0] == "p" && line[1] == point.kind.rawValue && line[4] == name)
                #expect(Self.isNear(course.data.vertices[point.vertex], line[2], line[3]))
            }
        }
    }

    /// Without the vertices whose text is that of the vertex before.
    private static func differing(_ vertices: [CourseVertex]) -> [CourseVertex] {
        func text(_ vertex: CourseVertex) -> [Double] {
            [
                (vertex.coordinate.latitude * 1e7).rounded(), (vertex.coordinate.longitude * 1e7).rounded(),
                ((vertex.altitude ?? -1e6) * 1000).rounded(),
            ]
        }
        return vertices.prefix(1) + zip(vertices, vertices.dropFirst()).filter { text($0) != text($1) }.map(\.1)
    }

    /// Whether degrees are a vertex within the resolution of all formats, 1e-7°.
    private static func isNear(_ vertex: CourseVertex, _ latitude: Substring, _ longitude: Substring) -> Bool {
        isNear(vertex.coordinate.latitude, Double(latitude), 0.51e-7)
            && isNear(vertex.coordinate.longitude, Double(longitude), 0.51e-7)
    }

    private static func isNear(_ one: Double?, _ other: Double?, _ bound: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= bound
    }

    @Test func activityNamesTheCourseThatItFollowed() throws {
        let made = SyntheticRecording.ride(seed: 5)
        var data = CourseData(sport: .ride)
        for index in 0..<50 {
            data.vertices.append(CourseVertex(Coordinate(latitude: 50 + 0.001 * Double(index), longitude: 8)))
        }
        data.points = [
            CoursePoint(vertex: 10, .left, name: SanitizedText("Mill Lane, and what follows it")),
            CoursePoint(vertex: 20, .water),
        ]
        var recording = made.recording
        let plain = try FitFile.export(recording, made.rows)
        recording.course = LoadedCourse(
            hash: CourseHash(1), number: 1, name: SanitizedText("Round the lake"),
            course: Course(data, hash: CourseHash(1)))
        let bytes = try FitFile.export(recording, made.rows)
        let path = try write(bytes, "ride.fit")
        #expect(try check(["valid", path]) == "")
        let words = try check(["course", path])
        #expect(words == "activity;Round the lake;cycling;1112,left,Mill Lane, and ;2225,water,")
        // An import reads the same activity.
        let (with, without) = try (FitFile(bytes), FitFile(plain))
        #expect(with.rows == without.rows && with.recording == without.recording)
    }
}
