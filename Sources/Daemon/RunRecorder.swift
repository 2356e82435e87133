import Domain
import Formats
import Linux
import Pipeline
import Storage

/// Writes the run to the journal: log entries as they come, and the rows that the recording builder
/// makes of the pipeline's outputs. The state server's `keep` closure writes the EVENT lines.
///
///     entries ─────────────────────────────────┐
///     outputs, seconds ──▶ RecordingBuilder ───┼──▶ Journal
///     EVENT lines of StateServer ──────────────┘
final class RunRecorder {
    let journal: Journal
    let bootID: String
    /// The formats that are exported when an activity ends.
    var formats: [ExportFormat]
    private(set) var recordingBuilder: RecordingBuilder
    private(set) var gaps: Int
    /// How many runs of the daemon have recorded the activity.
    private(set) var parts: Int
    /// An activity is in progress.
    private var isOpen: Bool
    /// When the list of activities last received the totals.
    private var updatedAt: Instant
    /// When the time of day was last recorded.
    private var clockNotedAt: Instant?

    private static let updateInterval = Duration.seconds(10)
    private static let clockInterval = Duration.seconds(60)

    /// - Parameters:
    ///   - recordingBuilder: the builder of the resumed activity, else a new one.
    ///   - gaps: the number of gaps in the resumed activity.
    ///   - parts: the number of its boot segments, the new one included.
    init(
        _ journal: Journal, bootID: String, formats: [ExportFormat], recordingBuilder: RecordingBuilder, gaps: Int = 0,
        parts: Int = 1,
        at now: Instant
    ) {
        self.journal = journal
        self.bootID = bootID
        self.formats = formats
        self.recordingBuilder = recordingBuilder
        self.gaps = gaps
        self.parts = parts
        isOpen = recordingBuilder.recording != nil
        updatedAt = now
    }

    /// The number for the next activity.
    var activityNumber: Int { journal.activityNumber }

    /// Records entries, outputs and seconds since the last call.
    ///
    /// - Parameter zones: the heart-rate zones; nil if they are disabled.
    func record(_ entries: [InputLogEntry], _ outputs: [Output], seconds: [State], zones: Zones?, at now: Instant) {
        if entries.isEmpty, outputs.isEmpty, seconds.isEmpty { return }
        recordingBuilder.ingest(outputs, seconds: seconds, zones: zones)
        let events = outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
        for event in events where event.isBegin {
            guard let recording = recordingBuilder.recording else { continue }
            gaps = 0
            parts = 1
            isOpen = true
            journal.begin(recording, BootSegment(bootID: bootID, at: event.at), at: now)
        }
        for entry in entries { journal.write(entry, at: now) }
        if let cut = recordingBuilder.popTruncation(), let id = recordingBuilder.recording?.id {
            journal.append(cut.change(of: id), at: now)
        }
        for row in recordingBuilder.drainRows() { journal.write(row, at: now) }
        var isDue = isOpen && now - updatedAt >= Self.updateInterval
        for event in events {
            switch event.kind {
            case .gap: gaps += 1
            case .lap, .pause: isDue = true
            case .clock(let source, _): note(event.time, source, at: event.at)
            case .stop(let summary):
                guard let recording = recordingBuilder.recording else { continue }
                end(recording, gaps: summary.gaps, at: now)
                (isOpen, isDue) = (false, false)
            case .discard(let summary):
                journal.delete(summary.id, at: now)
                (isOpen, isDue) = (false, false)
            default: break
            }
        }
        if isDue, let recording = recordingBuilder.recording {
            updatedAt = now
            journal.update(recording, gaps: gaps, at: now)
        }
    }

    /// Writes an activity in progress from its entries and makes it the pipeline's.
    ///
    /// - Returns: the outputs to publish: its start.
    func write(_ entries: [InputLogEntry], until now: Instant, into engine: inout RunEngine) -> [Output] {
        guard case .snapshot(let beginning)? = entries.first?.kind else { return [] }
        var replay = Replay(beginning)
        var said: [Output] = []
        let say: (inout Pipeline) -> Void = { pipeline in
            let outputs = pipeline.drainOutputs()
            let settings = pipeline.settings
            self.recordingBuilder.ingest(
                outputs, seconds: pipeline.seconds, zones: settings.useHeartRateZones ? settings.zones : nil)
            said += outputs
            pipeline.discardOutputs()
        }
        for entry in entries.dropFirst() { replay.apply(entry, say) }
        replay.advance(to: now, say)
        let events = said.compactMap { if case .event(let event) = $0 { event } else { nil } }
        guard let begin = events.first(where: \.isBegin), let recording = recordingBuilder.recording else { return [] }
        isOpen = true
        journal.begin(recording, BootSegment(bootID: bootID, at: begin.at), at: now)
        for entry in entries { journal.write(entry, at: now) }
        // Nothing is written yet that a truncation could remove.
        _ = recordingBuilder.popTruncation()
        for row in recordingBuilder.drainRows() { journal.write(row, at: now) }
        for event in events {
            if case .gap = event.kind { gaps += 1 }
            if case .stop(let summary) = event.kind {
                end(recording, gaps: summary.gaps, at: now)
                isOpen = false
            }
        }
        engine.replace(by: replay.pipeline, at: now)
        return [.event(begin)]
    }

    /// Renumbers what is recorded but not in the journal yet.
    func renumber(_ numbers: Renumbering) {
        recordingBuilder.renumber(numbers.activities)
        journal.renumber(numbers)
    }

    /// Ends an activity and lists its exports.
    func end(_ recording: RecordedActivity, gaps: Int, at now: Instant) {
        guard let id = recording.id else { return }
        for format in formats { journal.append(.export(activity: id, format), at: now) }
        journal.end(recording, gaps: gaps, at: now)
    }

    /// Records the time of day each minute, so that recorded moments can be converted to it after a crash.
    func noteClock(_ state: @autoclosure () -> State, at now: Instant) {
        if let clockNotedAt, now - clockNotedAt < Self.clockInterval { return }
        let state = state()
        note(state.time, state.clock, at: now)
    }

    private func note(_ time: UTC?, _ source: ClockSource, at moment: Instant) {
        guard let time else { return }
        clockNotedAt = moment
        journal.append(.clock(bootID: bootID, at: moment, time, source), at: moment)
    }
}

extension RecordingBuilder.Truncation {
    func change(of id: Int) -> JournalChange {
        .cutAfter(activity: id, at: at, elapsed: elapsedMilliseconds)
    }
}

extension Event {
    /// Whether the event starts a new activity.
    fileprivate var isBegin: Bool {
        if case .start(_, _, resumed: false) = kind { true } else { false }
    }
}
