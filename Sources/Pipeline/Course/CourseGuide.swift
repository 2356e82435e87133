import Domain

/// Guides a run along its course: place, cues, climbs, arrival.
///
///     fixes ──▶ CourseMatcher ──▶ place ──▶ progress ──▶ cues, climbs ──▶ events
///     seconds ──────────────────────────────────┘  └──▶ block `course`
///
/// Between two fixes, and while the receiver has no position, the guide extrapolates the progress by the last speed. It
/// stops 90 s after the last fix.
///
/// Source: docs/behaviour.md, "Following a course".
struct CourseGuide {
    /// What a run has measured up to a second.
    struct Second {
        /// Active time.
        var elapsedMilliseconds: Int64
        var movingMilliseconds: Int64
        /// Metres climbed; nil if unknown.
        var ascent: Double?
    }

    var loaded: LoadedCourse
    private let course: Course
    private let isOnFoot: Bool
    /// Those that count.
    private let climbs: [Climb]
    private(set) var matcher = CourseMatcher()
    /// When ``CourseMatcher/place`` was known.
    private var placedAt: Instant?
    /// Metres per second over about the last 3 s.
    private var speed = 0.0
    /// Where the run came onto the course, and its active time then.
    private var first: (progress: Double, elapsedMilliseconds: Int64)?
    /// What has been announced of each course point and of each climb.
    private var cueStages: [CueReport.Stage?]
    private var climbStages: [ClimbStage]
    /// The first course point that has not been passed.
    private var nextPoint = 0
    /// The course that was followed so far, on level ground and upwards, and what the run needed for it.
    private var followed = Followed()
    private var before: (progress: Double, second: Second)?
    /// Events that have not been taken, oldest first.
    private var events: [Event.Kind] = []

    private enum ClimbStage {
        case ahead, inside, over
    }

    private struct Followed {
        var levelMetres = 0.0
        var movingMilliseconds: Int64 = 0
        var courseAscent = 0.0
        /// Nil if the run's ascent is unknown.
        var ascent: Double?
    }

    /// Seconds before a course point, and metres beside its place that still announce it.
    private static let aheadTime = 20.0
    private static let soonTime = 5.0
    private static let hereMetres = 15.0
    private static let speedSeconds = 3.0
    private static let leastSpeed = 0.3
    /// The longest time for which the guide extrapolates the progress.
    private static let longestPrediction = Duration.seconds(90)
    /// Metres on level ground after which the arrival is known.
    private static let leastForArrival = 200.0
    /// Metres of the grade here, on both sides, and of the grade ahead.
    private static let gradeSpan = 25.0
    private static let gradeAheadSpan = 200.0

    /// Nil if the course itself is missing.
    ///
    /// - Parameter climbScore: the smallest climb that counts, in metres times percent.
    init?(_ loaded: LoadedCourse, isOnFoot: Bool, climbScore: Int) {
        guard let course = loaded.course else { return nil }
        self.loaded = loaded
        self.course = course
        self.isOnFoot = isOnFoot
        climbs = course.climbs(leastScore: climbScore)
        cueStages = Array(repeating: nil, count: course.points.count)
        climbStages = Array(repeating: .ahead, count: climbs.count)
        events.reserveCapacity(16)
    }

    // MARK: Inputs

    mutating func receive(_ fix: CourseMatcher.Fix) {
        let left = matcher.place?.metres
        let change = matcher.receive(fix, on: course)
        if matcher.status == .on || matcher.status == .wrongWay {
            if let left, let placedAt, let place = matcher.place, change == nil {
                measureSpeed(fix, metres: place.metres - left, seconds: (fix.at - placedAt).inSeconds)
            }
            placedAt = fix.at
        }
        report(change, left: left)
    }

    /// By the receiver's speed, or by the progress.
    private mutating func measureSpeed(_ fix: CourseMatcher.Fix, metres: Double, seconds: Double) {
        guard seconds > 0 else { return }
        let measured = fix.speed ?? max(metres / seconds, 0)
        speed += (measured - speed) * min(seconds / Self.speedSeconds, 1)
    }

    private var isMoving: Bool { speed > Self.leastSpeed }

    /// Ends a second of active time.
    mutating func tick(at now: Instant, _ second: Second) {
        report(matcher.tick(at: now), left: matcher.place?.metres)
        guard let progress = progress(at: now) else { return }
        defer { before = (progress, second) }
        guard matcher.status == .on || matcher.status == .done else { return }
        // Who waits before the first vertex has not set off.
        if first == nil || matcher.place?.metres == 0 { first = (progress, second.elapsedMilliseconds) }
        follow(progress, second)
        announce(at: progress)
        judgeClimbs(at: progress)
    }

    /// Returns and removes the oldest event.
    mutating func popEvent() -> Event.Kind? {
        events.isEmpty ? nil : events.removeFirst()
    }

    private mutating func report(_ change: CourseMatcher.Change?, left: Double?) {
        guard let change, let place = matcher.place else { return }
        switch change {
        case .on(let skipped):
            before = nil
            skipPoints(before: place.metres)
            events.append(.course(.on(progressMetres: place.metres, skippedMetres: skipped)))
        case .off(let metres):
            before = nil
            events.append(.course(.off(progressMetres: left ?? place.metres, metres: metres)))
        case .wrongWay: events.append(.course(.wrongWay(progressMetres: place.metres)))
        case .done: events.append(.course(.done))
        }
    }

    // MARK: Progress

    /// Metres from the start of the course; nil before the run has reached it.
    func progress(at now: Instant) -> Double? {
        guard let place = matcher.place else { return nil }
        guard matcher.status == .on, let placedAt else { return matcher.status == .done ? course.length : place.metres }
        let age = min(max(now - placedAt, .zero), Self.longestPrediction)
        return min(place.metres + speed * age.inSeconds, course.length)
    }

    private mutating func follow(_ progress: Double, _ second: Second) {
        guard let before else { return }
        followed.movingMilliseconds += second.movingMilliseconds - before.second.movingMilliseconds
        followed.levelMetres += levelMetres(at: progress) - levelMetres(at: before.progress)
        guard let from = course.value(course.ascents, at: before.progress),
            let to = course.value(course.ascents, at: progress)
        else { return }
        followed.courseAscent += to - from
        if let ascent = second.ascent {
            followed.ascent = (followed.ascent ?? 0) + ascent - (before.second.ascent ?? 0)
        }
    }

    /// Metres on level ground that take as long as the course up to a place.
    private func levelMetres(at metres: Double) -> Double {
        course.value(isOnFoot ? course.levelMetresOnFoot : course.levelMetresOnWheels, at: metres) ?? metres
    }

    private func arrivalSeconds(at progress: Double) -> Double? {
        guard matcher.status != .done else { return nil }
        guard followed.levelMetres >= Self.leastForArrival, followed.movingMilliseconds > 0 else { return nil }
        let rest = max(levelMetres(at: course.length) - levelMetres(at: progress), 0)
        return rest * Double(followed.movingMilliseconds) / 1000 / followed.levelMetres
    }

    /// What a partner on the course is compared with; nil before the run has reached it.
    func following(at now: Instant, elapsedMilliseconds: Int64) -> FollowedDistance? {
        guard let first, let progress = progress(at: now) else { return nil }
        return FollowedDistance(
            course: course.hash, first: first.progress, progress: progress,
            milliseconds: elapsedMilliseconds - first.elapsedMilliseconds)
    }

    // MARK: Course points

    private func metres(of point: Int) -> Double {
        course.distances[course.points[point].vertex]
    }

    /// The points before a place where the run comes onto the course are over.
    private mutating func skipPoints(before metres: Double) {
        while nextPoint < course.points.count, self.metres(of: nextPoint) < metres - Self.hereMetres { nextPoint += 1 }
    }

    /// Announces the points ahead, each stage once.
    private mutating func announce(at progress: Double) {
        skipPoints(before: progress)
        var point = nextPoint
        while point < course.points.count {
            let ahead = metres(of: point) - progress
            guard ahead <= max(Self.aheadTime * speed, Self.hereMetres) else { break }
            announce(point, ahead: ahead)
            point += 1
        }
    }

    private mutating func announce(_ point: Int, ahead: Double) {
        let stage: CueReport.Stage
        switch cueStages[point] {
        case .here?: return
        case _ where ahead <= max(speed / 2, 3): stage = .here
        case .soon?: return
        case _ where ahead <= Self.soonTime * speed: stage = .soon
        case .ahead?: return
        case nil:
            guard ahead <= Self.aheadTime * speed else { return }
            stage = .ahead
        }
        cueStages[point] = stage
        events.append(.cue(CueReport(stage, cue(point, at: metres(of: point) - ahead))))
    }

    private func cue(_ point: Int, at progress: Double) -> CueAhead {
        let ahead = max(metres(of: point) - progress, 0)
        let coursePoint = course.points[point]
        return CueAhead(
            coursePoint.kind, name: coursePoint.name, isDerived: coursePoint.isDerived, metres: ahead,
            seconds: isMoving ? ahead / speed : nil)
    }

    // MARK: Climbs

    private mutating func judgeClimbs(at progress: Double) {
        for index in climbs.indices where climbStages[index] != .over {
            let climb = climbs[index]
            guard climb.start <= progress else { break }
            let isNear = progress < climb.top
            if climbStages[index] == .ahead, isNear {
                climbStages[index] = .inside
                events.append(.climb(report(index, isTop: false)))
            } else if !isNear {
                if climbStages[index] == .inside { events.append(.climb(report(index, isTop: true))) }
                climbStages[index] = .over
            }
        }
    }

    private func report(_ index: Int, isTop: Bool) -> ClimbReport {
        ClimbReport(isTop: isTop, number: index + 1, count: climbs.count, climbs[index])
    }

    private func climb(at progress: Double) -> ClimbAhead? {
        guard let index = climbs.firstIndex(where: { $0.top > progress }) else { return nil }
        let climb = climbs[index]
        let from = max(progress, climb.start)
        let to = min(from + Self.gradeAheadSpan, climb.top)
        let rest = progress < climb.start ? climb.ascent : rise(from: from, to: climb.top) ?? climb.ascent
        return ClimbAhead(
            number: index + 1, count: climbs.count, startMetres: max(climb.start - progress, 0),
            topMetres: climb.top - progress, ascentMetres: max(rest, 0), averageGrade: climb.averageGrade,
            gradeAhead: grade(from: from, to: to) ?? climb.averageGrade)
    }

    private func rise(from: Double, to: Double) -> Double? {
        guard let low = course.value(course.altitudes, at: from), let high = course.value(course.altitudes, at: to)
        else { return nil }
        return high - low
    }

    /// Percent.
    private func grade(from: Double, to: Double) -> Double? {
        to > from ? rise(from: from, to: to).map { $0 / (to - from) * 100 } : nil
    }

    // MARK: Status

    /// - Parameter position: nil if it is absent.
    func status(at now: Instant, position: Position?) -> CourseStatus {
        var status = CourseStatus(number: loaded.number, name: loaded.name, lengthMetres: course.length)
        status.status = matcher.status
        status.ascentMetres = course.ascent
        if matcher.status == .on || matcher.status == .wrongWay, position != nil, let place = matcher.place {
            status.crossTrackMetres = place.isRight ? place.distance : -place.distance
        } else if let place = matcher.returnPlace, position != nil {
            status.crossTrackMetres = place.isRight ? place.distance : -place.distance
            status.returnMetres = place.distance
            status.returnBearing = place.direction
        }
        guard let progress = progress(at: now) else {
            status.remainingAscentMetres = course.ascent
            return status
        }
        status.progressMetres = progress
        status.arrivalSeconds = arrivalSeconds(at: progress)
        status.remainingAscentMetres = course.value(course.ascents, at: progress).map { (course.ascent ?? 0) - $0 }
        if status.status == .on {
            status.grade = grade(
                from: max(progress - Self.gradeSpan, 0), to: min(progress + Self.gradeSpan, course.length))
        }
        status.climb = climb(at: progress)
        if let ascent = followed.ascent { status.ascentDifference = ascent - followed.courseAscent }
        guard let first = (nextPoint..<course.points.count).first(where: { metres(of: $0) > progress }) else {
            return status
        }
        status.cue = cue(first, at: progress)
        if first + 1 < course.points.count { status.secondCue = cue(first + 1, at: progress) }
        return status
    }
}
