package import Domain

/// The pipeline and what has reached it lately, so that a run can begin before it was asked for and every activity can be recorded from
/// its first entry on.
///
///     inputs ──▶ pipeline ─────────────────────────────▶ entries, while a run is on
///        └─────▶ the last two minutes ──▶ a pipeline that lags behind by so much
///
/// A run that begins late is a replay: the lagging pipeline takes the two minutes with the start at its place, and becomes the present one.
/// The shell hands everything over here, and then takes what there is to say from ``pipeline`` and to record from ``takeEntries()``.
package struct RunEngine: Sendable {
    package var pipeline: Pipeline
    /// What the pipeline was at the time of the oldest of ``recent``; idle.
    private var lagging: Replay
    /// Since when ``lagging`` stands where it does: no run begins before.
    private var since: Instant
    /// What reached the idle pipeline since then, oldest first.
    private var recent: [InputLogEntry] = []
    /// How many of ``recent`` the lagging pipeline has taken; they are dropped together.
    private var taken = 0
    private var entries: [InputLogEntry] = []

    /// The most entries that are kept while idle: 120 s of a receiver with 20 reports a second and two straps.
    package static let limit = 4096

    package init(_ pipeline: Pipeline, at now: Instant) {
        self.pipeline = pipeline
        lagging = Replay(pipeline)
        since = now
    }

    /// Takes up an activity that an outage has interrupted.
    ///
    /// - Parameters:
    ///   - interrupted: the pipeline of a ``Replay`` that has taken everything that is known of it and has gone on to the last moment that
    ///     is known; its clock is the present one (``Entry/shifted(by:)``).
    ///   - outage: how long nothing ran, up to `now`. The ticks of one that is continued are applied here, and ``pipeline`` reports
    ///     what they give; the last of them may end a forgotten run.
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

    /// A signal stops the daemon at `now`: a run that is on stays open, and all of it up to this moment is recorded.
    package mutating func shutDown(at now: Instant) {
        advance(to: now)
        if pipeline.runState != .idle { entries.append(InputLogEntry(at: now, .shutdown)) }
    }

    /// Takes up an activity that this pipeline has closed, while the devices went on: what is known of them stays known.
    package mutating func reopen(_ closed: Pipeline, after outage: Outage, at now: Instant) {
        let present = pipeline
        resume(closed, after: outage, at: now)
        for input in present.known { receive(input, at: now) }
    }

    /// Ends the run because the power does; it may be taken up again (``reopen(_:after:at:)``).
    ///
    /// - Throws: ``CommandRejection`` where no run is on.
    package mutating func endForPower(at now: Instant) throws(CommandRejection) {
        advance(to: now)
        _ = try pipeline.perform(.stop, at: now)
        entries.append(InputLogEntry(at: now, .ended(.power)))
        startOver(at: now)
    }

    /// Moves the number of the run that is on. Its entries up to now are taken already.
    package mutating func renumber(_ numbers: Renumbering.Shift, at now: Instant) {
        guard pipeline.runState != .idle, numbers.distance > 0 else { return }
        pipeline.renumber(numbers)
        pipeline.publish(at: now)
    }

    /// The next activity gets this number.
    package mutating func number(next id: Int) {
        guard pipeline.runState == .idle else { return }
        pipeline.lastActivity = id - 1
        lagging.number(next: id)
    }

    /// The pipeline of a ``Replay`` up to `now` goes on in the present one's place; what it had to say was said.
    package mutating func replace(by other: Pipeline, at now: Instant) {
        adopt(other)
        pipeline.discardOutputs()
        pipeline.publish(at: now)
        if pipeline.runState == .idle { startOver(at: now) }
    }

    /// Applies what is due at `now`.
    package mutating func advance(to now: Instant) {
        if let leap = pipeline.leap(to: now) { append(InputLogEntry(at: now, .suspended(now - leap))) }
        let wasIdle = pipeline.runState == .idle
        pipeline.advance(to: now)
        if !wasIdle { endIfForgotten(at: now) }
        trimHistory(before: now)
    }

    /// The run was on before the last ticks.
    private mutating func endIfForgotten(at now: Instant) {
        guard pipeline.runState == .idle else { return }
        entries.append(InputLogEntry(at: now, .ended(.forgotten)))
        startOver(at: now)
    }

    /// Takes one input that arrived at `now`.
    package mutating func receive(_ input: Input, at now: Instant) {
        advance(to: now)
        let isKept = pipeline.keeps(input, at: now)
        pipeline.receive(input, at: now)
        guard isKept else { return }
        var entry = InputLogEntry(at: now, .input(input))
        if case .fix = input { entry.refusal = pipeline.refusal }
        append(entry)
    }

    /// Carries out a command that arrived at `now`. A start that is to lie further back than the two minutes, the start of the program or
    /// the end of the run before begins there.
    ///
    /// A lap is refused here and not in the pipeline: a replay repeats the short laps that an older version has recorded.
    ///
    /// - Throws: ``CommandRejection`` where the run's state does not allow it, and for a lap within ``RunCommand/shortestLap`` of the last one;
    ///   nothing has changed then.
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

    /// What is to be recorded since the last call, oldest first. The first entry of an activity is its beginning.
    package mutating func drainEntries() -> [InputLogEntry] {
        defer { if !entries.isEmpty { entries = [] } }
        return entries
    }

    // MARK: The last two minutes

    /// Lives the time since `start` once more, with a run in it.
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

    /// Another pipeline takes the present one's place; what belongs to the machine stays.
    private mutating func adopt(_ other: Pipeline) {
        let before = pipeline
        pipeline = other
        pipeline.recorder = before.recorder
        pipeline.recorderFault = before.recorderFault
        pipeline.power = before.power
    }

    /// A run has ended: the next one does not begin before that.
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

    /// Lets the lagging pipeline take what is too old to be begun in, or too much.
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
