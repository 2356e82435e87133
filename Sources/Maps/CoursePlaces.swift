package import Domain
import Pipeline

/// A place along a course.
package struct CoursePlace: Equatable, Sendable {
    package var place: Place
    /// Metres along the course from the progress to where the course passes the place.
    package var ahead: Double
    /// Metres from there to the place.
    package var distance: Double
    package var side: Side

    package enum Side: String, Equatable, Sendable {
        case left, right
        /// Within 10 m.
        case on = "on course"
    }

    /// Metres there and back, in a straight line.
    package var detour: Double { 2 * distance }

    private static let onCourse = 10.0

    /// Nil if the course ahead does not pass the place.
    ///
    /// - Parameters:
    ///   - metres: the progress along the course.
    ///   - width: metres to each side.
    package init?(_ place: Place, along course: Course, from metres: Double, width: Double) {
        guard let passing = course.passing(place.position, from: metres, width: width) else { return nil }
        self.place = place
        ahead = passing.metres - metres
        distance = passing.distance
        side = passing.distance <= Self.onCourse ? .on : passing.isRight ? .right : .left
    }

    /// Whether it is listed before another one: the nearer passing, then the smaller detour.
    package static func isBefore(_ one: CoursePlace, _ other: CoursePlace) -> Bool {
        (one.ahead, one.distance, one.place.id.stored, one.place.kind.rawValue)
            < (other.ahead, other.distance, other.place.id.stored, other.place.kind.rawValue)
    }
}

extension Course {
    /// The boxes that contain all places within `width` metres of the course ahead. They are small, and overlap.
    package func corridor(from metres: Double, width: Double) -> [GeographicBox] {
        let first = distances.lastIndex { $0 <= metres } ?? 0
        var merged: [Box] = []
        for box in boxes.dropFirst(first / Self.boxSize) {
            if let last = merged.last {
                let both = Box(
                    latitudes: Self.union(last.latitudes, box.latitudes),
                    longitudes: Self.union(last.longitudes, box.longitudes))
                if Self.isSmall(both) {
                    merged[merged.count - 1] = both
                    continue
                }
            }
            merged.append(box)
        }
        return merged.flatMap { box in
            GeographicBox(
                south: Double(box.latitudes.lowerBound) * 1e-7, west: Double(box.longitudes.lowerBound) * 1e-7,
                north: Double(box.latitudes.upperBound) * 1e-7, east: Double(box.longitudes.upperBound) * 1e-7
            ).widened(by: width)
        }
    }

    private static func union(_ one: ClosedRange<Int32>, _ other: ClosedRange<Int32>) -> ClosedRange<Int32> {
        min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound)
    }

    /// Whether each side has at most 0.02 degrees.
    private static func isSmall(_ box: Box) -> Bool {
        [box.latitudes, box.longitudes].allSatisfy { Int64($0.upperBound) - Int64($0.lowerBound) <= 200_000 }
    }
}
