import CMath
package import Domain

/// A plane of metres around a position: x east, y north.
package struct LocalPlane {
    /// Metres in 1e-7 degrees.
    private let north = Coordinate.metresPerDegree * 1e-7
    private let east: Double
    private let latitude: Double
    private let longitude: Double

    package init(around origin: Coordinate) {
        latitude = origin.latitude * 1e7
        longitude = origin.longitude * 1e7
        east = north * max(cos(origin.latitude * .pi / 180), 1e-6)
    }

    func point(latitude: Int32, longitude: Int32) -> (x: Double, y: Double) {
        (eastward(Double(longitude) - self.longitude) * east, (Double(latitude) - self.latitude) * north)
    }

    func point(_ coordinate: Coordinate) -> (x: Double, y: Double) {
        (eastward(coordinate.longitude * 1e7 - longitude) * east, (coordinate.latitude * 1e7 - latitude) * north)
    }

    /// Metres from the origin to the nearest point of a box.
    func distance(to box: Course.Box) -> Double {
        let low = point(latitude: box.latitudes.lowerBound, longitude: box.longitudes.lowerBound)
        let high = point(latitude: box.latitudes.upperBound, longitude: box.longitudes.upperBound)
        // A box across the antimeridian spans the Earth.
        let x = low.x <= high.x ? max(low.x, -high.x, 0) : 0
        let y = max(low.y, -high.y, 0)
        return (x * x + y * y).squareRoot()
    }

    /// The shorter way around the Earth, in units of 1e-7 degrees.
    private func eastward(_ difference: Double) -> Double {
        difference > 1.8e9 ? difference - 3.6e9 : difference < -1.8e9 ? difference + 3.6e9 : difference
    }
}

/// Directions in degrees from true north.
enum Bearing {
    /// Of a vector, 0 up to 360.
    static func degrees(x: Double, y: Double) -> Double {
        let degrees = atan2(x, y) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// The angle between two bearings, 0 to 180.
    static func angle(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other).truncatingRemainder(dividingBy: 360)
        return difference > 180 ? 360 - difference : difference
    }
}

extension Course {
    /// The nearest point of a segment.
    package struct Place: Equatable {
        var segment: Int
        /// Metres from the start of the course.
        package internal(set) var metres: Double
        /// Metres from the position to the point, and the bearing there, in degrees.
        package internal(set) var distance: Double
        var direction: Double
        /// Whether the position is on the right of the course.
        var isRight: Bool
        /// Degrees, of the course.
        var bearing: Double
    }

    var segmentCount: Int { max(distances.count - 1, 1) }

    func place(on segment: Int, in plane: LocalPlane) -> Place {
        let end = min(segment + 1, distances.count - 1)
        let from = plane.point(latitude: latitudes[segment], longitude: longitudes[segment])
        let to = plane.point(latitude: latitudes[end], longitude: longitudes[end])
        let (x, y) = (to.x - from.x, to.y - from.y)
        let squared = x * x + y * y
        let part = squared > 0 ? min(max(-(from.x * x + from.y * y) / squared, 0), 1) : 0
        let (nearX, nearY) = (from.x + part * x, from.y + part * y)
        return Place(
            segment: segment, metres: distances[segment] + part * (distances[end] - distances[segment]),
            distance: (nearX * nearX + nearY * nearY).squareRoot(),
            direction: Bearing.degrees(x: nearX, y: nearY),
            isRight: x * nearY - y * nearX > 0, bearing: Bearing.degrees(x: x, y: y))
    }

    /// The place at a distance from the start.
    func place(at metres: Double, in plane: LocalPlane) -> Place {
        let segment = segment(at: metres)
        var place = place(on: segment, in: plane)
        let end = min(segment + 1, distances.count - 1)
        let length = distances[end] - distances[segment]
        let part = length > 0 ? min(max((metres - distances[segment]) / length, 0), 1) : 0
        let from = plane.point(latitude: latitudes[segment], longitude: longitudes[segment])
        let to = plane.point(latitude: latitudes[end], longitude: longitudes[end])
        let (x, y) = (from.x + part * (to.x - from.x), from.y + part * (to.y - from.y))
        place.metres = distances[segment] + part * length
        place.distance = (x * x + y * y).squareRoot()
        place.direction = Bearing.degrees(x: x, y: y)
        return place
    }

    /// The segment of a distance from the start.
    func segment(at metres: Double) -> Int {
        var (low, high) = (0, segmentCount - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if distances[middle] <= metres { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Calls `body` with each segment that is not farther away than `limit` metres, in order, and some that are.
    func eachSegment(within limit: Double, from metres: Double = 0, in plane: LocalPlane, _ body: (Int) -> Void) {
        let first = segment(at: max(metres, 0))
        for box in (first / Self.boxSize)..<boxes.count where plane.distance(to: boxes[box]) <= limit {
            let start = max(box * Self.boxSize, first)
            for segment in start..<max(min((box + 1) * Self.boxSize, segmentCount), start) { body(segment) }
        }
    }

    /// The nearest place at `metres` from the start or beyond.
    package func nearest(from metres: Double, in plane: LocalPlane) -> Place {
        let first = segment(at: max(metres, 0))
        var best = place(on: first, in: plane)
        for box in (first / Self.boxSize)..<boxes.count where plane.distance(to: boxes[box]) < best.distance {
            let start = max(box * Self.boxSize, first)
            for segment in start..<max(min((box + 1) * Self.boxSize, segmentCount), start) {
                let place = place(on: segment, in: plane)
                if place.distance < best.distance { best = place }
            }
        }
        return best
    }

    /// - Parameters:
    ///   - count: two or more.
    ///   - climbScore: the smallest climb that counts, in metres times percent.
    package func samples(_ count: Int, climbScore: Int) -> CourseSamples {
        let places = (0..<count).map { length * Double($0) / Double(count - 1) }
        return CourseSamples(
            length: length, distances: places, altitudes: places.compactMap { value(altitudes, at: $0) },
            climbs: climbs(leastScore: climbScore))
    }

    /// A value of the vertices between them, at a distance from the start; nil if it is unknown.
    package func value(_ values: [Float], at metres: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let segment = segment(at: metres)
        let end = min(segment + 1, values.count - 1)
        let length = distances[end] - distances[segment]
        let part = length > 0 ? min(max((metres - distances[segment]) / length, 0), 1) : 0
        return Double(values[segment]) + (Double(values[end]) - Double(values[segment])) * part
    }
}
