import Domain
import Pipeline
import TestKit
import Testing

/// The matcher on made ways. `CoursePairTests` has recorded ones.
@Suite struct CourseMatcherTests {
    private typealias Point = CourseScenario.Point

    /// Ways that pass the same places more than once.
    private static let ways: [(name: String, corners: [Point])] = [
        ("out and back", [(0, 0), (1500, 0), (1500, 800), (1500, 0), (0, 0)]),
        ("loop", [(0, 0), (900, 0), (900, 700), (0, 700), (0, 0)]),
        ("figure of eight", [(0, 0), (600, 600), (1200, 600), (1200, 0), (600, 0), (0, 600), (-300, 300), (0, 0)]),
        (
            "three laps",
            (0..<3).flatMap { _ in [(0.0, 0.0), (400.0, 0.0), (400.0, 300.0), (0.0, 300.0)] } + [(0.0, 0.0)]
        ),
        ("lollipop", [(0, 0), (700, 0), (700, 500), (1300, 500), (1300, 0), (700, 0), (0, 0)]),
        ("switchbacks", [(0, 0), (600, 0), (600, 60), (0, 60), (0, 120), (600, 120), (600, 180), (0, 180)]),
    ]

    private static func length(_ corners: [Point]) -> Double {
        zip(corners, corners.dropFirst()).reduce(0) { $0 + CourseScenario.distance($1.0, $1.1) }
    }

    /// A follower at 3.3 m/s, 4 m to the right of the way.
    private static func follower(_ corners: [Point], speed: Double = 3.3) -> [Point] {
        let points = CourseScenario.along(corners, step: speed)
        return points.indices.map { index in
            let (from, to) = (points[max(index - 1, 0)], points[min(index + 1, points.count - 1)])
            let length = max(CourseScenario.distance(from, to), 0.1)
            let (x, y) = ((to.x - from.x) / length, (to.y - from.y) / length)
            return (points[index].x + 4 * y, points[index].y - 4 * x)
        }
    }

    /// Requires that a way was followed to its end, without jumps and without leaving it.
    private static func check(_ name: String, _ corners: [Point], _ points: [Point?]) -> Int {
        var followed = FollowedCourse(CourseScenario.course(corners))
        followed.follow(points)
        #expect(followed.jumps.isEmpty, "\(name)")
        #expect(followed.offs.isEmpty, "\(name): \(followed.changes)")
        let length = length(corners)
        #expect(abs((followed.progress ?? 0) - length) <= max(length * 0.01, 15), "\(name)")
        #expect(followed.matcher.status == .done, "\(name)")
        return followed.naiveJumps
    }

    @Test func `Ways that pass the same places again are followed to the end, both ways round`() {
        var naiveJumps = 0
        for (name, corners) in Self.ways {
            naiveJumps += Self.check(name, corners, Self.follower(corners))
            let reversed = Array(corners.reversed())
            naiveJumps += Self.check(name + ", reversed", reversed, Self.follower(reversed))
        }
        #expect(naiveJumps > 20)
    }

    @Test func `One fix of five, a tunnel of a minute and noise change nothing`() {
        for (index, way) in Self.ways.enumerated() {
            let points = Self.follower(way.corners)
            let sparse = points.enumerated().map { $0.offset.isMultiple(of: 5) ? $0.element : nil }
            _ = Self.check(way.name + ", one of five", way.corners, sparse)
            let middle = points.count / 3
            let tunnel = points.enumerated().map { (middle..<middle + 60).contains($0.offset) ? nil : $0.element }
            _ = Self.check(way.name + ", tunnel", way.corners, tunnel)
            for metres in [5.0, 10, 15] {
                // The legs of the switchbacks are nearer than two receivers with such noise can tell apart.
                if way.name == "switchbacks", metres > 10 { continue }
                let noisy = CourseScenario.noisy(points, metres: metres, seed: UInt64(index) * 10 + UInt64(metres))
                _ = Self.check(way.name + ", noise of \(metres) m", way.corners, noisy)
            }
        }
    }

    @Test func `A run can come onto the course anywhere`() {
        let corners = Self.ways[1].corners
        var followed = FollowedCourse(CourseScenario.course(corners))
        followed.follow(CourseScenario.along([(900, 200), (900, 700), (0, 700), (0, 0)], step: 3))
        #expect(followed.changes.first?.change == .on(skipped: 0))
        #expect(followed.matcher.status == .done)
        #expect(followed.jumps.isEmpty)
    }

    @Test func `A lost position is not off course`() {
        let corners = Self.ways[0].corners
        var followed = FollowedCourse(CourseScenario.course(corners))
        let points = Self.follower(corners)
        followed.follow(points.indices.map { $0 < 100 ? points[$0] : nil })
        #expect(followed.matcher.status == .on)
        #expect(followed.offs.isEmpty)
    }

    @Test func `The wrong way is recognized after 100 m, and its end after 30 m`() throws {
        let corners: [Point] = [(0, 0), (3000, 0)]
        var followed = FollowedCourse(CourseScenario.course(corners))
        followed.follow(CourseScenario.along([(0, 0), (1000, 0), (600, 0), (1500, 0)], step: 3))
        let changes = followed.changes.map(\.change)
        #expect(changes == [.on(skipped: 0), .wrongWay, .on(skipped: 0)])
        // 1000 m there, and 100 m back.
        #expect((366...372).contains(try #require(followed.changes.dropFirst().first).second))
        #expect((475...482).contains(try #require(followed.changes.last).second))
    }

    @Test func `An early turn on a course that comes back is not the wrong way`() {
        let corners: [Point] = [(0, 0), (1000, 0), (0, 0)]
        var followed = FollowedCourse(CourseScenario.course(corners))
        followed.follow(CourseScenario.along([(0, 0), (930, 0), (0, 0)], step: 3))
        #expect(!followed.changes.contains { $0.change == .wrongWay })
        #expect(followed.matcher.status == .done)
    }

    @Test func `A skipped part is reported when the course is reached again`() throws {
        let corners: [Point] = [(0, 0), (1000, 0), (1000, 600), (2000, 600)]
        var followed = FollowedCourse(CourseScenario.course(corners))
        followed.follow(
            CourseScenario.along([(0, 0), (600, 0), (600, 800), (1600, 800), (1600, 600), (2000, 600)], step: 3))
        #expect(followed.offs.count == 1)
        let back = try #require(followed.changes.dropFirst(2).first)
        guard case .on(let skipped) = back.change else {
            Issue.record("\(followed.changes)")
            return
        }
        // Left at 600 m, reached again at 2200 m of the course.
        #expect((1570...1630).contains(skipped))
        #expect(followed.matcher.status == .done)
    }

    @Test(arguments: [5.0, 17]) func `Detours are reported in time, short ones never`(eph: Double) {
        let threshold = max(40, 3 * eph)
        let corners: [Point] = [(0, 0), (3000, 0)]
        for seed in UInt64(1)...40 {
            var random = SeededRandom(seed: seed)
            let speed = Double.random(in: 2...8, using: &random)
            let beside = Double.random(in: 60...400, using: &random)
            let isShort = seed.isMultiple(of: 4)
            let stays = isShort ? 0 : Double.random(in: 25...120, using: &random) * speed
            // A short one turns back so that it is beyond the threshold for 8 s at most.
            let away = isShort ? threshold + 3.5 * speed : max(beside, threshold + 20)
            let way: [Point] = [(0, 0), (800, 0), (800, away), (800 + stays, away), (800 + stays, 0), (3000, 0)]
            let every = seed.isMultiple(of: 3) ? 5 : 1
            let points = CourseScenario.along(way, step: speed)
            var followed = FollowedCourse(CourseScenario.course(corners))
            followed.follow(points.indices.map { $0.isMultiple(of: every) ? points[$0] : nil }, eph: eph)
            if isShort {
                #expect(followed.offs.isEmpty, "seed \(seed)")
                continue
            }
            let crossed = points.firstIndex { $0.y > threshold } ?? 0
            let near = points.lastIndex { $0.y > 25 } ?? 0
            #expect(followed.offs.count == 1, "seed \(seed)")
            #expect((crossed...crossed + 12).contains(followed.offs.first ?? 0), "seed \(seed)")
            let back = followed.changes.last { if case .on = $0.change { true } else { false } }
            #expect((near - 1...near + 5).contains(back?.second ?? 0), "seed \(seed): \(followed.changes)")
        }
    }
}
