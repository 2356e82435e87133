package import Domain

/// Judges each fix: accepts it, or rejects it with a reason.
///
/// Source: docs/decisions/position.md; docs/behaviour.md, "Position reports"; the limits come from gpsd's receiver logs (its test/daemon).
package struct FixFilter: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// `isJump`: the distance from the previous fix does not count.
        case accepted(TrackPoint, isJump: Bool)
        case refused(FixRejection)
    }

    /// Number of rejected fixes, by reason.
    package private(set) var refused: [FixRejection: Int] = [:]

    private var last: (point: TrackPoint, time: UTC?)?
    private var newClock = ReceiverClockReset()
    private var accuracies = RunningMedian(limit: 120)
    /// Accepted points of about the last second, oldest first.
    private var recent: [TrackPoint] = []
    /// First of the consecutive fixes with an impossible speed, and their number.
    private var impossible: (since: Duration, count: Int)?
    /// How far the accepted fixes' times have run ahead of their arrivals; negative while they lag.
    private var lead = Duration.zero

    package init() {}

    init(_ memory: PipelineSnapshot.Filter) {
        last = memory.last.map { ($0, memory.lastTime) }
        newClock = ReceiverClockReset(times: memory.suspected)
        for accuracy in memory.accuracies { accuracies.append(accuracy) }
        recent = memory.recent
        impossible = memory.impossibleSince.map { ($0, memory.impossibleCount) }
        lead = memory.lead
    }

    var memory: PipelineSnapshot.Filter {
        var memory = PipelineSnapshot.Filter()
        memory.last = last?.point
        memory.lastTime = last?.time
        memory.suspected = newClock.times
        memory.accuracies = accuracies.inOrder
        memory.recent = recent
        memory.impossibleSince = impossible?.since
        memory.impossibleCount = impossible?.count ?? 0
        memory.lead = lead
        return memory
    }

    /// Judges one fix of the receiver in use.
    ///
    /// - Parameter fastest: Greatest possible speed of the sport, in metres per second.
    package mutating func judge(_ fix: Fix, fastest: Double) -> Verdict {
        let verdict = verdict(of: fix, fastest: fastest)
        switch verdict {
        case .accepted(let point, let isJump):
            if let last = last?.point {
                let sinceArrival = point.arrivedAt - last.arrivedAt
                lead = lead(after: sinceArrival) + (point.moment - last.moment) - sinceArrival
            }
            last = (point, fix.time)
            newClock = ReceiverClockReset()
            impossible = nil
            remember(point, isJump: isJump)
        case .refused(let reason):
            refused[reason, default: 0] += 1
        }
        return verdict
    }

    private mutating func verdict(of fix: Fix, fastest: Double) -> Verdict {
        guard fix.mode >= 2 else { return .refused(.noFix) }
        guard let coordinate = Self.coordinate(of: fix) else { return .refused(.noPosition) }
        guard let (moment, isAhead) = moment(of: fix) else { return .refused(.time) }
        guard isAccurate(fix) else { return .refused(.accuracy) }
        let point = TrackPoint(
            coordinate: coordinate, moment: moment, arrivedAt: arrival(of: fix),
            speed: fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil },
            accuracy: fix.accuracy)
        // If no point is 1 s old, the oldest one is compared as if it were.
        guard let reference = recent.last(where: { moment - $0.moment >= .seconds(1) }) ?? recent.first else {
            return .accepted(point, isJump: isAhead)
        }
        let seconds = max((moment - reference.moment).inSeconds, 1)
        let speed = reference.coordinate.metres(to: coordinate) / seconds
        if speed <= fastest { return .accepted(point, isJump: isAhead) }
        let since = impossible?.since ?? moment
        let count = (impossible?.count ?? 0) + 1
        if count >= 2, moment - since >= .seconds(2) { return .accepted(point, isJump: true) }
        impossible = (since, count)
        return .refused(.speed)
    }

    private static func coordinate(of fix: Fix) -> Coordinate? {
        guard let latitude = fix.latitude, let longitude = fix.longitude,
            latitude.magnitude <= 90, longitude.magnitude <= 180,
            latitude != 0 || longitude != 0
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Moment of the fix on the time line; nil if its time is not plausible. A fix
    /// with `isAhead` is placed by its arrival, because its time runs ahead of that.
    private mutating func moment(of fix: Fix) -> (Duration, isAhead: Bool)? {
        guard let last else { return (.zero, false) }
        let sinceArrival = arrival(of: fix) - last.point.arrivedAt
        let byArrival = last.point.moment + sinceArrival
        guard let time = fix.time, let lastTime = last.time else { return (byArrival, false) }
        let step = Duration.milliseconds(time.milliseconds - lastTime.milliseconds)
        let isExpected = step > .zero && step <= sinceArrival + Self.furthestAhead
        if !isExpected || newClock.isSuspected, newClock.isProven(by: time) { return (byArrival, false) }
        guard isExpected else { return nil }
        // A receiver whose clock was set ahead gets here once; one whose clock runs fast, with each fix.
        if lead(after: sinceArrival) + step - sinceArrival > Self.furthestLead { return (byArrival, true) }
        return (last.point.moment + step, false)
    }

    /// Arrival of the fix, never before the last one's: a merged fix has the arrival of its first report.
    private func arrival(of fix: Fix) -> Instant {
        last.map { max($0.point.arrivedAt, fix.arrivedAt) } ?? fix.arrivedAt
    }

    /// The lead after `duration`: it shrinks by 1 % of elapsed time, because no two clocks run at the same rate.
    private func lead(after duration: Duration) -> Duration {
        lead > .zero ? max(lead - duration / 100, .zero) : lead
    }

    private static let furthestAhead = Duration.seconds(600)
    /// Greatest lead of a fix that gives distance.
    private static let furthestLead = Duration.seconds(10)

    private mutating func isAccurate(_ fix: Fix) -> Bool {
        guard let accuracy = fix.accuracy, accuracy.isFinite else { return fix.mode >= 3 }
        let median = accuracies.count >= 60 ? accuracies.median : nil
        accuracies.append(accuracy)
        return accuracy <= min(max(50, 3 * (median ?? 0)), 400)
    }

    private mutating func remember(_ point: TrackPoint, isJump: Bool) {
        if isJump { recent.removeAll(keepingCapacity: true) }
        recent.append(point)
        // One point that is 1 s old is enough.
        let old = recent.lastIndex { point.moment - $0.moment >= .seconds(1) } ?? 0
        recent.removeFirst(max(old, recent.count - 64))
    }
}

/// Detects a reset of the receiver's clock: three consecutive unexpected times in even steps are its new time.
private struct ReceiverClockReset {
    private(set) var times: [UTC] = []

    init(times: [UTC] = []) {
        self.times = times
    }

    var isSuspected: Bool { !times.isEmpty }

    mutating func isProven(by time: UTC) -> Bool {
        times.append(time)
        if times.count > 3 { times.removeFirst() }
        guard times.count == 3 else { return false }
        let first = times[1].milliseconds - times[0].milliseconds
        let second = times[2].milliseconds - times[1].milliseconds
        return first > 0 && second > 0 && abs(first - second) <= max(first, second) / 2
    }
}
