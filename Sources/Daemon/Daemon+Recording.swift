import Domain
import Formats
import Linux
import Pipeline
import Servers
import Storage

/// Start of the recording: adopts the journal's content and the activity that was left open.
extension Daemon {
    /// The state that depends on the journal, at the start and when the journal opens later.
    struct StartupState {
        var engine: RunEngine
        var effects = Effects()
        let recorder: RunRecorder
        /// Set while it is unknown whether the resumed activity is too old.
        var undecided: ProvisionalResume?
        /// An activity that was closed on low battery.
        var closed: SuspendedActivity?
        var continuity = Continuity()
    }

    /// Where the numbers in memory continue those of the journal.
    struct Continuity {
        /// The first activity number and the first event number that were not in the journal when it was last read.
        var next = (activity: Renumbering.firstUnknownActivity, event: 1)
        /// The activity that was resumed from a journal that is readable but not writable.
        var takenUp: Int?
    }

    /// Adopts the content of the state directory: numbers, events, the activity that was
    /// left open, settings, straps. Settings and recordings made since the start stay.
    ///
    /// - Parameter isClosing: the loop has ended. An interrupted activity is left to the next start.
    func adopt(_ finding: StateDirectoryStatus, isClosing: Bool = false) {
        let now = Clock.now()
        // Nothing is recorded after the end of the loop.
        if !isClosing { catchUp(to: now) }
        var begun = StartupState(
            engine: engine, effects: effects, recorder: recorder, undecided: undecided, closed: closed,
            continuity: continuity)
        let numbers = begun.adopt(finding, isServing: true, isClosing: isClosing, at: now)
        (engine, effects, undecided, closed) = (begun.engine, begun.effects, begun.undecided, begun.closed)
        continuity = begun.continuity
        if let journal = finding.journal {
            if let numbers { stateServer?.renumberEvents(numbers.events, after: journal.events) }
            if !isClosing { adopt(journal.settings, at: now) }
        }
        if let kept = finding.straps { adopt(kept, at: now) }
        begin(finding)
        if isClosing { return flushEngine() }
        service.mayStandOtherwise = true
        finishStep()
    }

    /// Logs the result. Starts writing if the directory is ready.
    func begin(_ finding: StateDirectoryStatus) {
        if finding.isReady {
            isStateReady = true
            recorder.journal.startWriting()
        }
        for warning in finding.warnings { Log.write(.warning, warning) }
        if let ignored = finding.journal?.ignored {
            Log.write(
                .warning, "the write-ahead log of the journal is damaged: SQLite ignores \(ignored), which are lost")
        }
        if let (path, reason, rescued) = finding.journal?.damaged {
            Log.write(
                .warning,
                "the journal is damaged (\(reason)) and kept as \(path); a new one is begun, "
                    + "copied at once: \(rescued); the rest is recovered in the background")
        }
    }
}

extension Daemon.StartupState {
    /// Creates the state for a journal that has not been read yet.
    init(_ pipeline: Pipeline, _ journal: Journal, _ formats: [ExportFormat], at now: Instant) {
        engine = RunEngine(pipeline, at: now)
        recorder = RunRecorder(
            journal, bootID: Clock.bootID(), formats: formats, RecordingBuilder(isDemo: pipeline.isDemo), at: now)
    }

    /// - Parameters:
    ///   - isServing: the devices are connected already; false at the start.
    ///   - isClosing: see ``Daemon/adopt(_:isClosing:)``.
    /// - Returns: the shift of the numbers; nil if the journal could not be read.
    mutating func adopt(
        _ finding: StateDirectoryStatus, isServing: Bool, isClosing: Bool = false, at now: Instant
    ) -> Renumbering? {
        guard let journal = finding.journal else { return nil }
        let hasBegun = recorder.activityNumber != continuity.next.activity || engine.runState != .idle
        let numbers = Renumbering(
            activities: .init(from: continuity.next.activity, to: journal.nextActivity),
            events: .init(from: continuity.next.event, to: journal.events.last.map { $0.sequence + 1 } ?? 1))
        recorder.renumber(numbers)
        engine.renumber(numbers.activities, at: now, into: &effects)
        closed?.renumber(numbers.activities)
        continuity.next = (numbers.activities(continuity.next.activity), numbers.events(continuity.next.event))
        if let leftOpen = finding.leftOpen, leftOpen.id != continuity.takenUp {
            if hasBegun || !isClosing { resume(leftOpen, hasBegun: hasBegun, isServing: isServing, at: now) }
            if case .unreadable = leftOpen { return numbers }
            if !finding.isReady { continuity.takenUp = leftOpen.id }
        }
        return numbers
    }

    /// Resumes an activity that was left open, or ends it at its last moment.
    private mutating func resume(_ leftOpen: InterruptedActivity, hasBegun: Bool, isServing: Bool, at now: Instant) {
        switch leftOpen {
        case .interrupted(let interrupted):
            if !hasBegun { return resume(interrupted, isServing: isServing, at: now) }
            _ = interrupted.taken.end(interrupted.open, in: recorder, at: now)
            Log.write(.notice, "interrupted activity ended at its last recorded moment: another activity has started")
        case .over(let open, let taken):
            _ = taken.end(open, in: recorder, at: now)
            Log.write(
                .notice,
                taken.ended == nil
                    ? "interrupted activity ended at its last recorded moment: it is too old to resume"
                    : "interrupted activity ended at its last movement or beat: it had stopped automatically")
        case .closedForPower(_, let closed):
            if !hasBegun { self.closed = closed }
        case .unreadable(let id, let reason):
            Log.write(.error, "cannot resume activity \(id): \(reason); it stays unchanged in the journal")
        }
    }

    private mutating func resume(_ interrupted: InterruptedActivity.Interrupted, isServing: Bool, at now: Instant) {
        let (open, taken) = (interrupted.open, interrupted.taken)
        guard let recording = taken.recordingBuilder.recording else { return }
        let journal = recorder.journal
        let age = now - taken.last
        let part = BootSegment(
            number: open.parts.count, bootID: recorder.bootID, of: taken.recordingBuilder, at: now, place: open.entries)
        taken.completeRows(of: open, in: journal, at: now)
        journal.resume(recording, part, rows: taken.rows, at: now)
        recorder.resume(taken.recordingBuilder, gaps: taken.gaps, parts: open.parts.count + 1, at: now)
        var settings = taken.pipeline.settings
        settings.straps = engine.settings.straps
        if let limit = interrupted.undecidedLimit {
            undecided = ProvisionalResume(open, taken, limit: limit, at: now)
        }
        let outage = Outage(
            duration: age, isSameBoot: interrupted.isSameBoot, settings: settings, rule: interrupted.rule)
        if isServing {
            engine.reopen(taken.pipeline, after: outage, at: now, into: &effects)
        } else {
            engine.resume(taken.pipeline, after: outage, at: now, into: &effects)
        }
    }
}

extension Daemon {
    /// Collects entries of the provisional resume. Splits the activity once the outage is known to be too long.
    func decideProvisionalResume(_ entries: [InputLogEntry], _ outputs: [Output], at now: Instant) {
        guard undecided != nil else { return }
        undecided?.append(entries)
        let isKnown = outputs.contains {
            if case .event(let event) = $0, case .clock = event.kind { event.time != nil } else { false }
        }
        guard isKnown, let open = undecided, let time = engine.state(at: now).time else { return }
        undecided = nil
        guard let split = open.part(at: now, time: time, recorder, &engine, into: &effects) else { return }
        publish(split, recorder.record(events: split))
        Log.write(
            .notice, "the interrupted activity is too old to resume: the run since then is a separate activity")
    }
}
