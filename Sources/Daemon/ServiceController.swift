import Domain
import Glibc
import Linux
import Pipeline
import Storage

/// Owns the daemon's life as a systemd service: signals, status reports, shutdown.
///
/// Source: docs/decisions/service.md.
final class ServiceController {
    private let loop: EventLoop
    private let inbox: Inbox
    private let reporter: SystemdReporter
    private var shutdown: Shutdown
    private var signals: [CallbackSource] = []
    private var systemState: SystemState?
    private var exportTimer: TimerSource?

    /// The signals that the daemon handles.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// - Parameter closesRun: whether a system shutdown stops the run.
    init(_ loop: EventLoop, _ inbox: Inbox, _ reporter: SystemdReporter, closesRun: Bool) throws(SystemError) {
        self.loop = loop
        self.inbox = inbox
        self.reporter = reporter
        shutdown = Shutdown(closesRun: closesRun)
        for signal in Self.signals {
            // A terminal that closes sends SIGHUP too, and may be gone already.
            let hasTerminal = isatty(STDIN_FILENO) == 1 || errno == EIO
            let isReload = signal == SIGHUP && !hasTerminal
            signals.append(
                try loop.onSignal(signal) { [inbox] in inbox.append(isReload ? .reload : .stop(signal: signal)) })
        }
    }

    // MARK: Reports

    /// Reports that the daemon serves clients, or the end of a reload.
    func reportReady() {
        reporter.ready()
    }

    func reportReloading() {
        reporter.reloading()
    }

    /// Reports the state of the run.
    func reportStatus(_ state: RunState, activity: Int?) {
        reporter.setStatus(Self.statusText(state, activity: activity))
    }

    static func statusText(_ state: RunState, activity: Int?) -> String {
        switch state {
        case .idle: "idle"
        case .active: "recording \(Log.run(activity))"
        case .paused: "\(Log.run(activity)) is paused"
        }
    }

    /// Handles a tick: everything due before `next` has been applied.
    func ticked(next: Instant) {
        reporter.ticked(next: next)
    }

    // MARK: Shutdown

    /// Handles a signal to stop.
    ///
    /// - Parameter runState: the state of the run.
    func stopRequested(by signal: Int32, _ runState: RunState, at now: Instant) -> Shutdown.Action {
        Log.write(.notice, "stop requested")
        reporter.stopping()
        // A user who presses Ctrl-C can stop the run himself.
        return shutdown.stopRequested(runIsOpen: signal == SIGTERM && runState != .idle, at: now)
    }

    /// Asks systemd whether the system shuts down. `perform` receives the next step.
    func querySystemState(_ perform: @escaping (Shutdown.Action, Instant) -> Void) {
        let answered: (String?) -> Void = { [unowned self, inbox] state in
            inbox.append(
                .completion { [unowned self] now in
                    let action = shutdown.answered(isShuttingDown: state == SystemState.stopping)
                    if let action { perform(action, now) }
                })
        }
        do throws(SystemError) {
            systemState = try SystemState(loop: loop, waiting: Shutdown.queryLimit, answered: answered)
        } catch {
            answered(nil)
        }
    }

    /// Calls `expired` when the time for the exports is over.
    func limitExports(_ expired: @escaping () -> Void) {
        do throws(SystemError) {
            exportTimer = try loop.timer { [inbox] in inbox.append(.completion { _ in expired() }) }
            exportTimer?.arm(at: shutdown.exportDeadline)
        } catch {
            expired()
        }
    }

    /// Handles the end of the exports, or their timeout: ends the loop.
    func exportsEnded() {
        if shutdown.exportsEnded() == .end { endLoop() }
    }

    /// Ends the loop after the current callback.
    func endLoop() {
        loop.stop(0)
    }

    /// The time left to close the journal.
    func timeLeft(at now: Instant) -> Duration {
        shutdown.timeLeft(at: now)
    }
}
