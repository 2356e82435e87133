import Adapters
import Domain
import Outputs
import Pipeline

/// An activity that goes on although nobody knows how late it is: the board has started anew, and has no clock yet.
///
/// Once the time of day is known, it either is one activity, or what came since becomes one of its own.
struct ProvisionalResume {
    private let open: OpenActivity
    private let taken: ResumedActivity
    private let limit: Duration
    private let begunAt: Instant
    /// What came since, beginning with the outage.
    private var part: [InputLogEntry] = []
    private var isTooLong = false

    /// With more entries it stays one activity: half an hour without a clock, in which nobody minded.
    private static let entryLimit = 4096

    init(_ open: OpenActivity, _ taken: ResumedActivity, limit: Duration, at now: Instant) {
        self.open = open
        self.taken = taken
        self.limit = limit
        begunAt = now
    }

    mutating func append(_ entries: [InputLogEntry]) {
        if isTooLong { return }
        part += entries
        if part.count > Self.entryLimit {
            isTooLong = true
            part = []
        }
    }

    /// Makes what came since an activity of its own, where the time of day at `now` tells that too much of it has passed.
    ///
    /// - Returns: what there is to say of that; nil where it is one activity with what was before.
    func part(
        at now: Instant, time: UTC, _ recorder: inout RunRecorder, _ recollection: inout RunEngine
    ) -> [Output]? {
        guard !isTooLong, let last = open.lastTime, let id = open.recording.id else { return nil }
        let age = time.milliseconds - last.milliseconds - (now - begunAt).wholeMilliseconds
        var entries = Replay.split(part, from: taken.pipeline)
        guard age > limit.wholeMilliseconds, case .snapshot(var beginning)? = entries.first?.kind else { return nil }
        let journal = recorder.journal
        beginning.lastActivity = journal.activityNumber - 1
        entries[0].kind = .snapshot(beginning)
        journal.append(.cut(activity: id, entries: open.entries, rows: min(open.rows, taken.rows)), at: now)
        let ended = taken.end(open, in: recorder, at: now)
        let scribe = RecordingBuilder(isDemo: open.recording.isDemo)
        recorder = RunRecorder(
            journal, bootID: recorder.bootID, formats: recorder.formats, scribe: scribe, at: now)
        return ended + recorder.write(entries, until: now, into: &recollection)
    }
}
