package import Domain

/// Limits counted distance to a speed, whatever sensor measures it: positions, a wheel, a foot pod or a treadmill.
///
/// Contract: the metres that it allows in any stretch of monotonic time are at most the speed times the stretch plus 10 s. The 10 s
/// cover late delivery. Metres that are counted once for a longer span, as across a gap, belong to that span.
///
/// It is a leaky bucket: allowed metres fill it, and it leaks at the speed.
package struct DistanceLimit: Sendable {
    /// Seconds of distance at the full speed that the bucket holds.
    package static let burstSeconds = 10.0

    /// Metres per second.
    private let fastest: Double
    /// Metres by which the stretch with the most distance for its time exceeds the speed; 0 to ``slack`` times the speed.
    private var excess = 0.0
    private var countedAt: Instant

    /// - Parameters:
    ///   - fastest: metres per second.
    ///   - now: the first stretch begins here.
    package init(fastest: Double, at now: Instant) {
        self.fastest = fastest
        countedAt = now
    }

    /// Allows metres that were covered in the time `span` up to `now`.
    ///
    /// - Parameters:
    ///   - isWhole: allows all of the metres or none.
    /// - Returns: the metres to count, 0 to `metres`.
    package mutating func allow(_ metres: Double, over span: Duration, until now: Instant, isWhole: Bool) -> Double {
        guard metres > 0 else { return 0 }
        let passed = max((now - countedAt).inSeconds, 0)
        let covered = min(max(span.inSeconds, 0), passed)
        // Nothing was counted in the time before the span: it is a stretch without distance.
        let before = max(excess - fastest * (passed - covered), 0)
        let room = fastest * (covered + Self.burstSeconds) - before
        if metres > room, isWhole { return 0 }
        let allowed = min(metres, room)
        excess = max(before + allowed - fastest * covered, 0)
        countedAt = max(countedAt, now)
        return allowed
    }
}

extension Sport {
    /// The speed that no fix may imply and no distance exceeds, in metres per second.
    package var maxSpeed: Double {
        switch self {
        case .walk, .hike: 6
        case .run: 12.5
        case .ride, .other: 35
        }
    }

    /// The speed that a person could have kept across a gap between fixes, in metres per second.
    package var sustainedSpeed: Double {
        switch self {
        case .walk, .hike: 3
        case .run: 6
        case .ride, .other: 17
        }
    }
}
