import Adapters
import Domain
import Linux
import Pipeline

/// What the board's supply changes: faults, and the run.
extension Daemon {
    /// Takes how the board is supplied. A run is closed once, when the battery gets so low: one that is begun by command after that goes
    /// on as long as the battery does.
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
        guard let closed = SuspendedActivity(recollection.pipeline, recorder, at: now) else { return }
        Log.write(.warning, "the battery is nearly empty: the run is closed, and goes on when power returns")
        self.closed = closed
        undecided = nil
        // A run is on: it is not refused.
        try? recollection.endForPower(at: now)
        finishStep()
    }

    private func resume(with closed: SuspendedActivity) {
        let now = Clock.now()
        catchUp(to: now)
        let limit = Duration.seconds(configuration.resumeLimitSeconds)
        guard recollection.pipeline.runState == .idle, now - closed.last <= limit else { return }
        Log.write(.notice, "there is power again: the run that was closed goes on")
        closed.resume(&recorder, &recollection, at: now)
        undecided = closed.undecided(at: now)
        finishStep()
    }
}
