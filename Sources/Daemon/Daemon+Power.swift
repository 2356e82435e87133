import Domain
import Linux
import Pipeline
import Storage

/// Handles changes of the board's power supply: raises faults, closes and resumes the run.
extension Daemon {
    /// Receives the power status. Closes the run once, when the battery falls to the closing
    /// limit. A run that is started by command after that continues until the battery is empty.
    func receive(_ power: PowerStatus?) {
        receive(.power(power))
        let wasExhausted = powerWatch.isExhausted
        let limits = BatteryPolicy.Limits(warning: configuration.warnAtPercent, closing: configuration.closeAtPercent)
        for input in powerWatch.evaluate(power, limits: limits, at: Clock.now()) { receive(input) }
        if powerWatch.isExhausted, !wasExhausted {
            closeForPower()
        } else if !powerWatch.isExhausted, let closed {
            self.closed = nil
            resume(with: closed)
        }
    }

    private func closeForPower() {
        let now = Clock.now()
        catchUp(to: now)
        guard let open = recorder.journal.open, let pipeline = engine.suspend(at: now, into: &effects) else { return }
        Log.write(.warning, "battery nearly empty: the run is stopped, and resumes when power returns")
        closed = SuspendedActivity(pipeline, open, recorder, at: now)
        undecided = nil
        finishStep()
    }

    private func resume(with closed: SuspendedActivity) {
        let now = Clock.now()
        catchUp(to: now)
        let limit = Duration.seconds(configuration.resumeLimitSeconds)
        guard engine.runState == .idle, now - closed.last <= limit else { return }
        Log.write(.notice, "power is back: the run that was stopped on low battery resumes")
        closed.resume(recorder, &engine, at: now, into: &effects)
        undecided = closed.undecided(at: now)
        finishStep()
    }
}
