import CMath
package import Domain

/// The box around the positions of a route, and the places of positions in it, in metres from its north-west corner.
///
/// The projection is equirectangular at the latitude of the middle: over 100 km its scale is wrong by under 1 %. Longitudes
/// are relative to the first one, so that a route may cross the antimeridian.
package struct RouteFrame: Equatable, Sendable {
    private var origin: Double?
    private var south = Double.infinity
    private var north = -Double.infinity
    private var west = Double.infinity
    private var east = -Double.infinity

    package init() {}

    package var isEmpty: Bool { origin == nil }

    package mutating func add(_ coordinate: Coordinate) {
        if origin == nil { origin = coordinate.longitude }
        let longitude = relative(coordinate.longitude)
        south = min(south, coordinate.latitude)
        north = max(north, coordinate.latitude)
        west = min(west, longitude)
        east = max(east, longitude)
    }

    /// Makes the box larger: to a share of its size, at least to a size in metres, about its middle.
    package mutating func widen(by share: Double, atLeast metres: Double) {
        guard !isEmpty else { return }
        let (width, height) = (max(width * share, metres) - width, max(height * share, metres) - height)
        west -= width / 2 / metresPerDegreeEast
        east += width / 2 / metresPerDegreeEast
        south -= height / 2 / Coordinate.metresPerDegree
        north += height / 2 / Coordinate.metresPerDegree
    }

    /// Metres from west to east.
    package var width: Double { isEmpty ? 0 : (east - west) * metresPerDegreeEast }

    /// Metres from south to north.
    package var height: Double { isEmpty ? 0 : (north - south) * Coordinate.metresPerDegree }

    /// Metres to the east and to the south of the north-west corner.
    package func place(of coordinate: Coordinate) -> (x: Double, y: Double) {
        (
            (relative(coordinate.longitude) - west) * metresPerDegreeEast,
            (north - coordinate.latitude) * Coordinate.metresPerDegree
        )
    }

    private var metresPerDegreeEast: Double {
        Coordinate.metresPerDegree * max(cos((south + north) / 2 * .pi / 180), 1e-6)
    }

    private func relative(_ longitude: Double) -> Double {
        let difference = longitude - (origin ?? longitude)
        return difference > 180 ? difference - 360 : difference < -180 ? difference + 360 : difference
    }
}

extension RecordingSample {
    /// The coordinate, if it is one.
    package var mapped: Coordinate? {
        guard let coordinate, coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
            return nil
        }
        return coordinate
    }
}
