package import Domain

/// The pipeline with a two-minute buffer of inputs, so that a run can be backdated and each input log is complete.
///
///     inputs ──▶ pipeline ───────────────▶ entries, during a run
///        └─────▶ last two minutes ──▶ lagging pipeline, two minutes behind
///
/// A backdated start is a replay: the lagging pipeline replays the two minutes with the start inserted, and becomes
/// the pipeline. The caller passes inputs and commands to the engine, then drains ``pipeline`` and ``drainEntries()``.
package struct RunEngine: Sendable {
    package var pipeline: Pipeline
    /// The idle pipeline before the oldest entry of ``recent``.
    private var lagging: Replay
    /// Moment of ``lagging``; no run can start before it.
    private var since: Instant
    /// Entries of the idle pipeline since then, oldest first.
    private var recent: [InputLogEntry] = []
    /// Number of entries of ``recent`` that ``lagging`` has applied; they are removed in batches.
    private var taken = 0
    private var entries: [InputLogEntry] = []

    /// Maximum number of entries kept while idle: 120 s of a receiver with 20 reports a second and two straps.
    package static let limit = 4096

    package init(_ pipeline: Pipeline, at now: Instant) {
        self.pipeline = pipeline
        lagging = Replay(pipeline)
        since = now
    }

    /// Resumes an activity after an outage.
    ///
    /// - Parameters:
    ///   - interrupted: The pipeline of a ``Replay`` of the activity, advanced to the
    ///     last known moment, on the current clock (``InputLogEntry/shifted(by:)``).
    ///   - outage: The outage, which ends at `now`. If it is continued, its ticks are applied here,
    ///     and ``pipeline`` has their outputs; the last tick may end a run without sign of life.
    package mutating func resume(_ interrupted: Pipeline, after outage: Outage, at now: Instant) {
        var replay = Replay(interrupted)
        replay.advance(to: now - outage.duration)
        let wasIdle = replay.pipeline.runState == .idle
        if outage.rule == .continued { replay.advance(to: now) { _ in } }
        adopt(replay.pipeline)
        pipeline.resume(after: outage, at: now)
        entries.append(InputLogEntry(at: now, .outage(outage)))
        if !wasIdle { endIfForgotten(at: now) }
    }

    /// Records that a signal stops the daemon at `now`. The run stays open.
    package mutating func shutDown(at now: Instant) {
        advance(to: now)
        if pipeline.runState != .idle { entries.append(InputLogEntry(at: now, .shutdown)) }
    }

    /// Resumes an activity that this engine has closed; the current status of the devices is kept.
    package mutating func reopen(_ closed: Pipeline, after outage: Outage, at now: Instant) {
        let present = pipeline
        resume(closed, after: outage, at: now)
        for input in present.known { receive(input, at: now) }
    }

    /// Stops the run because the battery is nearly empty; ``reopen(_:after:at:)`` can resume it.
    ///
    /// - Throws: ``CommandRejection`` if no run is in progress.
    package mutating func endForPower(at now: Instant) throws(CommandRejection) {
        advance(to: now)
        _ = try pipeline.perform(.stop, at: now)
        entries.append(InputLogEntry(at: now, .ended(.power)))
        startOver(at: now)
    }

    /// Renumbers the run in progress. Its entries so far have been drained.
    package mutating func renumber(_ numbers: Renumbering.Shift, at now: Instant) {
        guard pipeline.runState != .idle, numbers.distance > 0 else { return }
        pipeline.renumber(numbers)
        pipeline.publish(at: now)
    }

    /// Sets the number of the next activity.
    package mutating func number(next id: Int) {
        guard pipeline.runState == .idle else { return }
        pipeline.lastActivity = id - 1
        lagging.number(next: id)
    }

    /// Replaces the pipeline by that of a ``Replay`` up to `now`, whose outputs were published already.
    package mutating func replace(by other: Pipeline, at now: Instant) {
        adopt(other)
        pipeline.discardOutputs()
        pipeline.publish(at: now)
        if pipeline.runState == .idle { startOver(at: now) }
    }

    /// Advances the pipeline to `now`.
    package mutating func advance(to now: Instant) {
        if let leap = pipeline.leap(to: now) { append(InputLogEntry(at: now, .suspended(now - leap))) }
        let wasIdle = pipeline.runState == .idle
        pipeline.advance(to: now)
        if !wasIdle { endIfForgotten(at: now) }
        trimHistory(before: now)
    }

    /// Records the automatic end of a run that was in progress before the last ticks.
    private mutating func endIfForgotten(at now: Instant) {
        guard pipeline.runState == .idle else { return }
        entries.append(InputLogEntry(at: now, .ended(.forgotten)))
        startOver(at: now)
    }

    /// Receives one input that arrived at `now`.
    package mutating func receive(_ input: Input, at now: Instant) {
        advance(to: now)
        let isKept = pipeline.keeps(input, at: now)
        pipeline.receive(input, at: now)
        guard isKept else { return }
        var entry = InputLogEntry(at: now, .input(input))
        if case .fix = input { entry.refusal = pipeline.refusal }
        append(entry)
    }

    /// Performs a command that arrived at `now`. A start is backdated by two minutes
    /// at most, and not beyond the start of the program or the end of the last run.
    ///
    /// A lap is rejected here and not in the pipeline, so that a replay repeats the short laps of an older version.
    ///
    /// - Throws: ``CommandRejection`` if the run's state does not allow it, and for a lap
    ///   within ``RunCommand/shortestLap`` of the last one; nothing has changed then.
    package mutating func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        advance(to: now)
        if command == .lap, pipeline.runState == .active, let closedAt = pipeline.run?.lapClosedAt,
            now - closedAt < RunCommand.shortestLap
        {
            throw CommandRejection(command: command.word, state: .active, isTooSoon: true)
        }
        let wasIdle = pipeline.runState == .idle
        let idle = pipeline
        var command = command
        var start = now
        if wasIdle, case .start(let sport, let indoor, let back) = command {
            start = max(now - min(back, RunCommand.maxBackdate), since)
            command = .start(sport, indoor: indoor, back: now - start)
        }
        let outcome: Pipeline.Outcome
        if wasIdle, start < now {
            outcome = try begin(command, at: start, askedAt: now)
        } else {
            outcome = try pipeline.perform(command, at: now)
            if wasIdle { entries.append(InputLogEntry(at: now, .snapshot(idle.beginning))) }
            entries.append(InputLogEntry(at: now, .command(command)))
        }
        if !wasIdle, pipeline.runState == .idle { startOver(at: now) }
        return outcome
    }

    /// Returns and removes the entries since the last call, oldest first. An activity's first entry is its snapshot.
    package mutating func drainEntries() -> [InputLogEntry] {
        defer { if !entries.isEmpty { entries = [] } }
        return entries
    }

    // MARK: Backdated start

    /// Replays the time since `start` with the run in it.
    private mutating func begin(
        _ command: RunCommand, at start: Instant, askedAt now: Instant
    ) throws(CommandRejection) -> Pipeline.Outcome {
        var replay = lagging
        let kept = recent[taken...]
        let split = kept.firstIndex { $0.at > start } ?? kept.endIndex
        let beginning = InputLogEntry(at: since, .snapshot(replay.pipeline.beginning))
        for entry in kept[..<split] { replay.apply(entry) }
        replay.advance(to: start)
        var begun = replay.pipeline
        begun.discardOutputs()
        let outcome = try begun.perform(command, at: start)
        replay = Replay(begun)
        for entry in kept[split...] { replay.apply(entry) { _ in } }
        replay.advance(to: now) { _ in }
        entries.append(beginning)
        entries += kept[..<split]
        entries.append(InputLogEntry(at: start, .command(command)))
        entries += kept[split...]
        adopt(replay.pipeline)
        pipeline.retainRunEvents()
        pipeline.publish(at: now)
        return outcome
    }

    /// Replaces the pipeline; the status of this machine is kept.
    private mutating func adopt(_ other: Pipeline) {
        let before = pipeline
        pipeline = other
        pipeline.recorder = before.recorder
        pipeline.recorderFault = before.recorderFault
        pipeline.power = before.power
    }

    /// Clears the buffer after a run: the next run does not start before its end.
    private mutating func startOver(at now: Instant) {
        var quiet = pipeline
        quiet.discardOutputs()
        lagging = Replay(quiet)
        since = now
        recent.removeAll(keepingCapacity: true)
        taken = 0
    }

    private mutating func append(_ entry: InputLogEntry) {
        if pipeline.runState == .idle {
            recent.append(entry)
        } else {
            entries.append(entry)
        }
    }

    /// Lets the lagging pipeline apply the entries that are older than two minutes or beyond the limit.
    private mutating func trimHistory(before now: Instant) {
        guard pipeline.runState == .idle else { return }
        let oldest = now - RunCommand.maxBackdate
        while taken < recent.count, recent[taken].at <= oldest || recent.count - taken > Self.limit {
            lagging.apply(recent[taken])
            since = recent[taken].at
            taken += 1
        }
        if since < oldest {
            lagging.advance(to: oldest)
            since = oldest
        }
        if taken > 256 {
            recent.removeFirst(taken)
            taken = 0
        }
    }
}
