package import Domain
package import Pipeline
import Storage

/// Snapshot of an activity that was closed on low battery. It resumes if power returns within the limit.
///
/// Until then it is an ended activity in the journal, with all its files. Resuming removes its end.
package struct SuspendedActivity {
    private var pipeline: Pipeline
    private var recordingBuilder: RecordingBuilder
    private let gaps: Int
    /// The numbers of its parts, entries and rows without its end.
    private let parts: Int
    private let entries: Int
    private let rows: Int
    /// When it was closed, on the clock of this boot; may lie before the boot.
    package let last: Instant
    private let isSameBoot: Bool
    /// Set if the board has rebooted since and the time of day was unknown.
    private var unknown: (open: OpenActivity, resumed: ResumedActivity, limit: Duration)?

    /// Creates a snapshot of a run that was just closed, whose end is not recorded yet.
    ///
    /// - Parameters:
    ///   - pipeline: the pipeline before the end.
    ///   - open: ``Journal/open`` before the end.
    package init(
        _ pipeline: Pipeline, _ open: (activity: Int, entries: Int, rows: Int), _ recorder: RunRecorder, at now: Instant
    ) {
        self.pipeline = pipeline
        recordingBuilder = recorder.recordingBuilder
        gaps = recorder.gaps
        parts = recorder.parts
        entries = open.entries
        rows = open.rows
        last = now
        isSameBoot = true
    }

    /// Rebuilds the snapshot after a restart of the daemon. Blocks on the disk. Nil if it was closed too long ago.
    ///
    /// - Parameter limit: the longest time since it was closed for which it resumes.
    /// - Throws: the errors of reading the journal.
    init?(
        _ ended: OpenActivity, from reader: JournalReader, bootID: String, at now: Instant, time: UTC?, limit: Duration
    ) throws {
        let decision = ResumeDecision(ended, bootID: bootID, at: now, time: time, limit: limit)
        switch decision {
        case .resumes(let age, let isSameBoot, _):
            last = now - age
            self.isSameBoot = isSameBoot
        case .resumesProvisionally:
            last = now - .seconds(1)
            isSameBoot = false
        case .ended: return nil
        }
        let resumed = try ResumedActivity(ended, from: reader, last: last)
        if resumed.ended != nil { return nil }
        pipeline = resumed.pipeline
        recordingBuilder = resumed.recordingBuilder
        gaps = resumed.gaps
        parts = ended.parts.count
        entries = ended.entries
        rows = resumed.rows
        if decision == .resumesProvisionally, ended.lastTime != nil { unknown = (ended, resumed, limit) }
    }

    /// Resumes the activity.
    package func resume(
        _ recorder: RunRecorder, _ engine: inout RunEngine, at now: Instant, into effects: inout Effects
    ) {
        guard let recording = recordingBuilder.recording else { return }
        let journal = recorder.journal
        let part = BootSegment(number: parts, bootID: recorder.bootID, of: recordingBuilder, at: now, place: entries)
        journal.reopen(recording, part, rows: rows, at: now)
        recorder.resume(recordingBuilder, gaps: gaps, parts: parts + 1, at: now)
        let outage = Outage(duration: now - last, isSameBoot: isSameBoot, settings: engine.settings)
        engine.reopen(pipeline, after: outage, at: now, into: &effects)
    }

    /// Shifts its number.
    mutating func renumber(_ numbers: Renumbering.Shift) {
        pipeline.renumber(numbers)
        recordingBuilder.renumber(numbers)
    }

    /// The provisional resume since `now`; nil if the length of the outage is known.
    package func provisionalResume(at now: Instant) -> ProvisionalResume? {
        unknown.map { ProvisionalResume($0.open, $0.resumed, limit: $0.limit, at: now) }
    }
}
