import CMath
package import Domain

/// The shortest way between two places on a sphere of the mean radius of the Earth. Its length differs from that on the
/// ellipsoid by at most 0.6 %.
package struct GreatCircle: Equatable, Sendable {
    package let metres: Double
    /// The direction at the start, in degrees from true north, 0 to below 360.
    package let bearing: Double

    /// Source: haversine formula.
    package init(from start: Coordinate, to end: Coordinate) {
        let radians = Double.pi / 180
        let (one, other) = (start.latitude * radians, end.latitude * radians)
        let turn = (end.longitude - start.longitude) * radians
        let (half, halfTurn) = (sin((other - one) / 2), sin(turn / 2))
        let square = half * half + cos(one) * cos(other) * halfTurn * halfTurn
        metres = 2 * Self.radius * asin(min(square.squareRoot(), 1))
        let angle =
            atan2(
                sin(turn) * cos(other), cos(one) * sin(other) - sin(one) * cos(other) * cos(turn)) / radians
        bearing = angle < 0 ? angle + 360 : angle
    }

    private static let radius = 6_371_008.8
}
