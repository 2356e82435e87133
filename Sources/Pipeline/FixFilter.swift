package import Domain

/// Decides which fixes are believed.
///
/// Source: docs/behaviour.md, "Position reports"; the limits come from the receiver logs of gpsd (its test/daemon).
package struct FixFilter: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// `isJump`: the track goes on there without the way between.
        case accepted(TrackPoint, isJump: Bool)
        case refused(FixRejection)
    }

    /// How many fixes were refused, by reason.
    package private(set) var refused: [FixRejection: Int] = [:]

    private var last: (point: TrackPoint, time: UTC?)?
    private var newClock = ReceiverClockReset()
    private var accuracies = RunningMedian(limit: 120)
    /// Accepted points of the last second or a little more, oldest first.
    private var recent: [TrackPoint] = []
    /// The first of the fixes in a row whose speed was impossible, and how many there were.
    private var impossible: (since: Duration, count: Int)?
    /// How far the accepted fixes' times have run ahead of their arrivals; negative while they lag behind.
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
    /// - Parameter fastest: metres per second that the sport cannot exceed.
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
        // Where no point is a second old, the oldest one is compared as if it were.
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

    /// Where the fix lies on the time line, and whether its time runs ahead of its arrival, which is its moment then; nil when its time
    /// is not to be believed.
    private mutating func moment(of fix: Fix) -> (Duration, isAhead: Bool)? {
        guard let last else { return (.zero, false) }
        let sinceArrival = arrival(of: fix) - last.point.arrivedAt
        let byArrival = last.point.moment + sinceArrival
        guard let time = fix.time, let lastTime = last.time else { return (byArrival, false) }
        let step = Duration.milliseconds(time.milliseconds - lastTime.milliseconds)
        let isExpected = step > .zero && step <= sinceArrival + Self.furthestAhead
        if !isExpected || newClock.isSuspected, newClock.isProven(by: time) { return (byArrival, false) }
        guard isExpected else { return nil }
        // A receiver whose clock was set ahead goes on from here; one whose clock is too fast comes here with each fix.
        if lead(after: sinceArrival) + step - sinceArrival > Self.furthestLead { return (byArrival, true) }
        return (last.point.moment + step, false)
    }

    /// The arrival of a fix. It does not go back: a fix of several reports arrives with the first of them.
    private func arrival(of fix: Fix) -> Instant {
        last.map { max($0.point.arrivedAt, fix.arrivedAt) } ?? fix.arrivedAt
    }

    /// The lead so much later. It shrinks by a hundredth of the time that passes: no two clocks run alike.
    private func lead(after duration: Duration) -> Duration {
        lead > .zero ? max(lead - duration / 100, .zero) : lead
    }

    private static let furthestAhead = Duration.seconds(600)
    /// A fix whose time runs further ahead of its arrival gives no distance.
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
        // One point that is a second old is enough.
        let old = recent.lastIndex { point.moment - $0.moment >= .seconds(1) } ?? 0
        recent.removeFirst(max(old, recent.count - 64))
    }
}

/// Times in a row that do not fit the receiver's clock: the third that rises evenly is the clock's new time.
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
