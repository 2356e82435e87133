package import Domain

/// Detects movement of the board from accepted fixes, in a run or idle. Neither
/// a receiver's drift nor its first, unsettled fixes count as movement.
///
///              fast                    50 m away
///     still ──────────▶ setting out ──────────────▶ moving
///       ▲                 │ slow for 10 s             │ slow for 10 s,
///       │                 │ or not away in 2 min      │ or no fix for 10 s
///       └─────────────────┴───────────────────────────┘
///
/// Fast and slow refer to the receiver's (Doppler) speed, with the bounds of ``Odometer``. If
/// the receiver reports no speed, or 0 while moving, the displacement over 5 s replaces it.
package struct MotionDetector: Sendable {
    /// Least distance of movement, in metres, in a straight line
    /// from its origin; more if the error estimates are larger.
    package static let far = 50.0
    /// The first point of the movement, and the metres since then by integrated speed.
    private var origin: (point: TrackPoint, way: Double)?
    /// The last fast fix since ``origin``.
    private var fastAt: Instant?
    private var newest: TrackPoint?
    /// Points of the last 5 s, oldest first.
    private var recent: [TrackPoint] = []
    /// Arrival of the first fix after the last hole.
    private var firstAt: Instant?
    package private(set) var isMoving = false

    /// Beginning of the current movement; nil while still.
    package var beganAt: Instant? {
        isMoving ? origin?.point.arrivedAt : nil
    }

    /// Metres per second.
    private static let slow = 0.5
    private static let fast = 0.7
    /// Time of slow speed, or without a fix, that ends a movement.
    private static let quietTimeout = Duration.seconds(10)
    /// Time base of the speed by displacement.
    private static let base = Duration.seconds(5)
    /// Time after the first fix in which displacement is not trusted.
    private static let settling = Duration.seconds(30)
    /// Displacement in metres over ``base`` from which a reported speed of 0 is not trusted.
    private static let falseZero = 10.0
    private static let recentLimit = 128

    package init() {
        recent.reserveCapacity(Self.recentLimit)
    }

    /// Receives an accepted fix.
    ///
    /// - Parameter isJump: Whether the distance from the previous fix does not count.
    /// - Returns: Whether the board moves at this fix.
    package mutating func receive(_ point: TrackPoint, isJump: Bool) -> Bool {
        let hole = newest.map { point.arrivedAt - $0.arrivedAt >= Self.quietTimeout } ?? true
        if hole { firstAt = point.arrivedAt }
        if hole || isJump {
            stop()
            recent.removeAll(keepingCapacity: true)
        }
        let seconds = newest.map { (point.arrivedAt - $0.arrivedAt).inSeconds } ?? 0
        newest = point
        let speed = speed(at: point)
        remember(point)
        guard let speed else { return false }
        if speed < Self.fast {
            if let fastAt, speed < Self.slow, point.arrivedAt - fastAt >= Self.quietTimeout { stop() }
            if origin == nil || speed < Self.slow { return false }
        } else {
            fastAt = point.arrivedAt
        }
        setOut(from: point)
        origin?.way += speed * seconds
        if !isMoving { isMoving = isAway(at: point) }
        return isMoving
    }

    private mutating func stop() {
        origin = nil
        fastAt = nil
        isMoving = false
    }

    /// Sets the origin, and renews one that is older than the longest backdate of a run.
    private mutating func setOut(from point: TrackPoint) {
        let isLate = origin.map { point.arrivedAt - $0.point.arrivedAt > RunCommand.maxBackdate } ?? true
        if !isMoving, isLate { origin = (point, 0) }
    }

    private func isAway(at point: TrackPoint) -> Bool {
        guard let origin else { return false }
        let metres = origin.point.coordinate.metres(to: point.coordinate)
        let doubt = (origin.point.accuracy ?? 0) + (point.accuracy ?? 0)
        return metres >= max(Self.far, doubt) && origin.way >= Self.far / 2
    }

    /// Metres per second; nil if unknown.
    private func speed(at point: TrackPoint) -> Double? {
        guard let base = recent.last(where: { point.arrivedAt - $0.arrivedAt >= Self.base }) else {
            return point.speed
        }
        let metres = base.coordinate.metres(to: point.coordinate)
        if let speed = point.speed, speed > 0 || metres < Self.falseZero { return speed }
        guard let firstAt, point.arrivedAt - firstAt >= Self.settling else { return point.speed }
        return metres / (point.arrivedAt - base.arrivedAt).inSeconds
    }

    private mutating func remember(_ point: TrackPoint) {
        let old = recent.lastIndex { point.arrivedAt - $0.arrivedAt >= Self.base } ?? 0
        recent.removeFirst(max(old, recent.count + 1 - Self.recentLimit))
        recent.append(point)
    }
}
