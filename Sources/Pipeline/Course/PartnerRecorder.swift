package import Domain

/// Makes the curve of a partner from the samples of an activity: its distance, or its progress on a course.
///
/// On a course the curve begins where the activity came onto it, and has no points while the activity was off it.
package struct PartnerRecorder {
    /// Active time and metres, rising; the first of both is 0.
    package private(set) var points: [(elapsedMilliseconds: Int64, metres: Double)] = []
    private let course: Course?
    private var matcher = CourseMatcher()
    private var startMilliseconds: Int64 = 0
    /// The least time between two points. It doubles when there are too many.
    private var interval: Int64 = 1

    /// Metres along the course that a partner must have covered.
    private static let leastOnCourse = 100.0

    /// - Parameter course: nil for a partner on bare distance.
    package init(on course: Course?) {
        self.course = course
    }

    /// Whether the activity has moved, along the course if there is one.
    package var isUsable: Bool {
        guard points.count > 1, let last = points.last else { return false }
        guard let course else { return last.metres > 0 }
        return last.metres - points[1].metres >= min(Self.leastOnCourse, course.length / 2)
    }

    package mutating func receive(_ sample: RecordingSample) {
        guard let metres = metres(of: sample) else { return }
        // Who waits before the first vertex of the course has not set off.
        if points.isEmpty || course != nil && metres == 0 {
            // The place of the course at which the activity came onto it follows the start at once.
            startMilliseconds = course == nil ? 0 : sample.elapsedMilliseconds - 1
            points = [(0, 0)]
        }
        let elapsed = sample.elapsedMilliseconds - startMilliseconds
        guard let last = points.last, elapsed >= last.elapsedMilliseconds + interval, metres >= last.metres else {
            return
        }
        if points.count == PartnerCurve.limit { thin() }
        points.append((elapsed, metres))
    }

    private mutating func metres(of sample: RecordingSample) -> Double? {
        guard let course else { return sample.distanceMetres }
        let now = Instant(milliseconds: sample.elapsedMilliseconds)
        _ = matcher.tick(at: now)
        if let coordinate = sample.coordinate {
            _ = matcher.receive(CourseMatcher.Fix(coordinate: coordinate, at: now, speed: sample.speed), on: course)
        }
        switch matcher.status {
        case .on: return matcher.place?.metres
        case .done: return points.last?.metres == course.length ? nil : course.length
        case .off, .rejoining, .wrongWay: return nil
        }
    }

    /// Drops every second point, except the first.
    private mutating func thin() {
        points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        interval = max(interval * 2, (points.last?.elapsedMilliseconds ?? 0) / Int64(points.count))
    }
}
