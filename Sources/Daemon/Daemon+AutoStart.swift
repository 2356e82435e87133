import Domain
import Linux
import Pipeline

/// Runs that begin by themselves (``AutoStart``).
extension Daemon {
    /// Begins the run that movement or beats ask for, as a command would. Not on a battery that is nearly empty: the last of it is for a
    /// run that a person begins.
    ///
    /// - Returns: whether one has begun.
    func beginByItself(at now: Instant) -> Bool {
        guard let since = begins else { return false }
        begins = nil
        guard recollection.pipeline.runState == .idle, !powerWatch.isExhausted else { return false }
        Log.write(.info, "movement or beats begin a run")
        // Idle it is not refused.
        _ = try? perform(.start(nil, indoor: false, back: now - since), at: now)
        return true
    }

    /// Says why a run has ended that nobody has stopped.
    func logEnd(_ entries: [InputLogEntry]) {
        guard entries.contains(where: { $0.kind == .ended(.forgotten) }) else { return }
        let minutes = recollection.pipeline.settings.autoStopMinutes
        Log.write(.notice, "no movement and no beats for \(minutes) min: the run is closed as of the last")
    }
}
