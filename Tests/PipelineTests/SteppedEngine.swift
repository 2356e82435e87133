import Domain
import Pipeline

/// An engine and the effects of its steps that a test has not drained yet.
struct SteppedEngine {
    private var engine: RunEngine
    private(set) var effects = Effects()

    init(_ pipeline: Pipeline, at now: Instant) {
        engine = RunEngine(pipeline, at: now)
    }

    var runState: RunState { engine.runState }

    func state(at now: Instant) -> State { engine.state(at: now) }

    mutating func advance(to now: Instant) {
        engine.step(.time, at: now, into: &effects)
    }

    mutating func receive(_ input: Input, at now: Instant) {
        engine.step(.input(input), at: now, into: &effects)
    }

    mutating func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        try engine.step(command, at: now, into: &effects)
    }

    mutating func resume(_ interrupted: Pipeline, after outage: Outage, at now: Instant) {
        engine.resume(interrupted, after: outage, at: now, into: &effects)
    }

    /// Stops the run; nil if none is in progress.
    mutating func suspend(at now: Instant) -> Pipeline? {
        engine.suspend(at: now, into: &effects)
    }

    /// Returns the entries and discards all effects.
    mutating func drainEntries() -> [InputLogEntry] {
        defer { effects.removeAll() }
        return effects.entries
    }
}
