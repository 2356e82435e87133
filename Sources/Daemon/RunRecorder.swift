package import Domain
package import Formats
import Linux
package import Pipeline
package import Storage
package import Wire

/// Writes the run to the journal: log entries, the rows that the recording builder makes of
/// the engine's outputs, and the EVENT lines, whose numbers it assigns.
///
///     entries ─────────────────────────────┐
///     outputs, seconds ─▶ RecordingBuilder ┼──▶ Journal
///     events ──▶ EVENT lines ──────────────┘
///                     └──▶ state server
package final class RunRecorder {
    package let journal: Journal
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
    /// The number of the next event.
    private var nextEvent = 1

    /// False in a replay: nothing is written, and events only get their numbers.
    let isRecording: Bool

    private static let updateInterval = Duration.seconds(10)
    private static let clockInterval = Duration.seconds(60)

    package init(
        _ journal: Journal, bootID: String, formats: [ExportFormat], _ recordingBuilder: RecordingBuilder,
        isRecording: Bool = true, at now: Instant
    ) {
        self.journal = journal
        self.isRecording = isRecording
        self.bootID = bootID
        self.formats = formats
        self.recordingBuilder = recordingBuilder
        gaps = 0
        parts = 1
        isOpen = false
        updatedAt = now
    }

    /// Continues with another activity, or with none.
    ///
    /// - Parameters:
    ///   - recordingBuilder: the builder of the activity, else a new one.
    ///   - gaps: the number of gaps in the activity.
    ///   - parts: the number of its boot segments, the new one included.
    func resume(_ recordingBuilder: RecordingBuilder, gaps: Int, parts: Int, at now: Instant) {
        self.recordingBuilder = recordingBuilder
        self.gaps = gaps
        self.parts = parts
        isOpen = recordingBuilder.recording != nil
        updatedAt = now
        clockNotedAt = nil
    }

    /// Records entries, outputs and seconds since the last call.
    ///
    /// - Parameters:
    ///   - outputs: the outputs to publish.
    ///   - zones: the heart-rate zones; nil if they are disabled.
    /// - Returns: the lines of the events among the outputs.
    package func record(_ effects: Effects, _ outputs: [Output], zones: Zones?, at now: Instant) -> [EventLine] {
        guard isRecording else { return record(events: outputs) }
        let entries = effects.entries
        if entries.isEmpty, outputs.isEmpty, effects.seconds.isEmpty { return [] }
        recordingBuilder.ingest(effects.recordedOutputs, seconds: effects.seconds, zones: zones)
        let events = outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
        if let begin = events.first(where: \.isBegin), var recording = identified() {
            // The builder knows it from the first whole second on.
            recording.isIndoor = entries.contains(where: \.isIndoorStart)
            gaps = 0
            parts = 1
            isOpen = true
            journal.begin(recording, BootSegment(bootID: bootID, at: begin.at), entries, at: now)
        } else {
            for entry in entries { journal.write(entry, at: now) }
        }
        if let cut = recordingBuilder.popTruncation(), let id = recordingBuilder.recording?.id {
            journal.append(cut.change(of: id), at: now)
        }
        for row in recordingBuilder.drainRows() { journal.write(row, at: now) }
        var isDue = isOpen && now - updatedAt >= Self.updateInterval
        for event in events {
            switch event.kind {
            case .gap: gaps += 1
            case .lap, .pause, .mark: isDue = true
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
        return record(events: outputs)
    }

    /// Names the activity that begins.
    private func identified() -> RecordedActivity? {
        guard let recording = recordingBuilder.recording else { return nil }
        recordingBuilder.identify(.new(at: recording.isTimeUncertain ? nil : recording.started))
        return recordingBuilder.recording
    }

    /// The uuid of the activity that is recorded, or was recorded last; nil for another one.
    func uuid(of activity: Int?) -> UUID? {
        guard let recording = recordingBuilder.recording, recording.id == activity else { return nil }
        return recording.uuid
    }

    /// Assigns numbers to the events among the outputs and writes their lines to the journal.
    package func record(events outputs: [Output]) -> [EventLine] {
        var lines: [EventLine] = []
        for case .event(let event) in outputs {
            let line = EventLine(event, number: nextEvent, uuid: uuid(of: event.activity))
            nextEvent += 1
            if isRecording {
                let (number, bytes) = (line.number, line.bytes)
                journal.append(
                    .event(sequence: number, activity: event.activity, at: event.at, line: bytes), at: event.at)
            }
            lines.append(line)
        }
        return lines
    }

    /// Writes an activity in progress from its entries.
    ///
    /// - Returns: the event of its start, and the pipeline of its replay. Nil if the entries contain no start.
    func write(_ entries: [InputLogEntry], until now: Instant) -> (begin: Output, pipeline: Pipeline)? {
        guard case .snapshot(let snapshot)? = entries.first?.kind else { return nil }
        var replay = Replay(snapshot)
        var events: [Event] = []
        let observe: Replay.Observer = { pipeline, effects in
            let settings = pipeline.settings
            self.recordingBuilder.ingest(
                effects.outputs, seconds: effects.seconds, zones: settings.useHeartRateZones ? settings.zones : nil)
            for case .event(let event) in effects.outputs { events.append(event) }
        }
        for entry in entries.dropFirst() { replay.apply(entry, observe) }
        replay.advance(to: now, observe)
        guard let begin = events.first(where: \.isBegin), var recording = identified() else { return nil }
        recording.isIndoor = entries.contains(where: \.isIndoorStart)
        isOpen = true
        journal.begin(recording, BootSegment(bootID: bootID, at: begin.at), entries, at: now)
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
        return (.event(begin), replay.pipeline)
    }

    /// Renumbers what is recorded but not in the journal yet.
    package func renumber(_ numbers: Renumbering) {
        recordingBuilder.renumber(numbers.activities)
        nextEvent = numbers.events(nextEvent)
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

extension InputLogEntry {
    fileprivate var isIndoorStart: Bool {
        if case .command(.start(_, indoor: true, _)) = kind { true } else { false }
    }
}

extension Event {
    /// Whether the event starts a new activity.
    fileprivate var isBegin: Bool {
        if case .start(_, _, resumed: false) = kind { true } else { false }
    }
}
