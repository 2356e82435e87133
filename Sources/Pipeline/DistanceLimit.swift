package import Domain

/// Limits counted distance to a speed, for any source: positions, a wheel, a foot pod or a treadmill.
///
/// Contract: in any stretch of monotonic time, the allowed metres are at most the speed times (the stretch plus 10 s).
/// The 10 s cover late delivery. Metres that are counted at once for a longer span, such as a gap, belong to that span.
///
/// It is a leaky bucket: allowed metres fill it, and it drains at the speed.
package struct DistanceLimit: Sendable {
    /// Capacity of the bucket, in seconds at the full speed.
    package static let burstSeconds = 10.0

    /// Metres per second.
    private let fastest: Double
    /// Fill level: metres by which the fastest stretch exceeds the speed; 0 to ``burstSeconds`` times the speed.
    private var excess = 0.0
    private var countedAt: Instant

    /// - Parameters:
    ///   - fastest: The speed, in metres per second.
    ///   - now: Beginning of the first stretch.
    package init(fastest: Double, at now: Instant) {
        self.fastest = fastest
        countedAt = now
    }

    /// Returns how many of the metres that were covered in the `span` before `now` may be counted.
    ///
    /// - Parameter isWhole: Whether to allow either all metres or none.
    /// - Returns: 0 to `metres`.
    package mutating func allow(_ metres: Double, over span: Duration, until now: Instant, isWhole: Bool) -> Double {
        guard metres > 0 else { return 0 }
        let passed = max((now - countedAt).inSeconds, 0)
        let covered = min(max(span.inSeconds, 0), passed)
        // No distance was counted between the last count and the span: the bucket drained.
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
    /// The speed in metres per second that neither a fix may imply nor distance may exceed.
    package var maxSpeed: Double {
        switch self {
        case .walk, .hike: 6
        case .run: 12.5
        case .ride, .other: 35
        }
    }

    /// The highest plausible mean speed across a gap between fixes, in metres per second.
    package var sustainedSpeed: Double {
        switch self {
        case .walk, .hike: 3
        case .run: 6
        case .ride, .other: 17
        }
    }
}
