package import Domain

/// Replays an activity: the same entries give the same states and events.
///
///     entries ──▶ each deadline before the entry ──▶ the entry ──▶ drain outputs and states after each step
///
/// The pipeline advances from deadline to deadline like a loop that is never late, so that minutes without
/// entries are not a hole. It takes one step only across an entry ``InputLogEntry/Kind/suspended(_:)``.
/// The status of the machine at the time (``Input/recorder(_:)``, late ticks) is not replayed.
package struct Replay: Sendable {
    package private(set) var pipeline: Pipeline

    /// - Parameters:
    ///   - beginning: Snapshot before the first entry.
    ///   - every: While active, states are made only at multiples of this active time; a multiple of 100 ms.
    package init(_ beginning: PipelineSnapshot, every: Duration = .milliseconds(100)) {
        self.init(Pipeline(beginning))
        pipeline.stateEvery = every.wholeMilliseconds
    }

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Applies the next entry.
    ///
    /// - Parameter say: Drains the pipeline's outputs and state after each step; what it leaves stays in the pipeline.
    package mutating func apply(_ entry: InputLogEntry, _ say: (inout Pipeline) -> Void = { $0.discardOutputs() }) {
        switch entry.kind {
        case .snapshot(let beginning):
            let every = pipeline.stateEvery
            pipeline = Pipeline(beginning)
            pipeline.stateEvery = every
        case .input(let input):
            advance(to: entry.at, say)
            pipeline.receive(input, at: entry.at)
        case .command(let command):
            advance(to: entry.at, say)
            // Rejected commands are not recorded.
            _ = try? pipeline.perform(command, at: entry.at)
        case .suspended(let duration):
            advance(before: entry.at - duration, say)
            pipeline.advance(to: entry.at)
        case .outage(let outage):
            advance(to: outage.rule == .continued ? entry.at : entry.at - outage.duration, say)
            pipeline.resume(after: outage, at: entry.at)
        case .shutdown: advance(to: entry.at, say)
        case .ended(let ending):
            advance(to: entry.at, say)
            // A run without sign of life was stopped by one of the previous steps.
            if ending == .power { _ = try? pipeline.perform(.stop, at: entry.at) }
        }
        say(&pipeline)
    }

    /// Sets the number of the next activity.
    mutating func number(next id: Int) {
        pipeline.lastActivity = id - 1
    }

    /// Advances to the last known moment, or to the present.
    package mutating func advance(to now: Instant, _ say: (inout Pipeline) -> Void = { $0.discardOutputs() }) {
        while pipeline.deadline <= now {
            pipeline.advance(to: pipeline.deadline)
            say(&pipeline)
        }
    }

    private mutating func advance(before moment: Instant, _ say: (inout Pipeline) -> Void) {
        while pipeline.deadline < moment {
            pipeline.advance(to: pipeline.deadline)
            say(&pipeline)
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
        let start = RunCommand.start(run.sport, indoor: run.isIndoor)
        var entries = [
            InputLogEntry(at: first.at, .snapshot(replay.pipeline.beginning)),
            InputLogEntry(at: first.at, .command(start)),
        ]
        if run.state == .paused { entries.append(InputLogEntry(at: first.at, .command(.pause))) }
        return entries + rest
    }
}
