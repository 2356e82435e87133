import Domain

/// The way from the word to stop to the end, which comes within ``limit``, whatever systemd and the disk do.
///
///               told                  goes on, or nobody says
///     serving ─────────▶ asking ────────────────────────────────▶ ended
///        │                  │ goes down                             ▲
///        │ nothing to ask   ▼                                       │
///        │               closing ───── files made, or late ─────────┤
///        └──────────────────────────────────────────────────────────┘
///
/// A run is closed only where the machine goes down and is one that records from its start to its end: a restart of the daemon goes on
/// with it. A second word to stop ends at once. The machine does no input or output.
struct Shutdown {
    enum Action: Equatable {
        /// Ask systemd whether the machine goes down, for ``askLimit`` at most.
        case ask
        /// Close the run as a command to stop does, and make its files.
        case closeRun
        /// End the loop.
        case end
    }

    private enum State: Equatable {
        case serving, asking, closing, ended
    }

    /// How long systemd may take to answer.
    static let askLimit = Duration.milliseconds(500)
    /// From the word to stop: files that are not made by then are made at the next start.
    static let fileLimit = Duration.milliseconds(600)
    /// From the word to stop: the journal is closed by then, or is left as it is.
    static let limit = Duration.milliseconds(800)

    private let closesRun: Bool
    private var state = State.serving
    private var toldAt: Instant?

    /// - Parameter closesRun: the end of the machine closes a run that is on.
    init(closesRun: Bool) {
        self.closesRun = closesRun
    }

    /// When the files are late; nil while none are made.
    var filesAreLateAt: Instant? {
        state == .closing ? toldAt.map { $0 + Self.fileLimit } : nil
    }

    /// How long what is left to do may still take.
    func timeLeft(at now: Instant) -> Duration {
        max((toldAt ?? now) + Self.limit - now, .zero)
    }

    /// Somebody says that it is time to stop.
    ///
    /// - Parameter runIsOn: and may be closed.
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

    /// systemd has said whether the machine goes down, or has not said it in time.
    mutating func answered(goesDown: Bool) -> Action? {
        guard state == .asking else { return nil }
        state = goesDown ? .closing : .ended
        return goesDown ? .closeRun : .end
    }

    /// The files are made, or late.
    mutating func filesAreDone() -> Action? {
        guard state == .closing else { return nil }
        state = .ended
        return .end
    }
}
