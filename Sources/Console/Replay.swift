import Adapters
import Domain
import Linux
import Outputs
import Pipeline
import Sensors

extension Invocation {
    /// Prints what paced said of an activity, or would have said of a file's.
    func replay(_ replayed: ReplaySource, _ pace: Pace) throws(Failure) {
        let lines = ReplayLines(pace)
        switch replayed {
        case .activity(let id):
            let state = StateDirectory(stateDirectory)
            let journal = try state.journal()
            do {
                try Self.replay(id, of: journal, pace, lines)
            } catch {
                throw state.failure(reading: error)
            }
        case .file(let path):
            do {
                try Self.replay(RecordingFile(path: path), pace, lines)
            } catch {
                throw error as? Failure ?? .failed("cannot replay \(path): \(error)")
            }
        }
        try lines.flush()
    }

    private static func replay(_ id: Int, of journal: JournalReader, _ pace: Pace, _ lines: ReplayLines) throws {
        guard let recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
            throw Failure.noActivity(id)
        }
        var replay: Replay?
        try journal.entries(of: id) { entry in
            if case .snapshot(let beginning) = entry.kind, replay == nil {
                replay = Replay(beginning, every: .milliseconds(pace.every))
            } else {
                replay?.apply(entry) { lines.receive(&$0) }
                try lines.check()
            }
        }
        guard replay != nil else {
            return try self.replay(recording, pace, lines) { body in try journal.rows(of: id).each(body) }
        }
        // One that was left open and ended as it stood has no entry of its end.
        guard !summary.isOpen, replay?.pipeline.runState != .idle, let part = try journal.parts(of: id).last else {
            return
        }
        let end = part.at + .milliseconds(recording.totalMilliseconds - part.beginsAt)
        replay?.apply(InputLogEntry(at: end, .command(.stop))) { lines.receive(&$0) }
        try lines.check()
    }

    /// The file is read twice: what it is as a whole may stand at its end.
    private static func replay(_ file: RecordingFile, _ pace: Pace, _ lines: ReplayLines) throws {
        let recording = try file.read { _ in }.recording
        try replay(recording, pace, lines) { body in _ = try file.read(body) }
    }

    private static func replay(
        _ recording: RecordedActivity, _ pace: Pace, _ lines: ReplayLines,
        rows: ((RecordingRow) throws -> Void) throws -> Void
    ) throws {
        var entries = RecordingReplaySource(recording, sport: pace.sport)
        var replay = Replay(entries.beginning, every: .milliseconds(pace.every))
        func receive(_ entry: InputLogEntry) throws {
            replay.apply(entry) { lines.receive(&$0) }
            try lines.check()
        }
        try rows { row in try entries.ingest(row, receive) }
        try entries.finish(receive)
    }
}

/// The lines of a replay on their way out, each at its time where a speed is wanted.
final class ReplayLines {
    private var lines = JSONWriter(capacity: 65_536)
    /// Decides which states are told, as it does for a reader of state.sock.
    private var reader = SubscriberQueue(ring: EventRing())
    private let speed: Double?
    /// The first line's moment, and when it was printed.
    private var first: (moment: Instant, at: Instant)?
    /// The activity has begun: what was before it is another's.
    private var hasBegun = false
    private var failure: Failure?

    /// So many bytes are printed at once.
    private static let chunk = 32_768

    init(_ pace: Invocation.Pace) {
        speed = pace.speed
        var request = SubscriptionRequest()
        request.everyMilliseconds = pace.every
        reader.apply(request, ring: EventRing())
    }

    /// Takes what the pipeline has to say.
    func receive(_ pipeline: inout Pipeline) {
        hasBegun = hasBegun || pipeline.runState != .idle
        defer { pipeline.discardOutputs() }
        guard hasBegun, failure == nil else { return }
        for case .event(let event) in pipeline.drainOutputs() {
            wait(for: event.at)
            lines.event(event, sequence: nil)
        }
        if let (state, isChange) = pipeline.popState(), reader.accepts(StateKey(state), isChange: isChange) {
            wait(for: state.at)
            lines.stateLine(state, sequence: nil)
        }
        if lines.bytes.count >= Self.chunk { print() }
    }

    /// - Throws: why a line could not be printed.
    func check() throws(Failure) {
        if let failure { throw failure }
    }

    func flush() throws(Failure) {
        print()
        try check()
    }

    private func print() {
        do throws(Failure) {
            try writeOut(lines.bytes)
        } catch {
            failure = error
        }
        lines.clear()
    }

    private func wait(for moment: Instant) {
        guard let speed else { return }
        print()
        let first = self.first ?? (moment, Clock.now())
        self.first = first
        let due = first.at + .seconds((moment - first.moment).inSeconds / speed)
        Clock.sleep(until: due)
    }
}
