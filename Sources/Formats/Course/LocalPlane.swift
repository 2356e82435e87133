import CMath
import Domain

/// A plane that touches the Earth at a place, in metres east and north of it, for distances of some kilometres.
struct LocalPlane {
    let origin: Coordinate
    private let metresEast: Double

    struct Point {
        var east: Double
        var north: Double
    }

    init(at origin: Coordinate) {
        self.origin = origin
        metresEast = Coordinate.metresPerDegree * cos(origin.latitude * .pi / 180)
    }

    func point(_ coordinate: Coordinate) -> Point {
        Point(
            east: Coordinate.wrapped(coordinate.longitude - origin.longitude) * metresEast,
            north: (coordinate.latitude - origin.latitude) * Coordinate.metresPerDegree)
    }

    /// The end of a step that starts at `point`. A step over the meridian opposite to the origin stays short.
    func point(after point: Point, from start: Coordinate, to end: Coordinate) -> Point {
        Point(
            east: point.east + Coordinate.wrapped(end.longitude - start.longitude) * metresEast,
            north: (end.latitude - origin.latitude) * Coordinate.metresPerDegree)
    }
}

extension LocalPlane.Point {
    /// Returns the part of the way from `start` to `end`, 0...1, that is nearest to this point, and its distance.
    func projection(from start: Self, to end: Self) -> (part: Double, metres: Double) {
        let (stepEast, stepNorth) = (end.east - start.east, end.north - start.north)
        let square = stepEast * stepEast + stepNorth * stepNorth
        let along = (east - start.east) * stepEast + (north - start.north) * stepNorth
        let part = square > 0 ? min(max(along / square, 0), 1) : 0
        return (part, hypot(start.east + part * stepEast - east, start.north + part * stepNorth - north))
    }
}

extension Coordinate {
    /// A difference of longitudes as −180..<180.
    static func wrapped(_ degrees: Double) -> Double {
        let turned = degrees >= 180 || degrees < -180 ? degrees - 360 * ((degrees + 180) / 360).rounded(.down) : degrees
        return turned >= 180 ? -180 : turned
    }

    /// Metres to a place not far from here, on a sphere. Its longitudes are those of the latitude between the two.
    func metres(to other: Coordinate) -> Double {
        let north = (other.latitude - latitude) * Self.metresPerDegree
        let middle = (latitude + other.latitude) / 2 * .pi / 180
        let east = Self.wrapped(other.longitude - longitude) * Self.metresPerDegree * cos(middle)
        return hypot(east, north)
    }

    /// A place between this one and another, on the shorter way round the Earth.
    func between(_ other: Coordinate, part: Double) -> Coordinate {
        let east = Self.wrapped(other.longitude - longitude)
        return Coordinate(
            latitude: latitude + part * (other.latitude - latitude),
            longitude: Self.wrapped(longitude + part * east))
    }
}

extension LocalPlane {
    /// The angle by which the way from `start` over `middle` to `end` turns there, in degrees; positive to the left.
    static func angle(_ start: Point, _ middle: Point, _ end: Point) -> Double {
        let (east, north) = (middle.east - start.east, middle.north - start.north)
        let (eastAfter, northAfter) = (end.east - middle.east, end.north - middle.north)
        return atan2(east * northAfter - north * eastAfter, east * eastAfter + north * northAfter) * 180 / .pi
    }
}
