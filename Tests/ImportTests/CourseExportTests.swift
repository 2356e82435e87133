import Domain
import Formats
import TestKit
import Testing

@Suite struct CourseExportTests {
    private static let origin = ExportMetadata(serialNumber: 7, written: UTC(year: 2026, month: 3, day: 1))

    /// A course over the antimeridian with altitudes and a point of each kind.
    private static func made(times: Bool) -> CourseData {
        var course = CourseData(sport: .hike)
        for index in 0..<120 {
            let longitude = 179.95 + Double(index) / 1000
            course.vertices.append(
                CourseVertex(
                    Coordinate(
                        latitude: 50.123_456_7 + Double(index % 7) / 1000,
                        longitude: longitude >= 180 ? longitude - 360 : longitude),
                    altitude: 123.4 + Double(index), elapsedMilliseconds: times ? Int64(index) * 40_000 : nil))
        }
        for (index, kind) in CoursePointKind.allCases.enumerated() {
            course.points.append(
                CoursePoint(
                    vertex: 2 * index + 1, kind, name: index == 4 ? nil : SanitizedText("Nr <\(index)> & \"é\"")))
        }
        return course
    }

    @Test(arguments: CourseFormat.allCases, [true, false])
    func whatIsWrittenIsReadAgain(_ format: CourseFormat, times: Bool) throws {
        let course = Self.made(times: times)
        let name = SanitizedText("Über <den> Berg")
        let read = try ReadCourse.read(format.bytes(course, name: name, origin: Self.origin))
        #expect(read.name?.text == name?.text)
        #expect(read.data.vertices.count == course.vertices.count)
        for (one, other) in zip(course.vertices, read.data.vertices) {
            #expect(abs(one.coordinate.latitude - other.coordinate.latitude) < 1e-6)
            #expect(abs(one.coordinate.longitude - other.coordinate.longitude) < 1e-6)
            #expect(abs((one.altitude ?? 0) - (other.altitude ?? -1)) < 0.2)
            if times, format != .geojson, format != .kml {
                #expect(one.elapsedMilliseconds == other.elapsedMilliseconds)
            }
        }
        #expect(read.data.points.map(\.vertex) == course.points.map(\.vertex))
        // TCX requires a name.
        let names = course.points.map { $0.name?.text ?? (format == .tcx ? "Food" : nil) }
        #expect(read.data.points.map { $0.name?.text } == names)
        if format != .tcx { #expect(read.data.points.map(\.kind) == course.points.map(\.kind)) }
        if [.fit, .gpx].contains(format) { #expect(read.data.sport == .hike) }
    }

    @Test func tcxHasTheKindsOfItsSchema() throws {
        var course = Self.made(times: false)
        let kinds: [(CoursePointKind, CoursePointKind)] = [
            (.left, .left), (.sharpLeft, .left), (.rightFork, .right), (.horsCategory, .horsCategory),
            (.tunnel, .generic),
            (.uTurn, .generic), (.firstAid, .firstAid),
        ]
        course.points = kinds.enumerated().map { CoursePoint(vertex: $0, $1.0, name: SanitizedText("p\($0)")) }
        let read = try ReadCourse.read(CourseFormat.tcx.bytes(course, name: nil, origin: Self.origin))
        #expect(read.data.points.map(\.kind) == kinds.map(\.1))
        #expect(read.name?.text == "Course")
    }

    @Test func timesWithoutThoseOfTheCourseAreOfTenKilometresPerHour() throws {
        let course = Self.made(times: false)
        for format in [CourseFormat.fit, .tcx] {
            let read = try ReadCourse.read(format.bytes(course, name: nil, origin: Self.origin))
            let seconds = Double(read.data.vertices.last?.elapsedMilliseconds ?? 0) / 1000
            #expect(abs(ReadCourse.metres(of: course) / seconds - 10 / 3.6) < 0.01, "\(format)")
        }
        let read = try ReadCourse.read(CourseFormat.gpx.bytes(course, name: nil, origin: Self.origin))
        #expect(read.data.vertices.allSatisfy { $0.elapsedMilliseconds == nil })
    }

    @Test(arguments: ReferenceFile.all(in: "courses", ".fit", ".gpx", ".tcx", ".TCX"), CourseFormat.allCases)
    func coursesOfOthersAreReadAgain(_ file: ReferenceFile, _ format: CourseFormat) throws {
        let course = try ReadCourse.read(file.bytes())
        let read = try ReadCourse.read(format.bytes(course.data, name: course.name, origin: Self.origin))
        // A semicircle is 9 mm, a seventh decimal 11 mm: text makes one vertex of two that are nearer.
        #expect(abs(read.data.vertices.count - course.data.vertices.count) <= (format == .fit ? 0 : 9))
        #expect(read.data.points.count == course.data.points.count)
        for (one, other) in zip(course.data.points, read.data.points) {
            let places = [course.data.vertices[one.vertex], read.data.vertices[other.vertex]]
            #expect(ReadCourse.metres(of: CourseData(vertices: places)) < 1)
        }
    }

    // MARK: The other direction

    @Test func theOtherDirectionSwapsSides() {
        var course = CourseData(sport: .run)
        course.vertices = (0..<5).map {
            CourseVertex(
                Coordinate(latitude: 50 + Double($0) / 100, longitude: 8), altitude: Double($0),
                elapsedMilliseconds: Int64($0))
        }
        course.points = [
            CoursePoint(vertex: 0, .segmentStart, name: SanitizedText("Hill")),
            CoursePoint(vertex: 1, .slightLeft, name: SanitizedText("Left to the mill")),
            CoursePoint(vertex: 1, .rightFork), CoursePoint(vertex: 2, .sharpRight), CoursePoint(vertex: 3, .uTurn),
            CoursePoint(vertex: 3, .water, name: SanitizedText("Tap")), CoursePoint(vertex: 4, .segmentEnd),
        ]
        let reversed = course.reversed()
        #expect(reversed.sport == .run)
        #expect(reversed.vertices.map(\.altitude) == [4, 3, 2, 1, 0])
        #expect(reversed.vertices.allSatisfy { $0.elapsedMilliseconds == nil })
        #expect(
            reversed.points == [
                CoursePoint(vertex: 0, .segmentStart), CoursePoint(vertex: 1, .water, name: SanitizedText("Tap")),
                CoursePoint(vertex: 1, .uTurn), CoursePoint(vertex: 2, .sharpLeft), CoursePoint(vertex: 3, .leftFork),
                CoursePoint(vertex: 3, .slightRight), CoursePoint(vertex: 4, .segmentEnd, name: SanitizedText("Hill")),
            ])
    }
}
