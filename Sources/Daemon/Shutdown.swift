package import Domain

/// State machine of the shutdown. It ends within ``limit``, whatever systemd and the disk do. It does no I/O.
///
///               stop requested          system stays up, or no answer
///     serving ─────────▶ querying ─────────────────────────────────▶ ended
///        │                  │ system shuts down                       ▲
///        │ no query         ▼                                         │
///        │               exporting ──── files written, or late ───────┤
///        └────────────────────────────────────────────────────────────┘
///
/// A run is stopped only if the system shuts down and automatic start is enabled; a
/// restart of the daemon resumes the run. A second request to stop ends at once.
package struct Shutdown {
    package enum Action: Equatable {
        /// Ask systemd whether the system shuts down, for at most ``queryLimit``.
        case querySystemState
        /// Stop the run as a command does, and export its files.
        case stopRun
        /// End the loop.
        case end
    }

    private enum State: Equatable {
        case serving, querying, exporting, ended
    }

    /// The time that systemd has to answer.
    package static let queryLimit = Duration.milliseconds(500)
    /// Since the request to stop: files that are not written by then are exported at the next start.
    package static let exportLimit = Duration.milliseconds(600)
    /// Since the request to stop: a journal that is not closed by then is left open.
    package static let limit = Duration.milliseconds(800)

    private let closesRun: Bool
    private var state = State.serving
    private var requestedAt: Instant?

    /// - Parameter closesRun: whether a system shutdown closes the run.
    package init(closesRun: Bool) {
        self.closesRun = closesRun
    }

    /// When waiting for the files ends; nil in the other states.
    package var exportDeadline: Instant? {
        state == .exporting ? requestedAt.map { $0 + Self.exportLimit } : nil
    }

    /// The time left until ``limit``.
    package func timeLeft(at now: Instant) -> Duration {
        max((requestedAt ?? now) + Self.limit - now, .zero)
    }

    /// Handles a request to stop.
    ///
    /// - Parameter runIsOpen: a run is in progress that may be closed.
    package mutating func stopRequested(runIsOpen: Bool, at now: Instant) -> Action {
        guard state == .serving, closesRun, runIsOpen else {
            requestedAt = requestedAt ?? now
            state = .ended
            return .end
        }
        requestedAt = now
        state = .querying
        return .querySystemState
    }

    /// Handles systemd's answer, or its timeout.
    package mutating func answered(isShuttingDown: Bool) -> Action? {
        guard state == .querying else { return nil }
        state = isShuttingDown ? .exporting : .ended
        return isShuttingDown ? .stopRun : .end
    }

    /// Handles the end of the exports, or their timeout.
    package mutating func exportsEnded() -> Action? {
        guard state == .exporting else { return nil }
        state = .ended
        return .end
    }
}
