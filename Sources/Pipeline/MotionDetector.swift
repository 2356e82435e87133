package import Domain

/// Whether the board really moves, told by accepted fixes, with a run or without: neither a receiver's drift nor its first fixes, which
/// settle, are movement.
///
///              fast                    50 m away
///     still ──────────▶ setting out ──────────────▶ moving
///       ▲                 │ slow for 10 s             │ slow for 10 s,
///       │                 │ or not away in 2 min      │ or no fix for 10 s
///       └─────────────────┴───────────────────────────┘
///
/// Fast and slow are the receiver's own (Doppler) speeds, with the bounds of ``Odometer``. Where a receiver tells none, or 0 on the way, the
/// way over 5 s stands in.
package struct MotionDetector: Sendable {
    /// Metres that are movement, in a straight line from where it began; more where the error estimates are.
    package static let far = 50.0
    /// Where it began, when, and the way since by the speeds, in metres.
    private var origin: (point: TrackPoint, way: Double)?
    /// The last fast fix since ``origin``.
    private var fastAt: Instant?
    private var newest: TrackPoint?
    /// Points of the last 5 s, oldest first.
    private var recent: [TrackPoint] = []
    /// The first of the fixes that came without a hole.
    private var firstAt: Instant?
    package private(set) var isMoving = false

    /// When the present movement began; nil while there is none.
    package var beganAt: Instant? {
        isMoving ? origin?.point.arrivedAt : nil
    }

    /// In metres per second.
    private static let slow = 0.5
    private static let fast = 0.7
    /// Slow, or without a fix, for so long is an end.
    private static let quietTimeout = Duration.seconds(10)
    /// The way over so long is taken for the speed.
    private static let base = Duration.seconds(5)
    /// What a receiver says without a speed is not believed for so long after its first fix.
    private static let settling = Duration.seconds(30)
    /// Metres from which a speed of 0 is not believed, over ``base``.
    private static let falseZero = 10.0
    private static let recentLimit = 128

    package init() {
        recent.reserveCapacity(Self.recentLimit)
    }

    /// Takes an accepted fix.
    ///
    /// - Parameter isJump: the track goes on there without the way between.
    /// - Returns: whether the board moves at this fix.
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

    /// Nobody sets out for longer than the time that a run can be taken back by.
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

    /// Metres per second; nil where nobody can tell.
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
