package import Domain

/// Decides which fixes are believed.
///
/// Source: behaviour.md, "Position reports"; the limits come from gpsd's regression corpus (facts/algorithms.md, section 1).
package struct FixFilter: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// `isJump`: the track goes on there without the way between.
        case accepted(TrackPoint, isJump: Bool)
        case refused(FixRefusal)
    }

    /// How many fixes were refused, by reason.
    package private(set) var refused: [FixRefusal: Int] = [:]

    private var last: (point: TrackPoint, time: UTC?)?
    private var newClock = NewClock()
    private var accuracies = RunningMedian(limit: 120)
    /// Accepted points of the last second or a little more, oldest first.
    private var recent: [TrackPoint] = []
    /// The first of the fixes in a row whose speed was impossible, and how many there were.
    private var impossible: (since: Duration, count: Int)?

    package init() {}

    init(_ memory: Beginning.Filter) {
        last = memory.last.map { ($0, memory.lastTime) }
        newClock = NewClock(times: memory.suspected)
        for accuracy in memory.accuracies { accuracies.append(accuracy) }
        recent = memory.recent
        impossible = memory.impossibleSince.map { ($0, memory.impossibleCount) }
    }

    var memory: Beginning.Filter {
        var memory = Beginning.Filter()
        memory.last = last?.point
        memory.lastTime = last?.time
        memory.suspected = newClock.times
        memory.accuracies = accuracies.inOrder
        memory.recent = recent
        memory.impossibleSince = impossible?.since
        memory.impossibleCount = impossible?.count ?? 0
        return memory
    }

    /// Judges one fix of the receiver in use.
    ///
    /// - Parameter fastest: metres per second that the sport cannot exceed.
    package mutating func judge(_ fix: Fix, fastest: Double) -> Verdict {
        let verdict = verdict(of: fix, fastest: fastest)
        switch verdict {
        case .accepted(let point, let isJump):
            last = (point, fix.time)
            newClock = NewClock()
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
        guard let moment = moment(of: fix) else { return .refused(.time) }
        guard isAccurate(fix) else { return .refused(.accuracy) }
        let point = TrackPoint(
            coordinate: coordinate, moment: moment, arrivedAt: fix.arrivedAt,
            speed: fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil },
            accuracy: fix.accuracy)
        guard let reference = recent.last(where: { moment - $0.moment >= .seconds(1) }) else {
            return .accepted(point, isJump: false)
        }
        let speed = reference.coordinate.metres(to: coordinate) / (moment - reference.moment).inSeconds
        if speed <= fastest { return .accepted(point, isJump: false) }
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

    /// Where the fix lies on the time line; nil when its time is not to be believed.
    private mutating func moment(of fix: Fix) -> Duration? {
        guard let last else { return .zero }
        let sinceArrival = max(fix.arrivedAt - last.point.arrivedAt, .zero)
        guard let time = fix.time, let lastTime = last.time else { return last.point.moment + sinceArrival }
        let step = Duration.milliseconds(time.milliseconds - lastTime.milliseconds)
        let isExpected = step > .zero && step <= sinceArrival + Self.furthestAhead
        if !isExpected || newClock.isSuspected, newClock.isProven(by: time) {
            return last.point.moment + sinceArrival
        }
        return isExpected ? last.point.moment + step : nil
    }

    private static let furthestAhead = Duration.seconds(600)

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
private struct NewClock {
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

extension Sport {
    /// The speed that no fix may imply, in metres per second.
    package var fastest: Double {
        switch self {
        case .walk, .hike: 6
        case .run: 12.5
        case .ride, .other: 35
        }
    }

    /// The speed that a person could have kept across a gap between fixes, in metres per second.
    package var sustained: Double {
        switch self {
        case .walk, .hike: 3
        case .run: 6
        case .ride, .other: 17
        }
    }
}
