import CMath
package import Domain

/// The circles around the start and the end of an activity in which its positions are hidden.
///
/// A circle's centre is not the position but a point more than half of the radius away, so that the middle of many circles
/// is not the home that all of them contain. The way to it depends on a secret and on the place only: activities that begin
/// at one place have the same circle, or almost, and give no more away together than one of them.
package struct HiddenPlaces: Equatable, Sendable {
    /// In metres.
    package let radius: Int
    private var centres: [Coordinate] = []

    /// The largest radius in metres.
    package static let largestRadius = 5000

    /// The size of a cell in degrees of latitude: 500 m.
    private static let cell = 500 / Coordinate.metresPerDegree

    /// - Parameters:
    ///   - radius: in metres, from 1 to ``largestRadius``.
    ///   - hash: of numbers, two numbers from 0 to 1 that nobody can predict without the secret.
    package init(_ rows: some RecordingRows, radius: Int, hash: ([Int64]) throws -> (Double, Double)) throws {
        var ends: (first: Coordinate, last: Coordinate)?
        try rows.each { row in
            guard case .sample(let sample) = row, let coordinate = sample.mapped else { return }
            ends = (ends?.first ?? coordinate, coordinate)
        }
        try self.init(around: ends.map { [$0.first, $0.last] } ?? [], radius: radius, hash: hash)
    }

    /// - Parameter ends: starts and ends of activities.
    package init(
        around ends: [Coordinate], radius: Int, hash: ([Int64]) throws -> (Double, Double)
    ) rethrows {
        self.radius = radius
        centres = try ends.map { try Self.moved($0, radius, hash) }
    }

    /// Whether the activity has positions.
    var isEmpty: Bool { centres.isEmpty }

    package func contains(_ coordinate: Coordinate) -> Bool {
        centres.contains { centre in
            var east = coordinate.longitude - centre.longitude
            if east > 180 { east -= 360 }
            if east < -180 { east += 360 }
            let x = east * cos(centre.latitude * .pi / 180) * Coordinate.metresPerDegree
            let y = (coordinate.latitude - centre.latitude) * Coordinate.metresPerDegree
            return (x * x + y * y).squareRoot() <= Double(radius)
        }
    }

    /// The point that a position's circle is around: 0.58 to 0.64 of the radius away.
    ///
    /// Direction and distance are means of those of the four corners of the position's 500 m cell, by its distances to
    /// them. So they change little over the noise of a receiver, also where two cells meet.
    private static func moved(
        _ position: Coordinate, _ radius: Int, _ hash: ([Int64]) throws -> (Double, Double)
    ) throws -> Coordinate {
        let row = (position.latitude / cell).rounded(.down)
        let north = position.latitude / cell - row
        var (angle, length) = (0.0, 0.0)
        for (row, share) in [(row, 1 - north), (row + 1, north)] {
            let width = cell / max(cos(row * cell * .pi / 180), 0.01)
            let column = (position.longitude / width).rounded(.down)
            let east = position.longitude / width - column
            for (column, part) in [(column, 1 - east), (column + 1, east)] {
                let value = try hash([Int64(row), Int64(column), Int64(radius)])
                // Two turns, so that all directions are about as likely as their means are.
                angle += share * part * value.0 * 4 * .pi
                length += share * part * (0.58 + 0.06 * value.1) * Double(radius)
            }
        }
        let metresEast = Coordinate.metresPerDegree * max(cos(position.latitude * .pi / 180), 0.01)
        return Coordinate(
            latitude: position.latitude + length * cos(angle) / Coordinate.metresPerDegree,
            longitude: position.longitude + length * sin(angle) / metresEast)
    }
}
