package import Domain

/// An activity once more: its entries in, the same states and events out.
///
///     entries ──▶ each deadline before the entry ──▶ the entry ──▶ what there is to say, after each of these
///
/// The pipeline goes from deadline to deadline, as a loop that is never late, so that minutes without entries are no hole; only where
/// the entries say that the loop was held up it goes on in one step. What the machine was like at the time (``Input/recorder(_:)``,
/// late ticks) is not in it.
package struct Replay: Sendable {
    package private(set) var pipeline: Pipeline

    /// - Parameters:
    ///   - beginning: what was known before the next entry.
    ///   - every: while active only states at the multiples of so much active time are made; a multiple of 100 ms.
    package init(_ beginning: PipelineSnapshot, every: Duration = .milliseconds(100)) {
        self.init(Pipeline(beginning))
        pipeline.stateEvery = every.wholeMilliseconds
    }

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Takes the next entry.
    ///
    /// - Parameter say: called after each step with the pipeline, to take what there is to say; what it leaves stays.
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
            // A command that was refused is not recorded.
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
            // A forgotten one has ended at one of the moments before.
            if ending == .power { _ = try? pipeline.perform(.stop, at: entry.at) }
        }
        say(&pipeline)
    }

    /// The next activity gets this number.
    mutating func number(next id: Int) {
        pipeline.lastActivity = id - 1
    }

    /// Goes on to the last moment that is known, or on to the present.
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
    /// An activity of its own, made of the part of another one that an outage begins: for an outage that turns out to have been too long.
    ///
    /// - Parameters:
    ///   - part: the entries from the outage on.
    ///   - interrupted: the pipeline as it was before it.
    /// - Returns: the entries of the activity, which begins where the outage ended and is paused where the interrupted one was; empty
    ///   where the part does not begin with an outage, or no run was on.
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
