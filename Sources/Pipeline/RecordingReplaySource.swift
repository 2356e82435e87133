package import Domain

/// Converts the rows of a recording to an input log: positions to fixes, heart rates to notifications, power, cadence and
/// temperature to measurements of one sensor, stated distances to inputs, timer events to commands. So an imported
/// recording runs through the same pipeline.
///
///     rows, laps ──▶ RecordingReplaySource ──▶ entries ──▶ Replay
package struct RecordingReplaySource: Sendable {
    /// Moment of the recording's start; far enough from 0 that earlier moments exist.
    package let start: Instant
    private let started: UTC
    /// Ends of the laps but the last, in order.
    private var laps: ArraySlice<Int64>
    /// Moment at which the timer stopped, if no entry was emitted yet: it may be the end of the recording.
    private var endedAt: Int64?
    private var isPaused = false
    private var lastAt: Int64 = 0
    /// Moment of the last entry.
    private var newest: Instant
    /// RR intervals that wait for the heart rate of their second, oldest first.
    private var beats: [UInt16] = []

    /// Maximum number of intervals in one second.
    private static let beatLimit = 16
    /// A longer time between two rows, in milliseconds, becomes one step: a file may continue years later.
    private static let longestStep: Int64 = 600_000
    /// Greatest moment in milliseconds: an `Instant` ends after 292 years, a file's times may not.
    private static let latest: Int64 = 200 * 365 * 86_400_000

    /// Snapshot before the first row.
    package let snapshot: PipelineSnapshot
    /// A start or resume that waits for the next row: a position of its moment must come first, as the anchor.
    private var begun: (command: RunCommand, at: Int64)?
    private let sport: Sport
    /// Whether the one sensor of the recording was reported.
    private var hasSensor = false

    /// - Parameters:
    ///   - recording: Header of the recording.
    ///   - sport: Sport of a recording that does not state one.
    package init(_ recording: RecordedActivity, sport: Sport?) {
        start = Instant(milliseconds: 86_400_000)
        started = recording.started
        laps = recording.laps.dropLast().map(\.endedAt)[...]
        var settings = Settings()
        settings.zones = recording.zones
        settings.useHeartRateZones = recording.zones != nil
        let sport = recording.sport == .other ? sport ?? .other : recording.sport
        settings.autoPause = recording.total.autoPausedMilliseconds == nil ? [] : [sport]
        var snapshot = Pipeline(settings: settings, isDemo: recording.isDemo, at: start).snapshot
        snapshot.heartLink = Timestamped(LinkStatus(.connected, name: recording.strap?.name), at: start)
        snapshot.gpsdLink = Timestamped(LinkStatus(.connected), at: start)
        if !recording.isTimeUncertain {
            snapshot.clock.source = .system
            snapshot.clock.offset = recording.started.milliseconds - start.milliseconds
            snapshot.clock.mappedAt = start
            snapshot.clock.isSynchronised = true
        }
        self.snapshot = snapshot
        newest = start
        self.sport = sport
        begun = (.start(sport, indoor: recording.isIndoor), 0)
    }

    /// Emits the entries of the next row, and those of earlier rows that waited for it.
    package mutating func ingest(_ row: RecordingRow, _ body: (InputLogEntry) throws -> Void) rethrows {
        let at = min(row.at, Self.latest)
        let canWait =
            switch row {
            case .begin, .sample: begun?.at == at
            case .end, .beats, .lap, .segment, .autoPause, .autoResume: false
            }
        if !canWait { try begin(body) }
        // A sample belongs to the lap that ends at its moment.
        if case .sample = row { try endLaps(to: at - 1, body) } else { try endLaps(to: at, body) }
        try pause(body)
        if at - lastAt > Self.longestStep {
            // Leave time for the tick that counts the row before: it falls within a second of it.
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
            // As early as the position, so that the tick of the moment shows it.
            if let metres = sample.distanceMetres { try emit(.input(.distance(metres)), at: at - 1, body) }
            if let ascent = sample.ascent, let descent = sample.descent, let source = sample.ascentSource {
                let climb = StatedClimb(
                    ascent: ascent, descent: descent, source: source, grade: sample.grade,
                    verticalSpeed: sample.verticalSpeed)
                try emit(.input(.climb(climb)), at: at - 1, body)
            }
            try ingestSensors(of: sample, at: at - 1, body)
            try ingestHeartRate(of: sample, at: at, body)
        // A pause has no heart rate that its beats could come with.
        case .beats(_, let rr, _): beats = isPaused ? [] : Array((beats + rr).suffix(Self.beatLimit))
        // Laps come from the header, because a file may list them after all rows. The fix filter detects gaps.
        case .lap, .segment, .autoPause, .autoResume: break
        }
        lastAt = max(lastAt, at)
    }

    /// Ends the recording.
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
        // A tick is applied before the inputs of its moment, and most samples have the moment of a tick. The
        // fix is one millisecond earlier, else the last second before a pause or the end would not count.
        newest = max(start + .milliseconds(moment - 1), newest)
        // The file's writer accepted the position, but files state neither mode nor accuracy.
        let fix = Fix(
            arrivedAt: newest, time: UTC(milliseconds: started.milliseconds + sample.at),
            mode: 3, latitude: position.latitude, longitude: position.longitude,
            altitude: sample.altitude, speed: sample.speed)
        try body(InputLogEntry(at: newest, .input(.fix(fix))))
    }

    /// The recording does not state which of its sensors has measured a value, so that all are those of one.
    private mutating func ingestSensors(
        of sample: RecordingSample, at moment: Int64, _ body: (InputLogEntry) throws -> Void
    ) rethrows {
        guard sample.power != nil || sample.cadence != nil || sample.temperature != nil else { return }
        if !hasSensor {
            hasSensor = true
            let kinds: [SensorKind] = [.fitnessMachine, .environment]
            try emit(
                .input(.sensor(SensorStatus(.board, kinds: kinds, link: LinkStatus(.connected)))), at: moment, body)
        }
        if sample.power != nil || sample.cadence != nil {
            var record = FitnessMachineRecord()
            record.watts = sample.power.map { Int16(clamping: $0) }
            record.cadence = sample.cadence.map { Double($0) * sport.stepsPerCadence }
            try emit(.input(.measurement(.board, .fitnessMachine(record))), at: moment, body)
        }
        if let temperature = sample.temperature {
            let environment = EnvironmentMeasurement(centidegrees: Int16(clamping: temperature * 100))
            try emit(.input(.measurement(.board, .environment(environment))), at: moment, body)
        }
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

    /// A lap that ended while the timer was stopped ended when it stopped.
    private mutating func endLaps(to moment: Int64, _ body: (InputLogEntry) throws -> Void) rethrows {
        while let at = laps.first, at <= moment {
            laps.removeFirst()
            try emit(.command(.lap), at: min(at, endedAt ?? at), body)
        }
    }

    /// Emits an entry; moments never decrease.
    private mutating func emit(_ kind: InputLogEntry.Kind, at moment: Int64, _ body: (InputLogEntry) throws -> Void)
        rethrows
    {
        newest = max(newest, start + .milliseconds(moment))
        try body(InputLogEntry(at: newest, kind))
    }
}
