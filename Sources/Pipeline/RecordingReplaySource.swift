package import Domain

/// The rows of a recording as entries that lead to them: positions as fixes, heart rates as notifications, the timer's begin and end as
/// commands. What was recorded elsewhere runs through the same pipeline by them.
///
///     rows, laps ──▶ RecordingReplaySource ──▶ entries ──▶ Replay
package struct RecordingReplaySource: Sendable {
    /// The moment of the recording's start. It is far from 0, so that what lies before it has a moment too.
    package let start: Instant
    private let started: UTC
    /// When laps ended, the last one left out; in order.
    private var laps: ArraySlice<Int64>
    /// The timer stands still since then; not told yet, because it may be the end.
    private var endedAt: Int64?
    private var isPaused = false
    private var lastAt: Int64 = 0
    /// The moment of the last entry.
    private var newest: Instant
    /// RR intervals that wait for the heart rate of their second, oldest first.
    private var beats: [UInt16] = []

    /// More intervals do not come in one second.
    private static let beatLimit = 16
    /// What lies between two rows is one step where it is longer, in milliseconds: a file may go on years later.
    private static let longestStep: Int64 = 600_000
    /// Instants end after 292 years, in milliseconds; a file's times do not.
    private static let latest: Int64 = 200 * 365 * 86_400_000

    /// What was known before the first row.
    package let beginning: PipelineSnapshot
    /// The start or the resume that waits for the next row: the position of its moment comes before it, to be measured from.
    private var begun: (command: RunCommand, at: Int64)?

    /// - Parameters:
    ///   - recording: what the recording is as a whole.
    ///   - sport: that of a recording which does not say.
    package init(_ recording: RecordedActivity, sport: Sport?) {
        start = Instant(milliseconds: 86_400_000)
        started = recording.started
        laps = recording.laps.dropLast().map(\.endedAt)[...]
        var settings = Settings()
        settings.zones = recording.zones
        settings.useHeartRateZones = recording.zones != nil
        var beginning = Pipeline(settings: settings, isDemo: recording.isDemo, at: start).beginning
        beginning.heartLink = Timestamped(LinkStatus(.connected, name: recording.strap?.name), at: start)
        beginning.gpsdLink = Timestamped(LinkStatus(.connected), at: start)
        if !recording.isTimeUncertain {
            beginning.clock.source = .system
            beginning.clock.offset = recording.started.milliseconds - start.milliseconds
            beginning.clock.mappedAt = start
            beginning.clock.isSynchronised = true
        }
        self.beginning = beginning
        newest = start
        let sport = recording.sport == .other ? sport ?? .other : recording.sport
        begun = (.start(sport, indoor: recording.isIndoor), 0)
    }

    /// The entries of the next row; they may be of rows before.
    package mutating func ingest(_ row: RecordingRow, _ body: (InputLogEntry) throws -> Void) rethrows {
        let at = min(row.at, Self.latest)
        let canWait =
            switch row {
            case .begin, .sample: begun?.at == at
            case .end, .beats, .lap, .segment: false
            }
        if !canWait { try begin(body) }
        // A sample belongs to the lap that ends with it.
        if case .sample = row { try endLaps(to: at - 1, body) } else { try endLaps(to: at, body) }
        try pause(body)
        if at - lastAt > Self.longestStep {
            // The tick that counts the row before falls within a second of it.
            try emit(.suspended(.milliseconds(at - lastAt - 1100)), at: at, body)
        }
        switch row {
        case .begin:
            if isPaused { begun = (.resume, at) }
            isPaused = false
        case .end: endedAt = at
        case .sample(let sample):
            try ingestPosition(of: sample, at: at, body)
            try begin(body)
            try ingestHeartRate(of: sample, at: at, body)
        case .beats(_, let rr, _): beats = Array((beats + rr).suffix(Self.beatLimit))
        // Laps are the recording's: a file may tell them after all its rows. A gap is seen by who judges the fixes.
        case .lap, .segment: break
        }
        lastAt = max(lastAt, at)
    }

    /// The recording ends.
    package mutating func finish(_ body: (InputLogEntry) throws -> Void) rethrows {
        let at = endedAt ?? lastAt
        try begin(body)
        try endLaps(to: at, body)
        try emit(.command(.stop), at: at, body)
    }

    private mutating func begin(_ body: (InputLogEntry) throws -> Void) rethrows {
        guard let (command, at) = begun else { return }
        begun = nil
        try emit(.command(command), at: at, body)
    }

    private mutating func ingestPosition(
        of sample: RecordingSample, at moment: Int64, _ body: (InputLogEntry) throws -> Void
    ) rethrows {
        guard let position = sample.coordinate else { return }
        // A tick is applied before the inputs of its moment, and most samples are of the moment of a tick: without the
        // millisecond the last second before a pause or the end would never count.
        newest = max(start + .milliseconds(moment - 1), newest)
        // Whoever wrote the file believed it, though it tells neither the mode nor how good the fix was.
        let fix = Fix(
            arrivedAt: newest, time: UTC(milliseconds: started.milliseconds + sample.at),
            mode: 3, latitude: position.latitude, longitude: position.longitude,
            altitude: sample.altitude, speed: sample.speed)
        try body(InputLogEntry(at: newest, .input(.fix(fix))))
    }

    private mutating func ingestHeartRate(
        of sample: RecordingSample, at moment: Int64, _ body: (InputLogEntry) throws -> Void
    ) rethrows {
        guard let rate = sample.heartRate else { return }
        let measurement = HeartRateMeasurement(beatsPerMinute: UInt16(clamping: rate), rrIntervals: beats)
        beats.removeAll(keepingCapacity: true)
        try emit(.input(.heart(measurement)), at: moment, body)
    }

    private mutating func pause(_ body: (InputLogEntry) throws -> Void) rethrows {
        guard let at = endedAt else { return }
        endedAt = nil
        isPaused = true
        try emit(.command(.pause), at: at, body)
    }

    /// Laps that ended while the timer stood still ended before it did.
    private mutating func endLaps(to moment: Int64, _ body: (InputLogEntry) throws -> Void) rethrows {
        while let at = laps.first, at <= moment {
            laps.removeFirst()
            try emit(.command(.lap), at: min(at, endedAt ?? at), body)
        }
    }

    /// Hands over an entry, in order.
    private mutating func emit(_ kind: InputLogEntry.Kind, at moment: Int64, _ body: (InputLogEntry) throws -> Void)
        rethrows
    {
        newest = max(newest, start + .milliseconds(moment))
        try body(InputLogEntry(at: newest, kind))
    }
}
