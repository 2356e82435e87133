package import Domain
package import Pipeline
import Storage

/// An activity that resumed after a reboot while the time of day is unknown.
///
/// Once the time of day is known, it stays one activity, or is split at the outage if that exceeded the limit.
package struct ProvisionalResume {
    private let open: OpenActivity
    private let resumed: ResumedActivity
    private let limit: Duration
    private let resumedAt: Instant
    /// The entries since the resume, the outage first.
    private var entries: [InputLogEntry] = []
    private var isTooLong = false

    /// With more entries, those of about half an hour, it stays one activity.
    private static let entryLimit = 4096

    init(_ open: OpenActivity, _ resumed: ResumedActivity, limit: Duration, at now: Instant) {
        self.open = open
        self.resumed = resumed
        self.limit = limit
        resumedAt = now
    }

    package mutating func append(_ entries: [InputLogEntry]) {
        if isTooLong { return }
        self.entries += entries
        if self.entries.count > Self.entryLimit {
            isTooLong = true
            self.entries = []
        }
    }

    /// Splits off the part since the outage if, by the time of day at `now`, the outage exceeded the limit.
    ///
    /// - Returns: the outputs to publish; nil if it stays one activity.
    package func split(
        at now: Instant, time: UTC, _ recorder: RunRecorder, _ engine: inout RunEngine, into effects: inout Effects
    ) -> [Output]? {
        guard !isTooLong, let last = open.lastTime, let id = open.recording.id else { return nil }
        let age = time.milliseconds - last.milliseconds - (now - resumedAt).wholeMilliseconds
        var entries = Replay.split(self.entries, from: resumed.pipeline)
        guard age > limit.wholeMilliseconds, case .snapshot(var beginning)? = entries.first?.kind else { return nil }
        let journal = recorder.journal
        beginning.lastActivity = journal.takeNumber() - 1
        entries[0].kind = .snapshot(beginning)
        journal.append(.cut(activity: id, entries: open.entries, rows: min(open.rows, resumed.rows)), at: now)
        let ended = resumed.end(open, in: recorder, at: now)
        recorder.resume(RecordingBuilder(isDemo: open.recording.isDemo), gaps: 0, parts: 1, at: now)
        guard let (begin, pipeline) = recorder.write(entries, until: now) else { return ended }
        engine.replace(by: pipeline, at: now, into: &effects)
        return ended + [begin]
    }
}
