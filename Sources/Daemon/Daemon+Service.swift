import Adapters
import Domain
import Glibc
import Linux
import Pipeline

/// The daemon as a service of systemd: what it tells of itself, and how it ends.
extension Daemon {
    /// How the run stands, for people who ask systemd.
    func reportStatus() {
        service.setStatus(Self.statusText(pipeline.runState, activity: pipeline.state(at: Clock.now()).activity?.id))
    }

    static func statusText(_ state: RunState, activity: Int?) -> String {
        switch state {
        case .idle: "idle"
        case .active: "recording \(Log.run(activity))"
        case .paused: "\(Log.run(activity)) is paused"
        }
    }

    /// The configuration is about to be read anew.
    func reportReloading() {
        service.reloading()
    }

    /// What could change has changed, or nothing has.
    func reportReloaded() {
        service.ready()
    }

    // MARK: Signals

    func onSignal(_ signal: Int32) throws(SystemError) -> SignalSource {
        // A terminal that goes away says so with SIGHUP; it may be gone already.
        let hasTerminal = isatty(STDIN_FILENO) == 1 || errno == EIO
        let isReload = signal == SIGHUP && !hasTerminal
        return try loop.onSignal(signal) { [unowned self] in
            if isReload { reload() } else { handle(by: signal) }
        }
    }

    // MARK: The end

    /// A signal says that it is time to stop.
    func handle(by signal: Int32) {
        Log.write(.notice, "told to stop")
        service.stopping()
        // Whoever presses Ctrl-C is there to stop the run himself.
        let runIsOn = signal == SIGTERM && pipeline.runState != .idle
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

    /// The machine goes down: the run ends here, and its files are made in the time that is left, or at the next start.
    private func closeRun() {
        let filesAreDone = { [unowned self] in perform(shutdown.filesAreDone()) }
        do {
            _ = try perform(.stop, at: Clock.now())
            endTimer = try loop.timer(filesAreDone)
            endTimer?.arm(at: shutdown.filesAreLateAt)
            finishStep()
            exports?.whenDone(filesAreDone)
        } catch {
            // It has been stopped meanwhile, or nothing can be waited for.
            filesAreDone()
        }
    }

    /// Closes the journal, as far as the disk lets it in the time that is left.
    func closeRecording() {
        let isClosed = recorder.journal.close(waiting: shutdown.timeLeft(at: Clock.now())) {
            if let finding = statePreparation.popFinding() { adopt(finding, isClosing: true) }
        }
        if !isClosed {
            Log.write(.warning, "the disk takes nothing: the last of the run may be lost")
        }
        let hasEnded = clerk?.close(waiting: shutdown.timeLeft(at: Clock.now()))
        if hasEnded == true, isStateReady, isWritingStraps || strapsRetryAt != nil { writeStraps(straps) }
    }
}
