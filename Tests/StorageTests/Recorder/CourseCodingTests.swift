import Domain
import JournalCoding
import TestKit
import Testing

struct CourseCodingTests {
    static func course(vertices: Int = 200, seed: UInt64 = 1) -> CourseData {
        var random = SeededRandom(seed: seed)
        var data = CourseData(sport: .ride)
        var (latitude, longitude, altitude, elapsed) = (520_000_000, 133_000_000, 3400, Int64(0))
        for index in 0..<vertices {
            latitude += Int.random(in: -900...900, using: &random)
            longitude += Int.random(in: -900...1500, using: &random)
            altitude += Int.random(in: -120...120, using: &random)
            elapsed += Int64.random(in: 500...3000, using: &random)
            data.vertices.append(
                CourseVertex(
                    Coordinate(latitude: Double(latitude) * 1e-7, longitude: Double(longitude) * 1e-7),
                    altitude: index % 7 == 3 ? nil : Double(altitude) / 100,
                    elapsedMilliseconds: index % 5 == 4 ? nil : elapsed))
        }
        data.points = [
            CoursePoint(vertex: 0, .info, name: SanitizedText("Start")), CoursePoint(vertex: 9, .left, isDerived: true),
            CoursePoint(vertex: vertices - 1, .summit, name: SanitizedText("Große Höhe")),
        ]
        return data
    }

    @Test func coursesAreReadAsWritten() throws {
        for seed in 1...20 {
            let data = Self.course(vertices: 2 + 10 * seed, seed: UInt64(seed))
            var plain = data
            plain.sport = nil
            if seed == 1 { plain.points = [] }
            for index in plain.vertices.indices {
                plain.vertices[index].altitude = nil
                plain.vertices[index].elapsedMilliseconds = nil
            }
            for data in [data, plain] where data.points.allSatisfy({ $0.vertex < data.vertices.count }) {
                let bytes = try data.encoded()
                #expect(try CourseData(decoding: bytes) == data)
                #expect(try CourseData(decoding: bytes).encoded() == bytes)
            }
        }
    }

    @Test func numbersOfTypesAreUnchanged() {
        #expect(Set(CourseData.storedKinds).count == CourseData.storedKinds.count)
        #expect(Set(CourseData.storedKinds) == Set(CoursePointKind.allCases))
        #expect(CourseData.storedKinds.firstIndex(of: .info) == 52 && CourseData.storedKinds.firstIndex(of: .left) == 6)
    }

    @Test func longCourseTakes200Kilobytes() throws {
        var data = Self.course(vertices: 30_000)
        for index in data.vertices.indices { data.vertices[index].elapsedMilliseconds = nil }
        #expect(try data.encoded().count < 200_000)
    }

    /// Neither cut nor changed bytes crash, and no cut course is read.
    @Test func damagedBytesAreRejected() throws {
        let bytes = try Self.course(vertices: 40).encoded()
        for count in 0..<bytes.count {
            #expect(throws: CourseFailure.self) { try CourseData(decoding: Array(bytes.prefix(count))) }
        }
        var random = SeededRandom(seed: 7)
        for _ in 0..<5000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if let data = try? CourseData(decoding: changed) { _ = try data.encoded() }
        }
    }

    @Test func impossibleCoursesAreRejectedWithTheirPlace() {
        func failure(_ change: (inout CourseData) -> Void) -> String? {
            var data = Self.course(vertices: 12)
            change(&data)
            do throws(CourseFailure) {
                _ = try data.encoded()
                return nil
            } catch {
                return error.description
            }
        }
        #expect(failure { $0.vertices = [] } == "a course has at least 2 vertices")
        #expect(failure { $0.vertices[4].coordinate.latitude = 91 } == "vertex 5: the position is not on the Earth")
        #expect(failure { $0.vertices[4].coordinate.longitude = .nan } == "vertex 5: the position is not on the Earth")
        #expect(failure { $0.vertices[5].altitude = 1e6 } == "vertex 6: the altitude is not plausible")
        #expect(
            failure { $0.vertices[6].elapsedMilliseconds = 0 }
                == "vertex 7: the time is before that of the vertex before")
        #expect(
            failure { $0.points[1].vertex = 12 }
                == "course point 2: its vertex does not exist, or is before the one before")
    }

    @Test func curvesAreReadAsWritten() throws {
        let points: [(elapsedMilliseconds: Int64, metres: Double)] = [
            (0, 0), (1000, 2.5), (2000, 2.5), (60_000, 250.125),
        ]
        let hash = CourseHash(of: [1, 2, 3])
        for course in [hash, nil] {
            let bytes = try PartnerCurve.encoded(course: course, points)
            let curve = try PartnerCurve(decoding: bytes)
            #expect(curve.course == course && curve.hash == CourseHash(of: bytes))
            #expect(curve.elapsedMilliseconds == [0, 1000, 2000, 60_000] && curve.metres == [0, 2.5, 2.5, 250.125])
            for count in 0..<bytes.count {
                #expect(throws: CourseFailure.self) { try PartnerCurve(decoding: Array(bytes.prefix(count))) }
            }
        }
        #expect(throws: CourseFailure.self) { try PartnerCurve.encoded(course: nil, [(0, 0), (0, 1)]) }
    }
}
