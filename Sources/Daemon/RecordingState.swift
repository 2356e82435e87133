package import Domain
package import Formats
import Linux
package import Pipeline
package import Storage

/// The engine and its recorder, with the activities that may resume: the state that depends on the journal.
///
/// It exists before the journal is read, and adopts its content then. A class, because the compiler writes 190 kB of
/// code to copy a value of this size.
package final class RecordingState {
    package var engine: RunEngine
    /// The effects of the engine's steps that are not recorded yet.
    package var effects = Effects()
    package let recorder: RunRecorder
    /// Set while it is unknown whether the resumed activity is too old.
    package var provisional: ProvisionalResume?
    /// An activity that was closed on low battery. It resumes when power returns.
    package internal(set) var suspended: SuspendedActivity?
    private var continuity = Continuity()

    /// Where the numbers in memory continue those of the journal.
    private struct Continuity {
        /// The first activity number and the first event number that were not in the journal when it was last read.
        var next = (activity: Renumbering.firstUnknownActivity, event: 1)
        /// The activity that was resumed from a journal that is readable but not writable.
        var resumed: Int?
    }

    /// Creates the state for a journal that has not been read yet.
    ///
    /// - Parameter isRecorded: false in a replay, which records nothing.
    package init(
        _ pipeline: Pipeline, _ journal: Journal, _ formats: [ExportFormat], isRecorded: Bool = true, at now: Instant
    ) {
        engine = RunEngine(pipeline, at: now)
        recorder = RunRecorder(
            journal, bootID: Clock.bootID(), formats: formats, RecordingBuilder(isDemo: pipeline.isDemo),
            isRecording: isRecorded, at: now)
    }

    /// Steps the engine; its effects are appended.
    ///
    /// - Parameter delay: how late `now` is in a replay.
    func step(_ stimulus: Stimulus, at now: Instant, delay: Duration = .zero) {
        engine.step(stimulus, at: now, delay: delay, into: &effects)
    }

    /// Performs a command. An activity that it starts gets the journal's next number.
    package func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        guard recorder.isRecording else { return try engine.step(command, at: now, into: &effects) }
        let number = recorder.journal.takeNumber()
        do throws(CommandRejection) {
            let outcome = try engine.step(command, activity: number, at: now, into: &effects)
            if outcome != .started(activity: number) { recorder.journal.giveBack(number) }
            return outcome
        } catch {
            recorder.journal.giveBack(number)
            throw error
        }
    }

    /// Replaces the engine by an idle one with the same settings, for a pass of a replay.
    ///
    /// - Parameter period: the active time between two states, in milliseconds.
    func startOver(statesEvery period: Int64, at now: Instant) {
        var pipeline = Pipeline(
            settings: engine.settings, isDemo: engine.isDemo, lastActivity: engine.lastActivity, at: now)
        pipeline.stateEvery = period
        engine = RunEngine(pipeline, at: now)
    }

    /// Adopts the journal's content: its numbers, and the activity that was left open or closed on low battery.
    ///
    /// - Parameters:
    ///   - isServing: the devices are connected already; false at the start.
    ///   - isClosing: the loop has ended. An interrupted activity is left to the next start.
    /// - Returns: the shift of the numbers; nil if the journal could not be read.
    package func adopt(
        _ status: StateDirectoryStatus, isServing: Bool, isClosing: Bool = false, at now: Instant
    ) -> Renumbering? {
        guard let journal = status.journal else { return nil }
        let hasStarted = recorder.journal.nextActivity != continuity.next.activity || engine.runState != .idle
        let numbers = Renumbering(
            activities: .init(from: continuity.next.activity, to: journal.nextActivity),
            events: .init(from: continuity.next.event, to: journal.events.last.map { $0.sequence + 1 } ?? 1))
        recorder.renumber(numbers)
        engine.renumber(numbers.activities, at: now, into: &effects)
        suspended?.renumber(numbers.activities)
        continuity.next = (numbers.activities(continuity.next.activity), numbers.events(continuity.next.event))
        if let interrupted = status.interrupted, interrupted.id != continuity.resumed {
            if hasStarted || !isClosing {
                resume(interrupted, hasStarted: hasStarted, isServing: isServing, at: now)
            }
            if case .unreadable = interrupted { return numbers }
            if !status.isReady { continuity.resumed = interrupted.id }
        }
        return numbers
    }

    /// Resumes an activity that was left open, or ends it at its last moment.
    private func resume(
        _ interrupted: InterruptedActivity, hasStarted: Bool, isServing: Bool, at now: Instant
    ) {
        switch interrupted {
        case .interrupted(let interrupted):
            if !hasStarted { return resume(interrupted, isServing: isServing, at: now) }
            _ = interrupted.resumed.end(interrupted.open, in: recorder, at: now)
            Log.write(
                .notice, "interrupted activity ended at its last recorded moment: another activity has started")
        case .over(let open, let resumed):
            _ = resumed.end(open, in: recorder, at: now)
            Log.write(
                .notice,
                resumed.ended == nil
                    ? "interrupted activity ended at its last recorded moment: it is too old to resume"
                    : "interrupted activity ended at its last movement or beat: it had stopped automatically")
        case .suspended(_, let activity):
            if !hasStarted { suspended = activity }
        case .unreadable(let id, let reason):
            Log.write(.error, "cannot resume activity \(id): \(reason); it stays unchanged in the journal")
        }
    }

    private func resume(_ interrupted: InterruptedActivity.Interrupted, isServing: Bool, at now: Instant) {
        let (open, resumed) = (interrupted.open, interrupted.resumed)
        guard let recording = resumed.recordingBuilder.recording else { return }
        let journal = recorder.journal
        let age = now - resumed.last
        let part = BootSegment(
            number: open.parts.count, bootID: recorder.bootID, of: resumed.recordingBuilder, at: now,
            place: open.entries)
        resumed.completeRows(of: open, in: journal, at: now)
        journal.resume(recording, part, rows: resumed.rows, at: now)
        recorder.resume(resumed.recordingBuilder, gaps: resumed.gaps, parts: open.parts.count + 1, at: now)
        var settings = resumed.pipeline.settings
        settings.sensors = engine.settings.sensors
        if let limit = interrupted.provisionalLimit {
            provisional = ProvisionalResume(open, resumed, limit: limit, at: now)
        }
        let outage = Outage(
            duration: age, isSameBoot: interrupted.isSameBoot, settings: settings, rule: interrupted.rule)
        if isServing {
            engine.reopen(resumed.pipeline, after: outage, at: now, into: &effects)
        } else {
            engine.resume(resumed.pipeline, after: outage, at: now, into: &effects)
        }
    }

    // MARK: Low battery

    /// Stops the run in progress so that it can resume when power returns. Its outputs so far have been recorded.
    ///
    /// - Returns: false if no run is in progress.
    func suspend(at now: Instant) -> Bool {
        guard let open = recorder.journal.open, let pipeline = engine.suspend(at: now, into: &effects) else {
            return false
        }
        suspended = SuspendedActivity(pipeline, open, recorder, at: now)
        provisional = nil
        return true
    }

    /// Resumes a suspended activity.
    func resume(_ activity: SuspendedActivity, at now: Instant) {
        activity.resume(recorder, &engine, at: now, into: &effects)
        provisional = activity.provisionalResume(at: now)
    }

    // MARK: Provisional resume

    /// Collects entries of the provisional resume. Splits the activity once the outage is known to be too long.
    ///
    /// - Returns: the outputs to publish; nil if nothing is split.
    func decideProvisionalResume(
        _ entries: [InputLogEntry], _ outputs: [Output], at now: Instant
    ) -> [Output]? {
        guard provisional != nil else { return nil }
        provisional?.append(entries)
        let isKnown = outputs.contains {
            if case .event(let event) = $0, case .clock = event.kind { event.time != nil } else { false }
        }
        guard isKnown, let resume = provisional, let time = engine.state(at: now).time else { return nil }
        provisional = nil
        return resume.split(at: now, time: time, recorder, &engine, into: &effects)
    }
}
