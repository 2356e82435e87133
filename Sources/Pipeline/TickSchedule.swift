import Domain

/// The 100 ms ticks of a run on an absolute schedule.
///
/// The part of a period that had passed at a pause is kept: the first tick after the resume falls that much sooner.
struct TickSchedule {
    static let period = Duration.milliseconds(100)

    /// A loop that is later than this has slept, and does not catch up tick by tick.
    static let hole = Duration.seconds(30)

    /// The moment of the next tick; nil while paused.
    private(set) var next: Instant?
    /// The part of a period that had passed at the pause.
    private var kept = Duration.zero

    init(startedAt now: Instant) {
        next = now + Self.period
    }

    /// The ticks that are due when they are a hole, and when it began.
    func hole(at now: Instant) -> (since: Instant, ticks: Int64)? {
        guard let due = next, now - due > Self.hole else { return nil }
        let ticks = (now - due).wholeNanoseconds / Self.period.wholeNanoseconds + 1
        return (due - Self.period, ticks)
    }

    /// So many ticks are done.
    mutating func finish(ticks: Int64) {
        next = next.map { $0 + Self.period * Int(ticks) }
    }

    /// Every tick that is due has been taken.
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
