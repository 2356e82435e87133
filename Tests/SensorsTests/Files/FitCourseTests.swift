import Domain
import Formats
import TestKit
import Testing

/// Course files that are built byte by byte.
@Suite struct FitCourseTests {
    private static func read(_ file: FitBytes) throws -> ImportedCourse {
        var reader = FitCourse()
        try reader.feed(file.file().span)
        return try reader.finish()
    }

    private static func text(_ text: String, size: Int) -> [UInt8] {
        Array(text.utf8) + Array(repeating: 0, count: size - text.utf8.count)
    }

    /// Five records to the north, 10 s and 1e-3° apart, and two points: before the records, and after them.
    private static func course(isBigEndian: Bool) -> FitBytes {
        var file = FitBytes.activity(type: 6, isBigEndian: isBigEndian)
        // Sport and name.
        file.define(4, 31, [[4, 1, 0], [5, 12, 7]], isBigEndian: isBigEndian)
        file.add([4, 17] + text("Zur Mühle", size: 12))
        // Index, time, latitude, longitude, distance, type, name.
        file.define(
            5, 32,
            [[254, 2, 0x84], [1, 4, 0x86], [2, 4, 0x85], [3, 4, 0x85], [4, 4, 0x86], [5, 1, 0], [6, 10, 7]],
            isBigEndian: isBigEndian)
        func point(_ index: UInt16, record: Int, _ type: UInt8, _ name: String) {
            file.add(
                [5] + FitBytes.bytes(of: index, isBigEndian)
                    + FitBytes.bytes(of: FitBytes.time(10 * record), isBigEndian)
                    + FitBytes.bytes(of: latitude(record), isBigEndian) + FitBytes.bytes(of: Int32(-1000), isBigEndian)
                    + FitBytes.bytes(of: UInt32(11_119 * record), isBigEndian) + [type] + text(name, size: 10))
        }
        point(0, record: 1, 20, "Mill Lane")
        for record in 0..<5 {
            file.record(
                10 * record, latitude: latitude(record), centimetres: UInt32(11_119 * record), isBigEndian: isBigEndian)
        }
        point(1, record: 3, 3, "")
        return file
    }

    private static func latitude(_ record: Int) -> Int32 {
        626_349_397 + Int32(record) * 11_930
    }

    @Test(arguments: [false, true]) func bothByteOrdersGiveTheSameCourse(isBigEndian: Bool) throws {
        let course = try Self.read(Self.course(isBigEndian: isBigEndian))
        #expect(course.name?.text == "Zur Mühle")
        #expect(course.data.sport == .hike)
        #expect(course.data.vertices.map(\.elapsedMilliseconds) == [0, 10_000, 20_000, 30_000, 40_000])
        for (record, vertex) in course.data.vertices.enumerated() {
            #expect(vertex.coordinate.latitude == Double(Self.latitude(record)) * 180 / 0x1p31)
            #expect(vertex.coordinate.longitude == -1000 * 180 / 0x1p31)
        }
        #expect(
            course.data.points == [
                CoursePoint(vertex: 1, .sharpLeft, name: SanitizedText("Mill Lane")), CoursePoint(vertex: 3, .water),
            ])
    }

    /// Records whose first byte has the five lowest bits of the time, in a big-endian file.
    @Test func compressedTimestampsAreTheTimesOfTheVertices() throws {
        var file = Self.course(isBigEndian: true)
        file.define(3, 20, [[0, 4, 0x85], [1, 4, 0x85]], isBigEndian: true)
        let low = UInt8(FitBytes.time(40) & 0x1F)
        for (index, later) in ([6, 36] as [UInt8]).enumerated() {
            file.add(
                [0x80 | 3 << 5 | (low &+ later) & 0x1F] + FitBytes.bytes(of: Self.latitude(5 + index), true)
                    + FitBytes.bytes(of: Int32(-1000), true))
        }
        let course = try Self.read(file)
        #expect(
            course.data.vertices.map(\.elapsedMilliseconds) == [0, 10_000, 20_000, 30_000, 40_000, 46_000, 76_000])
        #expect(course.data.points.map(\.vertex) == [1, 3])
    }
}
