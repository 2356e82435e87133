import Domain

/// The 100 ms ticks of a run, on an absolute schedule.
///
/// The part of a period that had passed at a pause is kept: the first tick after the resume comes that much sooner.
struct TickSchedule {
    static let period = Duration.milliseconds(100)

    /// Lateness from which missed ticks are a hole, applied in one step.
    static let hole = Duration.seconds(30)

    /// Moment of the next tick; nil while paused.
    private(set) var next: Instant?
    /// Part of a period that had passed at the pause.
    private var kept = Duration.zero

    init(startedAt now: Instant) {
        next = now + Self.period
    }

    /// Beginning and number of the missed ticks if they are a hole; else nil.
    func hole(at now: Instant) -> (since: Instant, ticks: Int64)? {
        guard let due = next, now - due > Self.hole else { return nil }
        let ticks = (now - due).wholeNanoseconds / Self.period.wholeNanoseconds + 1
        return (due - Self.period, ticks)
    }

    /// Advances the schedule by `ticks`.
    mutating func finish(ticks: Int64) {
        next = next.map { $0 + Self.period * Int(ticks) }
    }

    /// Pauses the schedule; every due tick has been applied.
    mutating func pause(at now: Instant) {
        guard let next else { return }
        kept = Self.period - (next - now)
        self.next = nil
    }

    mutating func resume(at now: Instant) {
        next = now + (Self.period - kept)
        kept = .zero
    }
}
