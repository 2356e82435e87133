import Domain
import Pipeline
import TestKit
import Testing

@Suite struct CourseProfileTests {
    /// A course to the east with a vertex each 30 m.
    private static func course(_ kilometres: Double, _ altitude: (Double) -> Double?) -> Course {
        CourseScenario.course([(0, 0), (kilometres * 1000, 0)], altitude: altitude)
    }

    @Test func `Noise of a terrain model adds little to the ascent`() throws {
        var random = SeededRandom(seed: 3)
        // 300 m up and down again, with steps of up to 2 m.
        let course = Self.course(12) { metres in
            100 + 300 * (metres < 6000 ? metres : 12_000 - metres) / 6000 + Double.random(in: -1...1, using: &random)
        }
        #expect(abs(try #require(course.ascent) - 300) < 15)
    }

    @Test func `What remains falls where the course climbs`() throws {
        let course = Self.course(10) { 100 + 40 * (1 - ($0 / 1000 - 5) * ($0 / 1000 - 5) / 25) }
        let half = try #require(course.value(course.ascents, at: 2500))
        // The parabola has risen by three quarters at a quarter of the way.
        #expect(abs(half - 30) < 2)
        #expect(abs(try #require(course.value(course.ascents, at: 7500)) - 40) < 2)
        #expect(zip(course.ascents, course.ascents.dropFirst()).allSatisfy { $0.0 <= $0.1 })
    }

    @Test func `A dip within a climb does not add the climb a second time`() throws {
        // 120 m up in two parts, with 3 m down between them: less than a turning point of noisy altitudes.
        var random = SeededRandom(seed: 5)
        let course = Self.course(12) { metres in
            let level =
                metres < 5000 ? metres / 50 : metres < 6500 ? 100 - (metres - 5000) / 500 : 97 + (metres - 6500) / 230
            return 100 + level + Double.random(in: -0.8...0.8, using: &random)
        }
        #expect(zip(course.ascents, course.ascents.dropFirst()).allSatisfy { $0.0 <= $0.1 })
        #expect(abs(try #require(course.value(course.ascents, at: 6600)) - 100) < 4)
        #expect(abs(try #require(course.ascent) - 121) < 6)
    }

    @Test func `Missing altitudes are crossed for 500 m, beyond that there is no profile`() {
        let flat = Self.course(5) { (2000...2400).contains($0) ? nil : 100 }
        #expect(flat.ascent == 0)
        #expect(Self.course(5) { (2000...2600).contains($0) ? nil : 100 }.ascent == nil)
        #expect(Self.course(5) { $0 > 4400 ? nil : 100 }.ascent == nil)
        #expect(Self.course(5) { _ in nil }.altitudes.isEmpty)
    }

    @Test func `A climb needs 500 m, 3 % and its score`() {
        func climbs(_ length: Double, _ grade: Double) -> [Climb] {
            Self.course(6) { 100 + grade * min(max($0 - 2000, 0), length) }.climbs
        }
        #expect(climbs(2000, 0.05).count == 1)
        #expect(climbs(440, 0.1).isEmpty)
        #expect(climbs(3000, 0.025).isEmpty)
        // The score is 100 times the ascent in metres: 12 m are too little.
        #expect(climbs(600, 0.02).isEmpty)
    }

    @Test func `A climb ends at its top, a fall of 20 m divides two, a terrace does not`() throws {
        // 100 m up in 2 km, then down 30 m, then 100 m up in 2 km.
        let two = Self.course(8) { metres in
            100 + 0.05 * min(metres, 2000) - 0.05 * min(max(metres - 2000, 0), 600)
                + 0.05 * min(max(metres - 2600, 0), 2000)
        }
        #expect(two.climbs.count == 2)
        let first = try #require(two.climbs.first)
        #expect(abs(first.start) < 100 && abs(first.top - 2000) < 100)
        #expect(abs(first.averageGrade - 5) < 0.3)
        let terrace = Self.course(8) { metres in
            100 + 0.05 * min(metres, 2000) + 0.05 * min(max(metres - 2500, 0), 2000)
        }
        #expect(terrace.climbs.count == 1)
        #expect(abs((terrace.climbs.first?.ascent ?? 0) - 200) < 5)
    }

    @Test func `A course of one vertex, or of equal ones, has no length`() {
        let vertex = CourseVertex(CourseScenario.origin, altitude: 5)
        for count in [1, 2, 3] {
            let course = Course(
                CourseData(vertices: Array(repeating: vertex, count: count)), hash: CourseHash(of: [1]))
            #expect(course.length == 0)
            let place = course.nearest(from: 0, in: LocalPlane(around: CourseScenario.coordinate((3, 4))))
            #expect(abs(place.distance - 5) < 0.1)
        }
    }

    @Test func `A course across the antimeridian is one line`() {
        let vertices = [179.99, -179.99].map { CourseVertex(Coordinate(latitude: 0, longitude: $0)) }
        let course = Course(CourseData(vertices: vertices), hash: CourseHash(1))
        #expect(abs(course.length - 2226) < 3)
        let plane = LocalPlane(around: Coordinate(latitude: 0.001, longitude: 180))
        let place = course.nearest(from: 0, in: plane)
        #expect(abs(place.metres - 1113) < 3)
        #expect(abs(place.distance - 111) < 1)
    }

    @Test func `A hash reads back, and differs for each byte`() {
        let hash = CourseHash(of: Array("paced".utf8))
        #expect(CourseHash(hash.description) == hash)
        #expect(CourseHash(of: []).description == "6c62272e07bb014262b821756295c58d")
        #expect(CourseHash(of: [0x61]).description == "d228cb696f1a8caf78912b704e4a8964")
        #expect(CourseHash("00") == nil && CourseHash(hash.description.uppercased()) == nil)
    }
}
