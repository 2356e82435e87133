import Domain
import Linux
import Pipeline

/// Automatic start of runs (``AutoStart``).
extension Daemon {
    /// Starts the run that movement or beats have triggered, as a command would. It does not start
    /// one while the battery is nearly empty: the remaining charge is for runs that a user starts.
    ///
    /// - Returns: true if a run has started.
    func beginByItself(at now: Instant) -> Bool {
        guard let since = begins else { return false }
        begins = nil
        guard engine.runState == .idle, !powerWatch.isExhausted else { return false }
        Log.write(.info, "run starts automatically: movement or beats detected")
        // An idle pipeline does not reject it.
        _ = try? perform(.start(nil, indoor: false, back: now - since), at: now)
        return true
    }

    /// Logs the automatic stop of a run.
    func logEnd(_ entries: [InputLogEntry]) {
        guard entries.contains(where: { $0.kind == .ended(.forgotten) }) else { return }
        let minutes = engine.settings.autoStopMinutes
        Log.write(.notice, "run stopped automatically: no movement and no beats for \(minutes) min")
    }
}
