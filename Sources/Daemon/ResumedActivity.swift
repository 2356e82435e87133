import Domain
import Pipeline
import Storage

/// An activity that a kill, a power cut or a restart left open, rebuilt by a replay of its entries.
package struct ResumedActivity {
    /// The pipeline at the last moment, on the clock of this boot.
    var pipeline: Pipeline
    /// Its last moment on that clock.
    var last: Instant
    /// The builder that has made the rows up to that moment.
    var recordingBuilder: RecordingBuilder
    /// The number of those rows, and the ones that the journal lacks: a kill may fall between an entry and its rows.
    var rows = 0
    var missing: [RecordingRow] = []
    var gaps: Int
    /// Set if the activity had stopped automatically: the outputs of its end, and the rows to remove.
    var ended: (outputs: [Output], cut: RecordingBuilder.Truncation?)?

    /// - Parameter last: its last moment on the clock of this boot; may lie before the boot.
    /// - Throws: the errors of reading the journal; ``JournalFailure/missing`` if the entries contain no run.
    init(_ open: OpenActivity, from reader: JournalReader, last: Instant) throws {
        guard let id = open.recording.id else { throw JournalFailure.missing }
        // Whole milliseconds, because rows count milliseconds since the activity's start.
        let shift = Duration.milliseconds((last - open.last).wholeMilliseconds)
        var replay: Replay?
        var recordingBuilder = RecordingBuilder(isDemo: open.recording.isDemo)
        var gaps = 0
        var rows = 0
        var missing: [RecordingRow] = []
        var cut: RecordingBuilder.Truncation?
        var end: [Output] = []
        let observe: Replay.Observer = { pipeline, effects in
            let settings = pipeline.settings
            recordingBuilder.ingest(
                effects.outputs, seconds: effects.seconds, zones: settings.useHeartRateZones ? settings.zones : nil)
            if let late = recordingBuilder.popTruncation() {
                cut = late
                missing.removeAll { late.removes($0) }
            }
            for row in recordingBuilder.drainRows() {
                if rows >= open.rows { missing.append(row) }
                rows += 1
            }
            for case .event(let event) in effects.outputs {
                if case .gap = event.kind { gaps += 1 }
                if case .stop = event.kind { end.append(.event(event)) }
            }
        }
        try reader.entries(of: id, through: max(open.entries - 1, 0)) { entry in
            let entry = entry.shifted(by: shift)
            if case .snapshot(let snapshot) = entry.kind {
                replay = Replay(snapshot)
            } else {
                replay?.apply(entry, observe)
            }
        }
        replay?.advance(to: open.last + shift, observe)
        guard let replay, replay.pipeline.runState != .idle || !end.isEmpty else { throw JournalFailure.missing }
        recordingBuilder.identify(open.recording.uuid)
        pipeline = replay.pipeline
        if replay.pipeline.runState == .idle { ended = (end, cut) }
        self.last = open.last + shift
        self.recordingBuilder = recordingBuilder
        self.rows = rows
        self.missing = missing
        self.gaps = gaps
    }
}

extension ResumedActivity {
    /// Makes the journal's rows match the entries, up to the last moment.
    func completeRows(of open: OpenActivity, in journal: Journal, at now: Instant) {
        guard let id = open.recording.id else { return }
        if rows < open.rows { journal.append(.cut(activity: id, entries: open.entries, rows: rows), at: now) }
        for (index, row) in missing.enumerated() {
            journal.append(.row(activity: id, place: open.rows + index, row), at: now)
        }
    }

    /// Ends the activity at its last moment, or earlier if it had stopped automatically.
    ///
    /// - Returns: the outputs of its end.
    func end(_ open: OpenActivity, in recorder: RunRecorder, at now: Instant) -> [Output] {
        if let ended { return end(ended, open, in: recorder, at: now) }
        var (pipeline, recordingBuilder) = (pipeline, recordingBuilder)
        var effects = Effects()
        guard let id = open.recording.id,
            case .ended(let summary)? = try? pipeline.step(.stop, at: last, into: &effects)
        else { return [] }
        recordingBuilder.ingest(effects.outputs, seconds: effects.seconds, zones: nil)
        completeRows(of: open, in: recorder.journal, at: now)
        for (index, row) in recordingBuilder.drainRows().enumerated() {
            recorder.journal.append(.row(activity: id, place: rows + index, row), at: now)
        }
        if let recording = recordingBuilder.recording { recorder.end(recording, gaps: summary.gaps, at: now) }
        return effects.outputs.map { $0.identified(by: open.recording.uuid) }
    }
}

extension Output {
    /// The end of an activity with its uuid; another output as it is.
    fileprivate func identified(by uuid: UUID?) -> Output {
        guard case .event(var event) = self, case .stop(var summary) = event.kind else { return self }
        summary.uuid = uuid
        event.kind = .stop(summary)
        return .event(event)
    }
}

extension ResumedActivity {
    private func end(
        _ ended: (outputs: [Output], cut: RecordingBuilder.Truncation?), _ open: OpenActivity, in recorder: RunRecorder,
        at now: Instant
    ) -> [Output] {
        guard let id = open.recording.id, let recording = recordingBuilder.recording else { return [] }
        completeRows(of: open, in: recorder.journal, at: now)
        if let cut = ended.cut { recorder.journal.append(cut.change(of: id), at: now) }
        // The journal may lack the entry of the end. A replay would not reach the end without it.
        let end = InputLogEntry(at: open.last, .ended(.forgotten))
        recorder.journal.append(.entry(activity: id, place: open.entries, end), at: now)
        for case .event(let event) in ended.outputs {
            if case .stop(let summary) = event.kind { recorder.end(recording, gaps: summary.gaps, at: now) }
        }
        return ended.outputs.map { $0.identified(by: open.recording.uuid) }
    }
}

/// Decision about an activity that was left open.
enum ResumeDecision: Equatable {
    /// It resumes, this long after its last moment, on the same boot or on another one.
    case resumes(after: Duration, isSameBoot: Bool, rule: Outage.Rule)
    /// It resumes until the time of day is known: another boot, no clock.
    case resumesProvisionally
    /// It ended at its last moment.
    case ended

    /// The longest time from a run's last entry or row to a start on the same boot for which the run was never paused.
    static let continueLimit = Duration.seconds(10)

    /// - Parameters:
    ///   - now: the moment of the decision: the daemon's start, or later if the journal opens later.
    ///   - time: the time of day, if it is known.
    ///   - limit: the longest time since its last moment for which it resumes.
    init(_ open: OpenActivity, bootID: String, at now: Instant, time: UTC?, limit: Duration) {
        if open.parts.last?.bootID == bootID {
            let age = max(now - open.last, .zero)
            let isKnown = !open.isIncomplete && (.zero...Self.continueLimit).contains(now - open.lastEntry)
            self = age <= limit ? .resumes(after: age, isSameBoot: true, rule: isKnown ? .continued : .paused) : .ended
        } else if let time, let last = open.lastTime {
            // A clock that was set back does not put the activity into the future.
            let age = Duration.milliseconds(max(time.milliseconds - last.milliseconds, 0))
            self = age <= limit ? .resumes(after: age, isSameBoot: false, rule: .paused) : .ended
        } else {
            self = .resumesProvisionally
        }
    }
}

extension BootSegment {
    /// Creates a segment that starts at `now`, at a whole millisecond of the recording:
    /// a reader joins the segments' clocks by milliseconds and replays them to the bit.
    init(number: Int, bootID: String, of recordingBuilder: RecordingBuilder, at now: Instant, place: Int) {
        let moment = recordingBuilder.moment(now)
        let at = recordingBuilder.startedAt.map { $0 + .milliseconds(moment) } ?? now
        self.init(number: number, bootID: bootID, at: at, beginsAt: moment, place: place)
    }
}
