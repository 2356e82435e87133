import Domain

/// Estimates the direction of movement from positions some metres apart, or takes the receiver's.
struct HeadingEstimator {
    /// Degrees from true north; nil before the first movement.
    private(set) var heading: Double?
    private var older: Coordinate?
    private var newer: Coordinate?

    /// Metres between two of the positions.
    private static let baseline = 8.0
    /// Metres per second: the receiver's direction is noise below.
    private static let leastSpeed = 1.5

    mutating func receive(_ coordinate: Coordinate, speed: Double?, track: Double?) {
        guard let newer else {
            newer = coordinate
            return
        }
        let point = LocalPlane(around: newer).point(coordinate)
        if point.x * point.x + point.y * point.y >= Self.baseline * Self.baseline {
            older = newer
            self.newer = coordinate
            heading = Bearing.degrees(x: point.x, y: point.y)
        }
        if let track, let speed, speed >= Self.leastSpeed { heading = track }
    }
}
