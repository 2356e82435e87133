import CMath
package import Domain

/// Measures the distance of a run: receives accepted fixes as they arrive, and counts metres once a second.
///
/// Source: docs/decisions/distance.md; docs/behaviour.md, "Distance, each second". The receiver's Doppler
/// speed detects standing: a mere distance threshold does not stop drift.
package struct Odometer: Sendable {
    /// A stretch without fixes, ended by one.
    package struct Gap: Equatable, Sendable {
        package var seconds: Double
        package var metres: Double
        package var isCounted: Bool
    }

    /// Result of one second.
    package struct Step: Equatable, Sendable {
        package var metres = 0.0
        package var gap: Gap?
        /// Whether pace measurement restarts here.
        package var restartsPace = false
        /// Time before the tick in which the metres were covered.
        package var span = Duration.seconds(1)

        /// Reduces the metres to what the limit allows; a gap counts whole or not at all.
        package mutating func hold(to limit: inout DistanceLimit, at now: Instant) {
            let allowed = limit.allow(metres, over: span, until: now, isWhole: gap != nil)
            guard allowed < metres else { return }
            metres = allowed
            gap?.isCounted = false
            restartsPace = true
        }
    }

    /// Last counted position.
    package private(set) var anchor: TrackPoint?
    package private(set) var isStanding = false
    /// The speed of the last second in metres per second; nil without one.
    private(set) var speed: Double?

    private(set) var newest: TrackPoint?
    private var newestIsUsed = true
    private var newestIsJump = false
    /// Speeds of the fixes since the last tick, in metres per second.
    private var speeds: [Double] = []
    private var wasSlow = false
    /// Metres by integrated Doppler speed since the anchor; nil if a speed was missing.
    private var dopplerMetres: Double? = 0
    /// Seconds of the gap that the newest fix ended, by the fixes' times and by their arrivals; nil if there was none.
    private var gap: (seconds: Double, arrival: Double)?
    private var lastStepWasSilent = false
    /// Points of the last two seconds, the later one first.
    private var before: (TrackPoint, TrackPoint?)?
    /// Where the newest second's point lies beside the extrapolation of the two before it.
    private var deviation: Deviation?
    /// The noise of each second in metres, by two consecutive deviations: see ``measureJitter(of:)``.
    private(set) var jitter = RunningMedian(limit: 60)

    /// Below this speed, in metres per second, a person stands.
    private let standing: Double
    /// A person moves again at this many times as much.
    private static let hysteresis = 1.4
    static let standingInWater = 0.2

    package init(standing: Double = 0.5) {
        self.standing = standing
        speeds.reserveCapacity(Self.speedLimit)
    }

    /// Restores the odometer of an idle pipeline.
    init(newest: TrackPoint?, jitter values: [Double]) {
        self.init()
        self.newest = newest
        for metres in values { jitter.append(metres) }
    }

    /// Sets the anchor at start and resume: to the newest fix if
    /// it is at most 10 s old. Earlier movement does not count.
    package mutating func seed(at now: Instant) {
        let newest = newest.flatMap { now - $0.arrivedAt <= Self.maximumAge ? $0 : nil }
        let jitter = jitter
        self = Odometer(standing: standing)
        self.jitter = jitter
        anchor = newest
        self.newest = newest
    }

    /// Receives an accepted fix. Only the newest one before a tick is counted; the speeds of all are used.
    package mutating func receive(_ point: TrackPoint, isJump: Bool) {
        defer { newest = point }
        newestIsUsed = false
        if isJump {
            newestIsJump = true
            gap = nil
            appendSpeed(point.speed)
            return
        }
        guard let previous = newest else {
            appendSpeed(point.speed)
            return
        }
        let seconds = (point.moment - previous.moment).inSeconds
        if seconds >= Self.shortestGap {
            let arrival = (point.arrivedAt - previous.arrivedAt).inSeconds
            gap = ((gap?.seconds ?? 0) + seconds, (gap?.arrival ?? 0) + arrival)
        }
        let metres = previous.coordinate.metres(to: point.coordinate)
        let saysNothing = point.speed == nil || isFalseZero(point.speed, metres: metres, previous: previous)
        appendSpeed(saysNothing ? (seconds > 0 ? metres / seconds : nil) : point.speed)
        if let path = dopplerMetres, let speed = point.speed, let before = previous.speed, !saysNothing {
            dopplerMetres = path + (speed + before) / 2 * seconds
        } else {
            dopplerMetres = nil
        }
    }

    /// Whether a speed of 0 is false: two consecutive fixes moved over 2 m each.
    private mutating func isFalseZero(_ speed: Double?, metres: Double, previous: TrackPoint) -> Bool {
        let isSilent = speed == 0 && metres > 2
        defer { lastStepWasSilent = isSilent }
        return isSilent && lastStepWasSilent
    }

    private mutating func appendSpeed(_ speed: Double?) {
        guard let speed else { return }
        if speeds.count == Self.speedLimit { speeds.removeFirst() }
        speeds.append(speed)
    }

    /// Counts one second at its scheduled moment.
    package mutating func tick(at now: Instant, sport: Sport) -> Step {
        let speed = medianSpeed()
        self.speed = speed
        let wasStanding = isStanding
        judgeMotion(speed)
        guard let point = newest, !newestIsUsed, now - point.arrivedAt <= Self.maximumAge else { return Step() }
        newestIsUsed = true
        measureJitter(of: point, bendsCount: sport == .ride)
        let isJump = newestIsJump
        newestIsJump = false
        defer { gap = nil }
        guard let anchor, !isJump else {
            move(to: point)
            return Step(restartsPace: true)
        }
        let metres = anchor.coordinate.metres(to: point.coordinate)
        let isAway = metres > max(10, point.accuracy ?? 0)
        if let (seconds, arrival) = gap {
            let possible = min(seconds, max(arrival, 0))
            let isPossible = metres <= sport.sustainedSpeed * possible && seconds <= 1800
            let gap = Gap(seconds: seconds, metres: metres, isCounted: isPossible && (!wasStanding || isAway))
            move(to: point)
            return Step(
                metres: gap.isCounted ? metres : 0, gap: gap,
                restartsPace: !gap.isCounted || seconds >= 120 || metres >= 1000, span: .seconds(max(possible, 1)))
        }
        if isStanding || wasSlow { return Step() }
        if wasStanding {
            move(to: point)
            return isAway ? Step(metres: metres) : Step(restartsPace: true)
        }
        if (speed ?? 0) < (isNoisy ? Self.fastOnNoisyTrack : Self.fast), metres < Self.slowStep { return Step() }
        let held = held(metres)
        move(to: point)
        return Step(metres: held)
    }

    /// Standing begins at the second slow second and ends at the first fast one. Without fixes nothing changes.
    private mutating func judgeMotion(_ speed: Double?) {
        guard let speed else { return }
        if isStanding {
            isStanding = speed < standing * Self.hysteresis
            wasSlow = isStanding
        } else {
            isStanding = speed < standing && wasSlow
            wasSlow = speed < standing
        }
    }

    private mutating func medianSpeed() -> Double? {
        defer { speeds.removeAll(keepingCapacity: true) }
        guard !speeds.isEmpty else { return nil }
        speeds.sort()
        let middle = speeds.count / 2
        return speeds.count.isMultiple(of: 2) ? (speeds[middle - 1] + speeds[middle]) / 2 : speeds[middle]
    }

    private mutating func move(to point: TrackPoint) {
        anchor = point
        dopplerMetres = 0
    }

    /// Measures the noise of a second: the geometric mean of two consecutive deviations as far as they oppose each other.
    ///
    /// Noise throws a point to one side and the next one to the other. A bend throws them to the same side,
    /// so a winding track without noise has 0, where the length of a deviation would take it for a noisy one.
    /// At the speed of a ride a step is a chord that cuts its bend, which the Doppler distance does not: there, bends
    /// count as noise does.
    private mutating func measureJitter(of point: TrackPoint, bendsCount: Bool) {
        defer { before = (point, before?.0) }
        guard let (last, other) = before, let other, !isStanding else {
            deviation = nil
            return
        }
        let newest = Deviation(of: point.coordinate, after: last.coordinate, other.coordinate)
        if let deviation {
            let product = -deviation.product(newest)
            jitter.append((bendsCount ? product.magnitude : max(product, 0)).squareRoot())
        }
        deviation = newest
    }

    private var isNoisy: Bool {
        jitter.count >= 10 && jitter.median ?? 0 > Self.noisy
    }

    /// Holds a step of a noisy track to within 15 %, at least 0.5 m, of the Doppler distance: noise lengthens steps.
    ///
    /// A track that the receiver has smoothed is better than its speeds, which lag; its steps stay unchanged.
    private func held(_ metres: Double) -> Double {
        guard let expected = dopplerMetres, metres > 0, isNoisy else { return metres }
        let tolerance = max(0.15 * expected, 0.5)
        return min(max(metres, expected - tolerance), expected + tolerance)
    }

    /// Median ``jitter`` in metres above which a track is noisy: recordings of smoothed
    /// tracks have 0 to 0.4, the unsmoothed noise of a current receiver gives 1.0 to 1.25.
    private static let noisy = 0.75
    /// Greatest age of a fix that is counted.
    private static let maximumAge = Duration.seconds(10)
    /// Shortest gap: seconds without an accepted fix.
    private static let shortestGap = 10.0
    /// Speed in metres per second from which every step counts: a longer step cuts the corners of a slow, winding track.
    private static let fast = 1.7
    /// The same on a noisy track.
    private static let fastOnNoisyTrack = 2.0
    /// Metres from which a step counts at a lower speed.
    private static let slowStep = 3.0
    private static let speedLimit = 32
}

/// Metres to the east and to the north, on the tangent plane.
private struct Deviation {
    var east: Double
    var north: Double

    /// The way from where two points lead to, the later one first, to the point of the same second.
    init(of point: Coordinate, after last: Coordinate, _ other: Coordinate) {
        north = (point.latitude - 2 * last.latitude + other.latitude) * Coordinate.metresPerDegree
        let turn = point.longitude - 2 * last.longitude + other.longitude
        east = turn * Coordinate.metresPerDegree * cos(last.latitude * .pi / 180)
    }

    func product(_ other: Deviation) -> Double {
        east * other.east + north * other.north
    }
}
