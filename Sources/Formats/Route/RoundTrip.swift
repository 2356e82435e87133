import CMath
package import Domain

/// A triangle of three equal sides that starts and ends at a place: over its corners leads a round trip.
package struct RoundTrip: Equatable, Sendable {
    package var start: Coordinate
    /// The direction of the middle of the triangle, from the start, in degrees from north.
    package var bearing: Double
    /// Metres of a side.
    package var side: Double

    /// Ways are longer than the straight lines between their ends by about this factor.
    private static let detour = 1.3
    /// The directions that are tried.
    private static let directions = 6
    /// A trip whose length differs by a greater part of the wanted length is tried once more, and ranked after the others.
    package static let tolerance = 0.15

    init(start: Coordinate, bearing: Double, side: Double) {
        self.start = start
        self.bearing = bearing
        self.side = side
    }

    /// Trips in all directions.
    package static func all(from start: Coordinate, metres: Double) -> [RoundTrip] {
        (0..<directions).map {
            RoundTrip(
                start: start, bearing: Double($0) * 360 / Double(directions), side: metres / 3 / detour)
        }
    }

    /// The trip to try in its place, if its way is too long or too short.
    ///
    /// - Parameters:
    ///   - length: that of the way that an engine found, in metres.
    ///   - metres: the wanted length.
    package func corrected(length: Double, metres: Double) -> RoundTrip? {
        guard length > 0, (length - metres).magnitude > metres * Self.tolerance else { return nil }
        var other = self
        // A way that is too long by far has a cause, such as a river, that is no matter of scale.
        other.side *= min(max(metres / length, 0.25), 4)
        return other
    }

    /// The start, the other two corners, and the start.
    package var places: [Coordinate] {
        [start, corner(at: bearing - 30), corner(at: bearing + 30), start]
    }

    /// Source: the direct problem on a sphere; the error of the sphere, 0.5 %, is less than that of the detour.
    private func corner(at bearing: Double) -> Coordinate {
        let radians = Double.pi / 180
        let arc = side / 6_371_008.8
        let latitude = start.latitude * radians
        let direction = bearing * radians
        let sine = sin(latitude) * cos(arc) + cos(latitude) * sin(arc) * cos(direction)
        let other = asin(min(max(sine, -1), 1))
        let east = atan2(sin(direction) * sin(arc) * cos(latitude), cos(arc) - sin(latitude) * sin(other))
        var longitude = start.longitude + east / radians
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return Coordinate(latitude: other / radians, longitude: longitude)
    }
}
