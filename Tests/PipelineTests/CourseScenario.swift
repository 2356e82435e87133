import Domain
import Pipeline
import TestKit

/// A made way of straight legs, and somebody who follows it.
struct CourseScenario {
    /// Metres east and north of 52° N 13° E, at each second of the follower.
    typealias Point = (x: Double, y: Double)

    static let origin = Coordinate(latitude: 52, longitude: 13)

    static func coordinate(_ point: Point) -> Coordinate {
        let plane = Coordinate.metresPerDegree
        return Coordinate(
            latitude: origin.latitude + point.y / plane, longitude: origin.longitude + point.x / plane / 0.615_661_475)
    }

    static func point(_ coordinate: Coordinate) -> Point {
        let plane = Coordinate.metresPerDegree
        return (
            (coordinate.longitude - origin.longitude) * plane * 0.615_661_475,
            (coordinate.latitude - origin.latitude) * plane
        )
    }

    /// A course with a vertex each 20 m along the corners.
    static func course(_ corners: [Point], points: [CoursePoint] = [], altitude: (Double) -> Double? = { _ in nil })
        -> Course
    {
        var metres = 0.0
        var before: Point?
        let vertices = along(corners, step: 20).map { point in
            if let before { metres += distance(before, point) }
            before = point
            return CourseVertex(coordinate(point), altitude: altitude(metres))
        }
        return Course(CourseData(vertices: vertices, points: points), hash: CourseHash(1))
    }

    /// Points along the corners, each a step after the one before, and the last corner.
    static func along(_ corners: [Point], step: Double) -> [Point] {
        var points = [corners[0]]
        var rest = step
        for (from, to) in zip(corners, corners.dropFirst()) {
            let length = distance(from, to)
            var place = rest
            while place < length {
                points.append((from.x + (to.x - from.x) * place / length, from.y + (to.y - from.y) * place / length))
                place += step
            }
            rest = place - length
        }
        points.append(corners[corners.count - 1])
        return points
    }

    static func distance(_ one: Point, _ other: Point) -> Double {
        ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
    }

    /// Adds noise whose root mean square is `metres` and whose correlation decays in 30 s.
    static func noisy(_ points: [Point], metres: Double, seed: UInt64) -> [Point] {
        var random = SeededRandom(seed: seed)
        let sigma = metres / 2.0.squareRoot()
        // exp(-1/30)
        let kept = 0.967_216
        let added = (1 - kept * kept).squareRoot() * sigma
        var noise: Point = (random.normal() * sigma, random.normal() * sigma)
        return points.map { point in
            noise = (noise.x * kept + random.normal() * added, noise.y * kept + random.normal() * added)
            return (point.x + noise.x, point.y + noise.y)
        }
    }
}

/// Follows a course with a matcher, one fix a second, and notes what it does.
struct FollowedCourse {
    var matcher = CourseMatcher()
    let course: Course
    /// The changes, with their seconds.
    var changes: [(second: Int, change: CourseMatcher.Change)] = []
    /// Seconds at which the progress moved by 30 m more than the follower, without a change.
    var jumps: [Int] = []
    /// The same of the nearest place of the whole course, by 100 m.
    var naiveJumps = 0

    private var newest: (second: Int, point: CourseScenario.Point, progress: Double?)?
    private var naive: Double?

    init(_ course: Course) {
        self.course = course
    }

    var progress: Double? { matcher.place?.metres }
    var offs: [Int] {
        changes.compactMap { if case .off = $0.change { $0.second } else { nil } }
    }

    /// - Parameters:
    ///   - points: of consecutive seconds; nil where there is no fix.
    ///   - eph: the error estimate of the fixes, in metres.
    mutating func follow(_ points: [CourseScenario.Point?], eph: Double = 5) {
        for (second, point) in points.enumerated() {
            let now = Instant(milliseconds: Int64(second) * 1000)
            if let change = matcher.tick(at: now) { changes.append((second, change)) }
            guard let point else { continue }
            let coordinate = CourseScenario.coordinate(point)
            let change = matcher.receive(CourseMatcher.Fix(coordinate: coordinate, at: now, accuracy: eph), on: course)
            if let change { changes.append((second, change)) }
            let nearest = course.nearest(from: 0, in: LocalPlane(around: coordinate)).metres
            if let newest {
                let moved = CourseScenario.distance(newest.point, point)
                let isLost = second - newest.second > 10
                if let before = newest.progress, let progress, change == nil, !isLost,
                    abs(progress - before) > moved + 30
                {
                    jumps.append(second)
                }
                if let naive, abs(nearest - naive) > moved + 100 { naiveJumps += 1 }
            }
            naive = nearest
            newest = (second, point, progress)
        }
    }
}

extension ScriptedRun {
    /// Follows points, one a second; nil where there is no fix.
    mutating func follow(_ points: [CourseScenario.Point?], speed: Double) {
        for point in points {
            wait(.milliseconds(990))
            if let point {
                var fix = nextFix(speed: speed)
                let coordinate = CourseScenario.coordinate(point)
                fix.latitude = coordinate.latitude
                fix.longitude = coordinate.longitude
                receive(.fix(fix))
            }
            wait(.milliseconds(10))
        }
    }
}
