import Domain

/// Detects automatic pauses of a run, once a second: an annotation, which stops neither the timer nor the recording.
///
///              slow for 3 s (on foot 4 s)
///     moving ──────────────────────────────▶ paused
///        ▲                                     │ fast for 2 s,
///        └─────────────────────────────────────┘ or no speed for 10 s
///
/// A pause begins where standing began and ends where movement began, not where they were recognized. Without a speed,
/// as without a position, nothing is decided for 10 s; then a pause is over where the speed was last known.
/// All moments are active time of the run, in milliseconds.
///
/// Source: the bounds are those that reproduce the timers of bicycle computers from their own speeds within 0.2 %;
/// docs/behaviour.md, "Automatic pauses".
struct AutoPauseDetector: Sendable {
    /// The bounds of a sport.
    struct Rule: Sendable {
        /// Metres per second: slower is standing, and from the other on it is movement.
        var slow: Double
        var fast: Double
        /// Milliseconds of standing, and of movement, that are recognized.
        var standing: Int64
        var moving: Int64

        init(_ sport: Sport) {
            self =
                sport == .ride
                ? Rule(slow: 0.8, fast: 1.2, standing: 3000, moving: 2000)
                : Rule(slow: 0.6, fast: 1.0, standing: 4000, moving: 2000)
        }

        private init(slow: Double, fast: Double, standing: Int64, moving: Int64) {
            self.slow = slow
            self.fast = fast
            self.standing = standing
            self.moving = moving
        }
    }

    enum Change: Equatable, Sendable {
        /// A pause has begun, or ended, at this active time, which is not later than the present.
        case began(at: Int64)
        case ended(at: Int64)
    }

    /// What a second adds.
    struct Step: Equatable, Sendable {
        /// Active time that is now known to be paused.
        var milliseconds: Int64 = 0
        var change: Change?
    }

    private(set) var isPaused = false
    /// The last second that was judged, and the last one with a speed.
    private var judgedAt: Int64
    private var knownAt: Int64
    /// Where the present standing, or in a pause the present movement, began.
    private var slowSince: Int64?
    private var fastSince: Int64?
    /// The end of what has been added of the pause.
    private var countedTo: Int64 = 0

    /// Time without a speed that ends a pause; a longer step of the time is without a speed, too.
    private static let lost: Int64 = 10_000

    init(at elapsed: Int64 = 0) {
        judgedAt = elapsed
        knownAt = elapsed
    }

    /// Judges the time up to a moment.
    ///
    /// - Parameters:
    ///   - speed: metres per second; nil if it is unknown.
    ///   - lapBegan: where the lap began: a pause does not reach back into a lap that is closed.
    mutating func tick(_ speed: Double?, _ rule: Rule, at elapsed: Int64, lapBegan: Int64) -> Step {
        let before = judgedAt
        judgedAt = elapsed
        if elapsed - before >= Self.lost { return lose(at: elapsed) }
        guard let speed else { return elapsed - knownAt >= Self.lost ? lose(at: knownAt) : Step() }
        knownAt = elapsed
        return isPaused
            ? judgePause(speed, rule, from: before, to: elapsed)
            : judgeMovement(speed, rule, from: max(before, lapBegan), to: elapsed, lapBegan: lapBegan)
    }

    private mutating func judgeMovement(
        _ speed: Double, _ rule: Rule, from before: Int64, to elapsed: Int64, lapBegan: Int64
    ) -> Step {
        guard speed < rule.slow else {
            slowSince = nil
            return Step()
        }
        let since = slowSince ?? before
        slowSince = since
        guard elapsed - since >= rule.standing else { return Step() }
        let began = max(since, lapBegan)
        isPaused = true
        fastSince = nil
        countedTo = elapsed
        return Step(milliseconds: elapsed - began, change: .began(at: began))
    }

    private mutating func judgePause(_ speed: Double, _ rule: Rule, from before: Int64, to elapsed: Int64) -> Step {
        guard speed >= rule.fast else {
            fastSince = nil
            return Step(milliseconds: count(to: elapsed))
        }
        let since = fastSince ?? max(before, countedTo)
        fastSince = since
        guard elapsed - since >= rule.moving else { return Step() }
        return Step(change: end())
    }

    /// Ends a pause where the speed was last known.
    private mutating func lose(at moment: Int64) -> Step {
        knownAt = moment
        slowSince = nil
        return isPaused ? Step(change: end()) : Step()
    }

    private mutating func end() -> Change {
        isPaused = false
        slowSince = nil
        fastSince = nil
        return .ended(at: countedTo)
    }

    /// Adds what a pause has up to a moment, as before the end of a lap: what has not been judged yet belongs to the pause.
    mutating func count(to elapsed: Int64) -> Int64 {
        guard isPaused else { return 0 }
        defer { countedTo = max(countedTo, elapsed) }
        // Movement that is recognized later began after this.
        fastSince = fastSince.map { max($0, elapsed) }
        return max(elapsed - countedTo, 0)
    }

    /// Ends a pause where it was last judged, because automatic pauses are off now.
    mutating func switchOff(at elapsed: Int64) -> Change? {
        defer { self = AutoPauseDetector(at: elapsed) }
        return isPaused ? .ended(at: countedTo) : nil
    }

    /// Ends a pause at a pause or the end of the run, and forgets what was judged.
    mutating func stop(at elapsed: Int64) -> Step {
        let milliseconds = count(to: elapsed)
        defer { self = AutoPauseDetector(at: elapsed) }
        return Step(milliseconds: milliseconds, change: isPaused ? .ended(at: elapsed) : nil)
    }
}
