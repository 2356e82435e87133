package import Domain

/// The pipeline with a two-minute buffer of inputs, so that a run can be backdated and each input log is complete.
///
///     stimulus ──▶ pipeline ───────────────▶ effects, with entries during a run
///         └──────▶ last two minutes ──▶ lagging pipeline, two minutes behind
///
/// A backdated start is a replay: the lagging pipeline replays the two minutes with the start inserted, and becomes
/// the pipeline. Each step advances the time once, then applies its stimulus. A caller that publishes each
/// state takes a step of ``Stimulus/time`` before an input, because the input may replace the state of a tick.
package struct RunEngine: Sendable {
    private var pipeline: Pipeline
    /// The idle pipeline before the oldest entry of ``recent``.
    private var lagging: Replay
    /// Moment of ``lagging``; no run can start before it.
    private var since: Instant
    /// Entries of the idle pipeline since then, oldest first.
    private var recent: [InputLogEntry] = []
    /// Number of entries of ``recent`` that ``lagging`` has applied; they are removed in batches.
    private var appliedCount = 0

    /// Maximum number of entries kept while idle: 120 s of a receiver with 20 reports a second and two straps.
    package static let limit = 4096

    package init(_ pipeline: Pipeline, at now: Instant) {
        self.pipeline = pipeline
        lagging = Replay(pipeline)
        since = now
    }

    // MARK: State

    package var settings: Settings { pipeline.settings }
    package var isDemo: Bool { pipeline.isDemo }
    package var runState: RunState { pipeline.runState }
    package var course: LoadedCourse? { pipeline.course }
    package var weather: WeatherObservation? { pipeline.weather }
    package var partner: Partner? { pipeline.partner }
    /// Number of the last activity.
    package var lastActivity: Int { pipeline.lastActivity }

    /// Moment of the next step of ``Stimulus/time``.
    package var deadline: Instant { pipeline.deadline }

    /// The state at `now`; it does not advance the engine.
    package func state(at now: Instant) -> State {
        pipeline.state(at: now)
    }

    /// Snapshot of the idle pipeline.
    package var snapshot: PipelineSnapshot { pipeline.snapshot }

    // MARK: Steps

    /// Advances to `now`, then applies the stimulus.
    ///
    /// - Parameter delay: How late `now` is in a replay, whose moments are those of the recording.
    package mutating func step(
        _ stimulus: Stimulus, at now: Instant, delay: Duration = .zero, into effects: inout Effects
    ) {
        advance(to: now, delay: delay, into: &effects)
        switch stimulus {
        case .time: break
        case .input(let input): receive(input, at: now, into: &effects)
        case .shutDown:
            if pipeline.runState != .idle { effects.entries.append(InputLogEntry(at: now, .shutdown)) }
        }
    }

    /// Advances to `now`, then performs the command. A start is backdated by two minutes at
    /// most, and not beyond the start of the program or the end of the last run.
    ///
    /// An indoor run receives no position, from its first entry on: neither of the present nor of the past two minutes.
    ///
    /// A lap is rejected here and not in the pipeline, so that a replay repeats the short laps of an older version.
    ///
    /// - Parameter activity: Number of the activity that the command starts; nil for that after the last one.
    /// - Throws: ``CommandRejection`` if the run's state does not allow it, and for a lap
    ///   within ``RunCommand/shortestLap`` of the last one; the command has changed nothing then.
    package mutating func step(
        _ command: RunCommand, activity: Int? = nil, at now: Instant, into effects: inout Effects
    ) throws(CommandRejection) -> Pipeline.Outcome {
        advance(to: now, into: &effects)
        if command == .lap, pipeline.runState == .active, let closedAt = pipeline.run?.lapClosedAt,
            now - closedAt < RunCommand.shortestLap
        {
            throw CommandRejection(command: command.word, state: .active, .tooSoon)
        }
        let wasIdle = pipeline.runState == .idle
        if wasIdle, let activity {
            pipeline.lastActivity = activity - 1
            lagging.number(next: activity)
        }
        var command = command
        var start = now
        if wasIdle, case .start(let sport, let indoor, let back) = command {
            start = max(now - min(back, RunCommand.maxBackdate), since)
            command = .start(sport, indoor: indoor, back: now - start)
        }
        var isIndoor = false
        if wasIdle, case .start(_, indoor: true, _) = command { isIndoor = true }
        if wasIdle, start < now {
            return try begin(command, isIndoor: isIndoor, at: start, requestedAt: now, into: &effects)
        }
        if isIndoor { pipeline.removePosition(at: now, into: &effects) }
        let before = wasIdle ? pipeline.snapshot : nil
        let outcome = try pipeline.perform(command, at: now, into: &effects)
        if let before { effects.entries.append(InputLogEntry(at: now, .snapshot(before))) }
        effects.entries.append(InputLogEntry(at: now, .command(command)))
        if !wasIdle, pipeline.runState == .idle { startOver(at: now) }
        return outcome
    }

    // MARK: Outages

    /// Resumes an activity after an outage.
    ///
    /// - Parameters:
    ///   - interrupted: The pipeline of a ``Replay`` of the activity, advanced to the
    ///     last known moment, on the current clock (``InputLogEntry/shifted(by:)``).
    ///   - outage: The outage, which ends at `now`. If it is continued, its ticks are applied here;
    ///     the last tick may end a run without sign of life.
    package mutating func resume(
        _ interrupted: Pipeline, after outage: Outage, at now: Instant, into effects: inout Effects
    ) {
        var replay = Replay(interrupted)
        replay.advance(to: now - outage.duration)
        let wasIdle = replay.pipeline.runState == .idle
        if outage.rule == .continued { replay.advance(to: now, into: &effects) }
        adopt(replay.pipeline)
        pipeline.resume(after: outage, at: now, into: &effects)
        effects.entries.append(InputLogEntry(at: now, .outage(outage)))
        if !wasIdle { endIfForgotten(at: now, into: &effects) }
    }

    /// Stops the run because the battery is nearly empty.
    ///
    /// - Returns: The pipeline before the stop, which ``reopen(_:after:at:into:)`` resumes; nil if no run is in progress.
    package mutating func suspend(at now: Instant, into effects: inout Effects) -> Pipeline? {
        advance(to: now, into: &effects)
        let before = pipeline
        guard (try? pipeline.perform(.stop, at: now, into: &effects)) != nil else { return nil }
        effects.entries.append(InputLogEntry(at: now, .ended(.power)))
        startOver(at: now)
        return before
    }

    /// Resumes an activity that ``suspend(at:into:)`` has stopped; the current status of the devices is kept.
    package mutating func reopen(
        _ suspended: Pipeline, after outage: Outage, at now: Instant, into effects: inout Effects
    ) {
        let present = pipeline
        resume(suspended, after: outage, at: now, into: &effects)
        for input in present.known { step(.input(input), at: now, into: &effects) }
    }

    // MARK: Replacement

    /// Renumbers the run in progress. Its entries so far have been recorded.
    package mutating func renumber(_ numbers: Renumbering.Shift, at now: Instant, into effects: inout Effects) {
        guard pipeline.runState != .idle, numbers.distance > 0 else { return }
        pipeline.renumber(numbers)
        pipeline.publish(at: now, into: &effects)
    }

    /// Replaces the pipeline by that of a ``Replay`` up to `now`, whose outputs were published already.
    package mutating func replace(by other: Pipeline, at now: Instant, into effects: inout Effects) {
        adopt(other)
        pipeline.publish(at: now, into: &effects)
        if pipeline.runState == .idle { startOver(at: now) }
    }

    // MARK: Parts of a step

    private mutating func advance(to now: Instant, delay: Duration = .zero, into effects: inout Effects) {
        if let leap = pipeline.leap(to: now) {
            append(InputLogEntry(at: now, .suspended(now - leap)), into: &effects)
        }
        let wasIdle = pipeline.runState == .idle
        pipeline.advance(to: now, delay: delay, into: &effects)
        if !wasIdle { endIfForgotten(at: now, into: &effects) }
        trimHistory(before: now)
    }

    /// Records the automatic end of a run that was in progress before the last ticks.
    private mutating func endIfForgotten(at now: Instant, into effects: inout Effects) {
        guard pipeline.runState == .idle else { return }
        effects.entries.append(InputLogEntry(at: now, .ended(.forgotten)))
        startOver(at: now)
    }

    private mutating func receive(_ input: Input, at now: Instant, into effects: inout Effects) {
        var entry = InputLogEntry(at: now, .input(input))
        if pipeline.isIndoor {
            guard let part = pipeline.indoors(entry) else { return }
            entry = part
        }
        guard case .input(let input) = entry.kind else { return }
        let isRecorded = pipeline.records(input, at: now)
        pipeline.receive(input, at: now, into: &effects)
        guard isRecorded else { return }
        if case .fix = input { entry.rejection = pipeline.refusal }
        append(entry, into: &effects)
    }

    /// Starts a run in the past: replays the time since `start` with the run in it.
    private mutating func begin(
        _ command: RunCommand, isIndoor: Bool, at start: Instant, requestedAt now: Instant, into effects: inout Effects
    ) throws(CommandRejection) -> Pipeline.Outcome {
        var replay = lagging
        var replayed = Effects()
        if isIndoor {
            var idle = replay.pipeline
            idle.removePosition(at: since, into: &replayed)
            replay = Replay(idle)
        }
        let kept = recent[appliedCount...]
        let split = kept.firstIndex { $0.at > start } ?? kept.endIndex
        var entries = [InputLogEntry(at: since, .snapshot(replay.pipeline.snapshot))]
        func apply(_ kept: ArraySlice<InputLogEntry>) {
            for entry in kept {
                guard let entry = isIndoor ? replay.pipeline.indoors(entry) : entry else { continue }
                replay.apply(entry, into: &replayed)
                entries.append(entry)
            }
        }
        apply(kept[..<split])
        replay.advance(to: start)
        var started = replay.pipeline
        replayed.removeAll()
        let outcome = try started.perform(command, at: start, into: &replayed)
        replay = Replay(started)
        entries.append(InputLogEntry(at: start, .command(command)))
        apply(kept[split...])
        replay.advance(to: now, into: &replayed)
        effects.entries += entries
        effects.append(backdated: replayed)
        // Publishes that the position is gone.
        if isIndoor { pipeline.removePosition(at: now, into: &effects) }
        adopt(replay.pipeline)
        pipeline.publish(at: now, into: &effects)
        return outcome
    }

    /// Replaces the pipeline; the status of this machine is kept.
    private mutating func adopt(_ other: Pipeline) {
        let before = pipeline
        pipeline = other
        pipeline.recorder = before.recorder
        pipeline.recorderReadAt = before.recorderReadAt
        pipeline.recorderFault = before.recorderFault
        pipeline.power = before.power
    }

    /// Clears the buffer after a run: the next run does not start before its end.
    private mutating func startOver(at now: Instant) {
        lagging = Replay(pipeline)
        since = now
        recent.removeAll(keepingCapacity: true)
        appliedCount = 0
    }

    private mutating func append(_ entry: InputLogEntry, into effects: inout Effects) {
        if pipeline.runState == .idle {
            removeFormerCourse(of: entry)
            recent.append(entry)
        } else {
            effects.entries.append(entry)
        }
    }

    /// Removes the entry of the course, or of the partner, before this one. Each holds up to 1 MB, and a run in the past
    /// starts with the last one too.
    private mutating func removeFormerCourse(of entry: InputLogEntry) {
        let isOfKind: (InputLogEntry) -> Bool
        switch entry.kind {
        case .input(.course): isOfKind = { if case .input(.course) = $0.kind { true } else { false } }
        case .input(.partner): isOfKind = { if case .input(.partner) = $0.kind { true } else { false } }
        default: return
        }
        recent.removeFirst(appliedCount)
        appliedCount = 0
        recent.removeAll(where: isOfKind)
    }

    /// Lets the lagging pipeline apply the entries that are older than two minutes or beyond the limit.
    private mutating func trimHistory(before now: Instant) {
        guard pipeline.runState == .idle else { return }
        let oldest = now - RunCommand.maxBackdate
        while appliedCount < recent.count,
            recent[appliedCount].at <= oldest || recent.count - appliedCount > Self.limit
        {
            lagging.apply(recent[appliedCount])
            since = recent[appliedCount].at
            appliedCount += 1
        }
        if since < oldest {
            lagging.advance(to: oldest)
            since = oldest
        }
        if appliedCount > 256 {
            recent.removeFirst(appliedCount)
            appliedCount = 0
        }
    }
}
