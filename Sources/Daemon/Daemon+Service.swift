import Domain
import Glibc
import Linux
import Pipeline
import Storage

/// The daemon as a systemd service: status reports, signals and shutdown.
extension Daemon {
    /// Reports the state of the run to systemd.
    func reportStatus() {
        service.setStatus(Self.statusText(engine.runState, activity: engine.state(at: Clock.now()).activity?.id))
    }

    static func statusText(_ state: RunState, activity: Int?) -> String {
        switch state {
        case .idle: "idle"
        case .active: "recording \(Log.run(activity))"
        case .paused: "\(Log.run(activity)) is paused"
        }
    }

    /// Reports the start of a reload.
    func reportReloading() {
        service.reloading()
    }

    /// Reports the end of a reload, successful or not.
    func reportReloaded() {
        service.ready()
    }

    // MARK: Signals

    func onSignal(_ signal: Int32) throws(SystemError) -> SignalSource {
        // A terminal that closes sends SIGHUP too, and may be gone already.
        let hasTerminal = isatty(STDIN_FILENO) == 1 || errno == EIO
        let isReload = signal == SIGHUP && !hasTerminal
        return try loop.onSignal(signal) { [unowned self] in
            if isReload { reload() } else { handle(by: signal) }
        }
    }

    // MARK: Shutdown

    /// Starts the shutdown.
    func handle(by signal: Int32) {
        Log.write(.notice, "stop requested")
        service.stopping()
        // A user who presses Ctrl-C can stop the run himself.
        let runIsOn = signal == SIGTERM && engine.runState != .idle
        perform(shutdown.stopRequested(runIsOn: runIsOn, at: Clock.now()))
    }

    private func perform(_ action: Shutdown.Action?) {
        switch action {
        case .ask: querySystemState()
        case .closeRun: closeRun()
        case .end: loop.stop(0)
        case nil: break
        }
    }

    private func querySystemState() {
        let answered: (String?) -> Void = { [unowned self] state in
            perform(shutdown.answered(goesDown: state == SystemState.stopping))
        }
        do throws(SystemError) {
            systemState = try SystemState(loop: loop, waiting: Shutdown.askLimit, answered: answered)
        } catch {
            answered(nil)
        }
    }

    /// Stops the run because the system shuts down. Its files are exported in the time left, or at the next start.
    private func closeRun() {
        let filesAreDone = { [unowned self] in perform(shutdown.filesAreDone()) }
        do {
            _ = try perform(.stop, at: Clock.now())
            endTimer = try loop.timer(filesAreDone)
            endTimer?.arm(at: shutdown.filesAreLateAt)
            finishStep()
            exports?.whenDone(filesAreDone)
        } catch {
            // The run has been stopped meanwhile, or no timer could be created.
            filesAreDone()
        }
    }

    /// Closes the journal, waiting for the disk for at most the time left.
    func closeRecording() {
        let isClosed = recorder.journal.close(waiting: shutdown.timeLeft(at: Clock.now())) {
            if let finding = statePreparation.popFinding() { adopt(finding, isClosing: true) }
        }
        if !isClosed {
            Log.write(.warning, "journal not closed: the disk does not respond; the end of the run may be lost")
        }
        let hasEnded = diskWorker?.close(waiting: shutdown.timeLeft(at: Clock.now()))
        if hasEnded == true, isStateReady, isWritingStraps || strapsRetryAt != nil { writeStraps(straps) }
    }
}
