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

    private let directory: TestKit.TemporaryDirectory
    private let check: Checker

    init() throws {
        directory = try TestKit.TemporaryDirectory()
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
