package import Domain

/// Finds the place of a run on its course, fix by fix.
///
///                 within 25 m                    threshold exceeded for 10 s
///     not found ──────────────▶ on ◀───────────────────────────────────────▶ off ◀──▶ rejoining
///                               │  ▲            within 25 m
///              100 m backwards  ▼  │ 30 m forwards
///                            wrong way                    on ── last 15 m ──▶ done
///
/// While it is on the course it searches a window around the last place, weighing the distance to the course against the
/// advance that the movement suggests, so that a parallel leg, a crossing or the way back does not catch it. Otherwise
/// it searches the whole course for a place in the direction of movement, and prefers the smallest advance. Without fixes
/// its status stays the same.
///
/// Source: docs/decisions/courses.md; docs/behaviour.md, "Following a course".
package struct CourseMatcher {
    package enum Change: Equatable {
        /// `skipped` metres of the course since the place where it was left.
        case on(skipped: Double)
        case off(metres: Double)
        case wrongWay
        case done
    }

    /// An accepted fix.
    package struct Fix {
        var coordinate: Coordinate
        var at: Instant
        /// Metres.
        var accuracy: Double?
        /// Metres per second, and degrees.
        var speed: Double?
        var track: Double?

        package init(
            coordinate: Coordinate, at: Instant, accuracy: Double? = nil, speed: Double? = nil, track: Double? = nil
        ) {
            self.coordinate = coordinate
            self.at = at
            self.accuracy = accuracy
            self.speed = speed
            self.track = track
        }
    }

    package private(set) var status = CourseProgressStatus.off
    /// The newest place on the course; nil before the run has reached it.
    package private(set) var place: Course.Place?
    /// The nearest place ahead, while the run is not on the course.
    private(set) var returnPlace: Course.Place?

    private var heading = HeadingEstimator()
    private var newest: Fix?
    /// The greatest progress since the run came onto the course, and the least since it turned.
    private var furthest = 0.0
    private var rearmost = 0.0
    /// Metres moved since the run left the course.
    private var travelled = 0.0
    /// When the threshold was exceeded, and the distances from the course of the last two fixes.
    private var beyondSince: Instant?
    private var before: (distance: Double, at: Instant)?
    private var isReturning = false
    /// The least and the greatest distance from the course since it was left, or since the last change of direction.
    private var leastReturn = 0.0
    private var greatestReturn = 0.0
    /// Since when a place against the direction of movement is near, before the course is reached.
    private var opposedSince: Instant?
    /// Since when a place that what was travelled cannot explain is near.
    private var farSince: Instant?

    package init() {}

    /// Metres: the course is left beyond this or three times the error estimate, and reached within this.
    private static let leavingDistance = 40.0
    private static let leavingErrors = 3.0
    private static let reachingDistance = 25.0
    private static let leavingTime = Duration.seconds(10)
    /// The next fix of a receiver with fewer than one in 2 s gets this time more to end the excess.
    private static let fixInterval = Duration.seconds(2)
    private static let sparseTime = Duration.milliseconds(1200)
    private static let farTime = Duration.seconds(15)
    /// The window behind and before the last place, in metres.
    private static let behind = 50.0
    private static let ahead = 300.0
    /// Metres backwards that are the wrong way, and forwards that end it.
    private static let wrongWay = 100.0
    private static let rightWay = 30.0
    /// Metres backwards after which the way back of the course is looked for.
    private static let reversal = 15.0
    /// Metres that the progress may advance more than the run moves.
    private static let step = 25.0
    private static let end = 15.0
    /// Metres of the start, where the direction of movement does not matter.
    private static let start = 50.0
    /// Degrees between the course and the movement: with it up to the first, against it from the second on.
    private static let along = 60.0
    private static let against = 120.0
    /// A fix older than this does not let the course be left.
    private static let freshness = Duration.seconds(6)

    // MARK: Inputs

    package mutating func receive(_ fix: Fix, on course: Course) -> Change? {
        heading.receive(fix.coordinate, speed: fix.speed, track: fix.track)
        let plane = LocalPlane(around: fix.coordinate)
        let moved = newest.map { plane.point($0.coordinate) }.map { ($0.x * $0.x + $0.y * $0.y).squareRoot() } ?? 0
        defer { newest = fix }
        switch status {
        case .done: return nil
        case .on, .wrongWay: return follow(fix, moved: moved, in: plane, on: course)
        case .off, .rejoining: return search(fix, moved: moved, in: plane, on: course)
        }
    }

    /// Lets time pass. The newest fix was beyond the threshold, and nothing suggests a return.
    package mutating func tick(at now: Instant) -> Change? {
        guard let since = beyondSince, let newest, let before, now - newest.at <= Self.freshness, !isReturning,
            now - since >= Self.leavingTime + (now - newest.at > Self.fixInterval ? Self.sparseTime : .zero)
        else { return nil }
        return leave(before.distance)
    }

    // MARK: On the course

    private mutating func follow(
        _ fix: Fix, moved: Double, in plane: LocalPlane, on course: Course
    ) -> Change? {
        guard let last = place else { return nil }
        let window =
            last.metres - Self.behind - (status == .wrongWay ? moved : 0)...last.metres + Self.ahead + 1.5 * moved
        var best = best(
            in: window, expected: last.metres + (status == .wrongWay ? -moved : moved), moved, plane, course)
        let threshold = max(Self.leavingDistance, Self.leavingErrors * (fix.accuracy ?? 0))
        guard best.distance <= threshold else {
            if let ahead = candidate(from: last.metres, plane, course, isAlongOnly: true) {
                reach(ahead)
                return .on(skipped: ahead.metres - last.metres)
            }
            return exceed(threshold, by: best, fix)
        }
        // On the inner side of a bend the nearest place jumps. The progress follows in steps.
        let reach = moved + Self.step
        if abs(best.metres - last.metres) > reach {
            let metres = last.metres + (best.metres > last.metres ? reach : -reach)
            let between = course.place(at: metres, in: plane)
            if between.distance <= 2 * threshold { best = between }
        }
        beyondSince = nil
        before = (best.distance, fix.at)
        place = best
        furthest = max(furthest, best.metres)
        rearmost = min(rearmost, best.metres)
        if course.length - best.metres <= Self.end {
            status = .done
            return .done
        }
        return judgeDirection(best, fix, plane, course)
    }

    /// The place of the window with the least sum of squares: how far it is beside the course, and before or behind the
    /// expected progress, each by its uncertainty; a direction against the course counts as much as 20 m beside it.
    private func best(
        in window: ClosedRange<Double>, expected: Double, _ moved: Double, _ plane: LocalPlane, _ course: Course
    ) -> Course.Place {
        let first = course.segment(at: max(window.lowerBound, 0))
        let last = course.segment(at: min(window.upperBound, course.length))
        let uncertainty = 25 + moved / 2
        func cost(_ place: Course.Place) -> Double {
            let beside = place.distance / 8
            let advance = (place.metres - expected) / uncertainty
            let turn = heading.heading.map { Bearing.angle($0, place.bearing) / 180 } ?? 0
            return beside * beside + advance * advance + 6 * turn * turn
        }
        var best = course.place(on: first, in: plane)
        var least = cost(best)
        for segment in first...last {
            let place = course.place(on: segment, in: plane)
            // A place 200 m beside the course costs more than any other reason.
            let cost = cost(place)
            if cost < least { (best, least) = (place, cost) }
        }
        return refined(best, first...last, plane, course)
    }

    /// The nearest place of the same stretch: the neighbours of a place as long as they are nearer.
    private func refined(
        _ place: Course.Place, _ segments: ClosedRange<Int>, _ plane: LocalPlane, _ course: Course
    ) -> Course.Place {
        var best = place
        for step in [1, -1] {
            var segment = place.segment + step
            while segments.contains(segment), abs(course.distances[segment] - place.metres) < Self.rightWay {
                let next = course.place(on: segment, in: plane)
                guard next.distance <= best.distance, Bearing.angle(next.bearing, place.bearing) < 90 else { break }
                best = next
                segment += step
            }
        }
        return best
    }

    /// A fix beyond the threshold. The moment at which it was crossed lies between two fixes.
    private mutating func exceed(_ threshold: Double, by place: Course.Place, _ fix: Fix) -> Change? {
        isReturning = before.map { place.distance < $0.distance - 1 } ?? false
        if beyondSince == nil {
            beyondSince = fix.at
            if let before, before.distance < threshold, place.distance > before.distance {
                // Where there was no fix for long, the crossing may have been just before this one.
                let since = max(before.at, fix.at - Self.freshness)
                let part = (threshold - before.distance) / (place.distance - before.distance)
                beyondSince = since + .seconds((fix.at - since).inSeconds * part)
            }
        }
        before = (place.distance, fix.at)
        guard let since = beyondSince, fix.at - since >= Self.leavingTime else { return nil }
        return leave(place.distance)
    }

    private mutating func leave(_ metres: Double) -> Change {
        status = .off
        beyondSince = nil
        isReturning = false
        travelled = 0
        (leastReturn, greatestReturn) = (metres, metres)
        return .off(metres: metres)
    }

    /// Recognizes the wrong way, and an early turn on a course that comes back.
    private mutating func judgeDirection(
        _ place: Course.Place, _ fix: Fix, _ plane: LocalPlane, _ course: Course
    ) -> Change? {
        let turn = heading.heading.map { Bearing.angle($0, place.bearing) }
        if status == .wrongWay {
            if let ahead = candidate(from: furthest, plane, course, isAlongOnly: true) {
                let skipped = ahead.metres - furthest
                reach(ahead)
                return .on(skipped: skipped)
            }
            guard place.metres - rearmost >= Self.rightWay, turn.map({ $0 <= Self.along }) ?? true else { return nil }
            reach(place)
            return .on(skipped: 0)
        }
        let back = furthest - place.metres
        guard back >= Self.reversal, turn.map({ $0 >= Self.against }) ?? true else { return nil }
        let left = furthest
        if let ahead = candidate(from: left, plane, course, isAlongOnly: true) {
            let skipped = ahead.metres - left
            if skipped <= Self.ahead || back >= Self.wrongWay {
                reach(ahead)
                return skipped <= Self.ahead ? nil : .on(skipped: skipped)
            }
        }
        guard back >= Self.wrongWay else { return nil }
        status = .wrongWay
        rearmost = place.metres
        return .wrongWay
    }

    // MARK: Beside the course

    private mutating func search(_ fix: Fix, moved: Double, in plane: LocalPlane, on course: Course) -> Change? {
        travelled += moved
        let left = place?.metres
        if let left {
            if let found = candidate(from: left - Self.behind, plane, course, isAlongOnly: false) {
                let isFar = found.metres > left + Self.ahead + 1.5 * travelled || found.metres < left - Self.behind
                let since = farSince ?? fix.at
                farSince = since
                if !isFar || fix.at - since >= Self.farTime {
                    reach(found)
                    return .on(skipped: max(found.metres - left, 0))
                }
            } else {
                farSince = nil
            }
        } else if let found = beginning(fix, plane, course) {
            reach(found)
            return .on(skipped: 0)
        }
        let nearest = course.nearest(from: left ?? 0, in: plane)
        returnPlace = nearest
        guard left != nil else { return nil }
        judgeReturn(nearest.distance)
        return nil
    }

    /// The run comes nearer or goes away, by 20 m.
    private mutating func judgeReturn(_ metres: Double) {
        leastReturn = min(leastReturn, metres)
        greatestReturn = max(greatestReturn, metres)
        if status == .off, greatestReturn - metres >= 20 {
            status = .rejoining
            leastReturn = metres
        } else if status == .rejoining, metres - leastReturn >= 20 {
            status = .off
            greatestReturn = metres
        }
    }

    private mutating func reach(_ place: Course.Place) {
        status = .on
        self.place = place
        returnPlace = nil
        furthest = place.metres
        rearmost = place.metres
        beyondSince = nil
        before = nil
        isReturning = false
        opposedSince = nil
        farSince = nil
    }

    /// The place to come onto the course: along its direction the first one from `metres` on; else one that may have been
    /// reached by what was travelled; else the last one before.
    private func candidate(
        from metres: Double, _ plane: LocalPlane, _ course: Course, isAlongOnly: Bool
    ) -> Course.Place? {
        var along: Course.Place?
        var near: Course.Place?
        var earlier: Course.Place?
        let reachable = metres + Self.behind + Self.ahead + 1.5 * travelled
        let start = isAlongOnly ? metres : 0
        course.eachSegment(within: Self.reachingDistance, from: start, in: plane) { segment in
            let place = course.place(on: segment, in: plane)
            guard place.distance <= Self.reachingDistance else { return }
            let turn = heading.heading.map { Bearing.angle($0, place.bearing) } ?? 0
            if place.metres >= metres, turn <= Self.along {
                Self.choose(&along, place, isFirst: true)
            } else if place.metres >= metres, place.metres <= reachable {
                Self.choose(&near, place, isFirst: true)
            } else if place.metres < metres, turn <= Self.along {
                Self.choose(&earlier, place, isFirst: false)
            }
        }
        if isAlongOnly { return along }
        if let along, along.metres <= reachable { return along }
        return near ?? along ?? earlier
    }

    /// Keeps the nearest place of the first stretch, or of the last.
    private static func choose(_ best: inout Course.Place?, _ place: Course.Place, isFirst: Bool) {
        guard let known = best else {
            best = place
            return
        }
        let isSameStretch = place.metres - known.metres <= 2 * reachingDistance
        if isSameStretch ? place.distance < known.distance : !isFirst { best = place }
    }

    /// The place where a run comes onto the course for the first time: its start whatever the direction, or the first
    /// place along the movement. A place against the movement counts after 10 s.
    private mutating func beginning(_ fix: Fix, _ plane: LocalPlane, _ course: Course) -> Course.Place? {
        var along: Course.Place?
        var other: Course.Place?
        course.eachSegment(within: Self.reachingDistance, in: plane) { segment in
            let place = course.place(on: segment, in: plane)
            guard place.distance <= Self.reachingDistance else { return }
            let turn = heading.heading.map { Bearing.angle($0, place.bearing) }
            if place.metres <= Self.start || turn.map({ $0 <= Self.along }) == true {
                Self.choose(&along, place, isFirst: true)
            } else if turn != nil {
                Self.choose(&other, place, isFirst: true)
            }
        }
        if let along { return along }
        guard let other else {
            opposedSince = nil
            return nil
        }
        let since = opposedSince ?? fix.at
        opposedSince = since
        return fix.at - since >= Self.leavingTime ? other : nil
    }
}
