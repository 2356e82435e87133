import Domain
import Linux
import Pipeline

/// A recording as inputs and commands of the present, on the pipeline's clock of a replay.
///
///     rows ──▶ RecordingReplaySource ──▶ entries, moved to the present ──▶ RunController
///
/// `RunController` owns it, passes each entry to the engine at its moment, and starts each pass with a new pipeline.
final class ReplaySource {
    private(set) var clock: ReplayClock
    private var recording: ReplayedRecording
    private let loops: Bool
    /// The time of day at the start, and the pipeline's moment then.
    private let started: (time: UTC, at: Instant)

    private var entries: [InputLogEntry] = []
    private var place = 0
    private var source: RecordingReplaySource
    /// From the moments of ``source`` to the pipeline's.
    private var shift = Duration.zero
    /// The rows have ended.
    private var isAtEnd = true
    /// When the next pass begins, by the boot clock; nil during a pass, and after the only one.
    private var nextPassAt: Instant?
    /// When time was last advanced, by the boot clock.
    private var advancedAt: Instant

    /// The time between two passes, in which screens show the summary.
    private static let passInterval = Duration.seconds(5)
    /// A longer hole in the boot clock, when the machine slept, is not made up for.
    private static let holeLimit = Duration.seconds(5)

    init(_ recording: ReplayedRecording, speed: Double, loops: Bool, at now: Instant) {
        clock = ReplayClock(speed: speed, at: now)
        self.recording = recording
        self.loops = loops
        started = (Clock.systemTime(), now)
        source = RecordingReplaySource(recording.header, sport: nil)
        nextPassAt = now
        advancedAt = now
    }

    /// Advances to `now` of the boot clock.
    func advance(to now: Instant) {
        if now - advancedAt > Self.holeLimit { clock.skip(now - advancedAt) }
        advancedAt = max(advancedAt, now)
    }

    /// When to advance next, by the boot clock, at the latest.
    ///
    /// - Parameters:
    ///   - tick: the pipeline's moment of the next tick, or of the next second without one.
    ///   - isActive: whether there are ticks. Without them at most ten states a second are published.
    func deadline(before tick: Instant, isActive: Bool) -> Instant {
        let tickAt = isActive ? clock.due(tick) : max(clock.due(tick), advancedAt + .milliseconds(100))
        let entryAt = nextPassAt ?? next.map { clock.due($0.at) }
        return min(tickAt, entryAt ?? tickAt, advancedAt + .seconds(1))
    }

    // MARK: Passes

    /// Begins a pass if one is due.
    ///
    /// - Returns: the inputs that precede it; nil if none is due.
    func beginPass(at now: Instant) -> [Input]? {
        guard let due = nextPassAt, due <= now else { return nil }
        nextPassAt = nil
        let moment = clock.moment(at: now)
        var header = recording.header
        header.started = time(at: moment)
        source = RecordingReplaySource(header, sport: nil)
        // The first position is a millisecond before the first row.
        shift = moment + .milliseconds(1) - source.start
        isAtEnd = false
        let strap = LinkStatus(.connected, name: header.strap?.name ?? SanitizedText("Recorded strap"))
        let receiver = LinkStatus(.connected, name: SanitizedText("recording"))
        let off = LinkStatus(.disconnected, reason: .off)
        return [
            .systemClock(header.started, isSynchronised: true),
            .heartLink(header.total.averageHeartRate == nil ? off : strap),
            .gpsdLink(header.isIndoor ? off : receiver),
        ]
    }

    private func time(at moment: Instant) -> UTC {
        UTC(milliseconds: started.time.milliseconds + (moment - started.at).wholeMilliseconds)
    }

    // MARK: Entries

    /// The next entry that is due at a moment of the pipeline.
    func popEntry(until moment: Instant) -> InputLogEntry? {
        guard let entry = next, entry.at <= moment else { return nil }
        place += 1
        fill()
        if next == nil { endPass() }
        return entry
    }

    private var next: InputLogEntry? {
        if place == entries.count, !isAtEnd { fill() }
        return place < entries.count ? entries[place] : nil
    }

    /// Converts rows until there is an entry, or the recording ends.
    private func fill() {
        guard place == entries.count else { return }
        entries.removeAll(keepingCapacity: true)
        place = 0
        while entries.isEmpty, !isAtEnd {
            do {
                let rows = try recording.rows()
                for row in rows { source.ingest(row) { append($0) } }
                guard rows.isEmpty else { continue }
            } catch {
                Log.write(.error, "replay ended early: \(error)")
            }
            source.finish { append($0) }
            isAtEnd = true
        }
    }

    private func append(_ entry: InputLogEntry) {
        switch entry.kind {
        case .input, .command: entries.append(entry.shifted(by: shift))
        // Time passes on the sockets, also where a recording has no rows.
        case .snapshot, .suspended, .outage, .shutdown, .ended: break
        }
    }

    private func endPass() {
        guard loops else { return Log.write(.notice, "the recording has ended; paced serves until it is stopped") }
        do {
            try recording.rewind()
            nextPassAt = advancedAt + Self.passInterval
            Log.write(.notice, "the recording has ended and begins again in \(Int(Self.passInterval.inSeconds)) s")
        } catch {
            Log.write(.error, "the recording cannot begin again: \(error)")
        }
    }
}
