import Domain

/// State machine of the shutdown. It ends within ``limit``, whatever systemd and the disk do. It does no I/O.
///
///               stop requested        system stays up, or no answer
///     serving ─────────▶ asking ────────────────────────────────▶ ended
///        │                  │ system shuts down                     ▲
///        │ no question      ▼                                       │
///        │               closing ───── files written, or late ──────┤
///        └──────────────────────────────────────────────────────────┘
///
/// A run is closed only if the system shuts down and automatic start is enabled; a
/// restart of the daemon resumes the run. A second request to stop ends at once.
struct Shutdown {
    enum Action: Equatable {
        /// Ask systemd whether the system shuts down, for at most ``askLimit``.
        case ask
        /// Stop the run as a command does, and export its files.
        case closeRun
        /// End the loop.
        case end
    }

    private enum State: Equatable {
        case serving, asking, closing, ended
    }

    /// The time that systemd has to answer.
    static let askLimit = Duration.milliseconds(500)
    /// Since the request to stop: files that are not written by then are exported at the next start.
    static let fileLimit = Duration.milliseconds(600)
    /// Since the request to stop: a journal that is not closed by then is left open.
    static let limit = Duration.milliseconds(800)

    private let closesRun: Bool
    private var state = State.serving
    private var toldAt: Instant?

    /// - Parameter closesRun: whether a system shutdown closes the run.
    init(closesRun: Bool) {
        self.closesRun = closesRun
    }

    /// When waiting for the files ends; nil in the other states.
    var filesAreLateAt: Instant? {
        state == .closing ? toldAt.map { $0 + Self.fileLimit } : nil
    }

    /// The time left until ``limit``.
    func timeLeft(at now: Instant) -> Duration {
        max((toldAt ?? now) + Self.limit - now, .zero)
    }

    /// Handles a request to stop.
    ///
    /// - Parameter runIsOn: a run is in progress that may be closed.
    mutating func stopRequested(runIsOn: Bool, at now: Instant) -> Action {
        guard state == .serving, closesRun, runIsOn else {
            toldAt = toldAt ?? now
            state = .ended
            return .end
        }
        toldAt = now
        state = .asking
        return .ask
    }

    /// Handles systemd's answer, or its timeout.
    mutating func answered(goesDown: Bool) -> Action? {
        guard state == .asking else { return nil }
        state = goesDown ? .closing : .ended
        return goesDown ? .closeRun : .end
    }

    /// Handles the end of the exports, or their timeout.
    mutating func filesAreDone() -> Action? {
        guard state == .closing else { return nil }
        state = .ended
        return .end
    }
}
