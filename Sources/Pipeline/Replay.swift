package import Domain

/// Replays an activity: the same entries give the same states and events.
///
///     entries ──▶ a step at each deadline before the entry ──▶ the entry ──▶ effects of each step
///
/// The pipeline steps from deadline to deadline like a loop that is never late, so that minutes without
/// entries are not a hole. It takes one step only across an entry ``InputLogEntry/Kind/suspended(_:)``.
/// The status of the machine at the time (``Input/recorder(_:)``, late ticks) is not replayed.
package struct Replay: Sendable {
    /// Receives the pipeline after a step, and the effects of that step.
    package typealias Observer = (Pipeline, Effects) -> Void

    package private(set) var pipeline: Pipeline

    /// - Parameters:
    ///   - snapshot: Snapshot before the first entry.
    ///   - every: While active, states are made only at multiples of this active time; a multiple of 100 ms.
    package init(_ snapshot: PipelineSnapshot, every: Duration = .milliseconds(100)) {
        self.init(Pipeline(snapshot))
        pipeline.stateEvery = every.wholeMilliseconds
    }

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Applies the next entry, and calls `observe` after each step.
    package mutating func apply(_ entry: InputLogEntry, _ observe: Observer = { _, _ in }) {
        var effects = Effects()
        apply(entry, into: &effects) { pipeline, effects in
            observe(pipeline, effects)
            effects.removeAll()
        }
    }

    /// Advances to the last known moment, or to the present, and calls `observe` after each step.
    package mutating func advance(to now: Instant, _ observe: Observer = { _, _ in }) {
        var effects = Effects()
        advance(to: now, into: &effects) { pipeline, effects in
            observe(pipeline, effects)
            effects.removeAll()
        }
    }

    /// Applies the next entry and appends the effects of all steps.
    mutating func apply(_ entry: InputLogEntry, into effects: inout Effects) {
        apply(entry, into: &effects) { _, _ in }
    }

    /// Advances to `now` and appends the effects of all steps.
    mutating func advance(to now: Instant, into effects: inout Effects) {
        advance(to: now, into: &effects) { _, _ in }
    }

    /// Sets the number of the next activity.
    mutating func number(next id: Int) {
        pipeline.lastActivity = id - 1
    }

    // MARK: Steps

    private typealias StepBody = (Pipeline, inout Effects) -> Void

    private mutating func apply(_ entry: InputLogEntry, into effects: inout Effects, _ body: StepBody) {
        switch entry.kind {
        case .snapshot(let snapshot):
            let every = pipeline.stateEvery
            pipeline = Pipeline(snapshot)
            pipeline.stateEvery = every
        case .input(let input):
            advance(to: entry.at, into: &effects, body)
            pipeline.step(.input(input), at: entry.at, into: &effects)
        case .command(let command):
            advance(to: entry.at, into: &effects, body)
            // Rejected commands are not recorded.
            _ = try? pipeline.step(command, at: entry.at, into: &effects)
        case .suspended(let duration):
            advance(before: entry.at - duration, into: &effects, body)
            pipeline.step(.time, at: entry.at, into: &effects)
        case .outage(let outage):
            let isContinued = outage.rule == .continued
            advance(to: isContinued ? entry.at : entry.at - outage.duration, into: &effects, body)
            pipeline.resume(after: outage, at: entry.at, into: &effects)
        case .shutdown: advance(to: entry.at, into: &effects, body)
        case .ended(let reason):
            advance(to: entry.at, into: &effects, body)
            // A run without sign of life was stopped by one of the previous steps.
            if reason == .power { _ = try? pipeline.step(.stop, at: entry.at, into: &effects) }
        }
        body(pipeline, &effects)
    }

    private mutating func advance(to now: Instant, into effects: inout Effects, _ body: StepBody) {
        while pipeline.deadline <= now {
            pipeline.step(.time, at: pipeline.deadline, into: &effects)
            body(pipeline, &effects)
        }
    }

    private mutating func advance(before moment: Instant, into effects: inout Effects, _ body: StepBody) {
        while pipeline.deadline < moment {
            pipeline.step(.time, at: pipeline.deadline, into: &effects)
            body(pipeline, &effects)
        }
    }
}

extension Replay {
    /// Splits an activity at an outage that exceeded the resume limit; returns the second half as a new activity.
    ///
    /// - Parameters:
    ///   - part: The entries from the outage on.
    ///   - interrupted: The pipeline before the outage.
    /// - Returns: The entries of the new activity. It starts at the end of the outage, paused if the
    ///   interrupted run was. Empty if the part does not begin with an outage, or no run was in progress.
    package static func split(_ part: some Sequence<InputLogEntry>, from interrupted: Pipeline) -> [InputLogEntry] {
        var rest = Array(part)[...]
        guard let first = rest.popFirst(), case .outage = first.kind, let run = interrupted.run else { return [] }
        var replay = Replay(interrupted)
        replay.apply(first)
        var effects = Effects()
        if run.isIndoor { replay.pipeline.removePosition(at: first.at, into: &effects) }
        let start = RunCommand.start(run.sport, indoor: run.isIndoor)
        var entries = [
            InputLogEntry(at: first.at, .snapshot(replay.pipeline.snapshot)),
            InputLogEntry(at: first.at, .command(start)),
        ]
        if run.state == .paused { entries.append(InputLogEntry(at: first.at, .command(.pause))) }
        return entries + rest
    }
}
