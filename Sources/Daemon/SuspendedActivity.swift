import Adapters
import Domain
import Outputs
import Pipeline

/// An activity that was closed because the battery was nearly empty, as it stood before: it goes on if power returns soon.
///
/// In the journal it is an activity that has ended, with all its files, until then. Going on takes its end away.
struct SuspendedActivity {
    private var pipeline: Pipeline
    private var scribe: RecordingBuilder
    private let gaps: Int
    /// How many parts, entries and rows it had, its end left out.
    private let parts: Int
    private let entries: Int
    private let rows: Int
    /// When it was closed, on the clock of this boot; that may lie before the boot.
    let last: Instant
    private let isSameBoot: Bool
    /// The board has started anew since, and nobody knew then how late it was.
    private var unknown: (open: OpenActivity, taken: ResumedActivity, limit: Duration)?

    /// The run that is on and about to be closed; all of it has been said. Nil where none is on.
    init?(_ pipeline: Pipeline, _ recorder: RunRecorder, at now: Instant) {
        guard pipeline.runState != .idle, let open = recorder.journal.open else { return nil }
        self.pipeline = pipeline
        scribe = recorder.scribe
        gaps = recorder.gaps
        parts = recorder.parts
        entries = open.entries
        rows = open.rows
        last = now
        isSameBoot = true
    }

    /// One of an earlier start. Waits for the disk.
    ///
    /// - Parameter limit: how long ago it may have been closed; nil where that is longer ago.
    /// - Throws: what reading the journal throws.
    init?(
        _ ended: OpenActivity, from reader: JournalReader, bootID: String, at now: Instant, time: UTC?, limit: Duration
    ) throws {
        let decision = ResumeDecision(ended, bootID: bootID, at: now, time: time, limit: limit)
        switch decision {
        case .goesOn(let age, let isSameBoot, _):
            last = now - age
            self.isSameBoot = isSameBoot
        case .goesOnForNow:
            last = now - .seconds(1)
            isSameBoot = false
        case .isOver: return nil
        }
        let taken = try ResumedActivity(ended, from: reader, last: last)
        if taken.ended != nil { return nil }
        pipeline = taken.pipeline
        scribe = taken.scribe
        gaps = taken.gaps
        parts = ended.parts.count
        entries = ended.entries
        rows = taken.rows
        if decision == .goesOnForNow, ended.lastTime != nil { unknown = (ended, taken, limit) }
    }

    /// It goes on.
    func resume(_ recorder: inout RunRecorder, _ recollection: inout RunEngine, at now: Instant) {
        guard let recording = scribe.recording else { return }
        let journal = recorder.journal
        let part = BootSegment(number: parts, bootID: recorder.bootID, of: scribe, at: now, place: entries)
        journal.reopen(recording, part, rows: rows, at: now)
        recorder = RunRecorder(
            journal, bootID: recorder.bootID, formats: recorder.formats, scribe: scribe, gaps: gaps, parts: parts + 1,
            at: now)
        let outage = Outage(
            duration: now - last, isSameBoot: isSameBoot, settings: recollection.pipeline.settings)
        recollection.reopen(pipeline, after: outage, at: now)
    }

    /// Moves its number.
    mutating func renumber(_ numbers: Renumbering.Shift) {
        pipeline.renumber(numbers)
        scribe.renumber(numbers)
    }

    /// What is to be found out yet: it goes on from `now`.
    func undecided(at now: Instant) -> ProvisionalResume? {
        unknown.map { ProvisionalResume($0.open, $0.taken, limit: $0.limit, at: now) }
    }
}
