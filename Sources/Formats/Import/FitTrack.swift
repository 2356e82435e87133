import Domain

/// Makes the rows of a recording from the ordered content of a FIT file and accumulates its totals.
struct FitTrack {
    /// The laps read so far; laps at the beginning of the file are known before their records.
    var laps: [FitLap] = []
    /// The number of records that repeat the second of an earlier sample after the timer stopped.
    private(set) var doubles = 0
    private(set) var longBeats = 0
    /// The number of intervals over the limit of those before the first record or start of the timer.
    private(set) var earlyExcess = 0
    /// The intervals before the first record or start of the timer: a recording begins with a start.
    private var early: [UInt16] = []
    private var hasBegun = false

    /// The file's first time, to which the others are relative.
    private var started: UTC?
    private var newest: Int64 = 0
    private var timer = Timer.standing
    /// The active time before the timer last started, and the time of that start, in milliseconds.
    private var active: Int64 = 0
    private var beganAt: Int64 = 0
    private var sampledAt: Int64?
    /// Whether records continue in automatic pauses, as in our files; those of other devices stop the recording.
    var continuesInPauses = false
    /// Whether records while the timer stands are samples of a pause. Else they mean that it ran.
    var keepsPauses = false
    /// The moment of an automatic stop; the next item shows whether it is an automatic pause with records.
    private var stoppedAt: Int64?
    private var isAutoPaused = false
    private var counter = DistanceCounter()
    var marks = ImportedMarks()
    private var total = StretchTotals()
    private var lap = StretchTotals()
    /// The closed laps with their totals.
    private var closed: [RecordingLap] = []
    /// Whether a lap was read too late to accumulate the totals of the next one.
    private var areLate = false

    private enum Timer {
        case standing
        /// Started by an event, or by the first record of a file without events.
        case running
        /// Started by a record after the timer stopped; it lasts while more records follow closely.
        case stray
    }

    /// The longest delay with which devices write a lap after its end, in milliseconds.
    private static let lateness: Int64 = 10_000

    private static let earlyLimit = 16_384

    /// The most RR intervals of a row. Devices write five in a message.
    private static let intervalLimit = 64

    /// The longest time between stray records that belong together, in milliseconds.
    private static let strayStep: Int64 = 10_000

    /// Adds the beats of one message: those before the first record or event, or of a record that is skipped.
    mutating func add(_ beats: [Int64], _ row: (RecordingRow) throws -> Void) throws {
        let units = beats.filter { $0 > 0 }.map { ($0 * 1024 + 500) / 1000 }
        let rr = units.compactMap { UInt16(exactly: $0) }
        longBeats += units.count - rr.count
        guard hasBegun else {
            let kept = rr.prefix(Self.earlyLimit - early.count)
            early += kept
            earlyExcess += rr.count - kept.count
            return
        }
        try write(rr, row)
    }

    private func write(_ rr: [UInt16], _ row: (RecordingRow) throws -> Void) throws {
        for begin in stride(from: 0, to: rr.count, by: Self.intervalLimit) {
            let end = min(begin + Self.intervalLimit, rr.count)
            try row(.beats(at: newest, rr: Array(rr[begin..<end]), gap: false))
        }
    }

    mutating func ingest(_ moment: FitTimelineItem, at time: UTC, _ row: (RecordingRow) throws -> Void) throws {
        let start = started ?? time
        started = start
        let at = max(time.milliseconds - start.milliseconds, newest)
        guard at <= TrackRows.longest else { throw FileError.tooLong(from: start, to: time) }
        passMarks(to: time, since: start, at: at)
        if timer == .stray, let sampledAt, at - sampledAt > Self.strayStep { try end(at: sampledAt, .auto, row) }
        try resolveStop(before: moment, at: at, row)
        switch moment.kind {
        case .start(let trigger): try begin(at: at, trigger, row)
        case .stop(.auto) where continuesInPauses && timer == .running && !isAutoPaused:
            pass(to: elapsed(at: at))
            newest = at
            stoppedAt = at
        // In our files, records go on in the pauses of an automatic stop only.
        case .stop(let trigger): try end(at: at, keepsPauses && !continuesInPauses ? .command : trigger, row)
        case .record(let values): try sample(values.sample, at: at, row)
        case .beats: break
        }
        if hasBegun {
            try write(early, row)
            early = []
        }
        for beats in moment.beats { try add(beats, row) }
    }

    private mutating func passMarks(to time: UTC?, since started: UTC, at latest: Int64) {
        guard marks.isWaiting(until: time) else { return }
        var passing = marks
        passing.pass(to: time, since: started, at: latest) { elapsed(at: $0) }
        marks = passing
    }

    /// Returns the recording. Nil if there was neither a record nor a total.
    mutating func finish(_ head: FitSummary, _ row: (RecordingRow) throws -> Void) throws -> RecordedActivity? {
        guard let started, sampledAt != nil || head.sourceTotals.hasLength || laps.contains(where: \.hasLength) else {
            return nil
        }
        if let at = stoppedAt { try end(at: at, .auto, row) }
        if timer != .standing { try end(at: newest, .command, row) }
        var recording = RecordedActivity(sport: head.sport ?? laps.first?.sport ?? .other, started: started)
        passMarks(to: nil, since: started, at: newest)
        recording.marks = marks.passed
        // An undated activity begins with the first valid timestamp.
        recording.isTimeUncertain = started.milliseconds <= (Fit.firstTime + Fit.epoch) * 1000
        recording.isIndoor = head.isIndoor
        recording.isSwim = head.isSwim
        recording.totalMilliseconds = newest
        recording.total = total.figures
        // Nothing but the file's own totals is known of the laps then.
        if sampledAt == nil { areLate = true }
        recording.laps = allLaps()
        recording.adoptSourceTotals(head.sourceTotals)
        let energy = head.sourceTotals.energyKilocalories
        recording.adoptEnergy(energy, ofLaps: laps.map(\.figures.energyKilocalories))
        recording.countBothFeet()
        recording.sensors = head.sensors
        recording.sourceTotals = head.sourceTotals
        let metres = laps.reduce(0) { $0 + $1.figures.distanceMetres }
        // A cut file lacks its last laps.
        let isWhole = laps.last.map { $0.ended(since: started) + Self.lateness >= newest } ?? false
        if recording.sourceTotals?.distanceMetres == nil, metres > 0, isWhole {
            recording.sourceTotals?.distanceMetres = metres
        }
        recording.altitudeSource = head.altitudeSource
        return recording
    }

    /// The longest time from an automatic stop to the first record of a pause, in milliseconds.
    private static let recordStep: Int64 = 3000

    /// Decides whether an automatic stop began a pause in which records continue, or stopped the timer.
    private mutating func resolveStop(
        before moment: FitTimelineItem, at: Int64, _ row: (RecordingRow) throws -> Void
    ) throws {
        guard let stopped = stoppedAt else { return }
        switch moment.kind {
        case .beats: return
        case .record where at - stopped <= Self.recordStep:
            isAutoPaused = true
            try row(.autoPause(at: stopped, elapsedMilliseconds: elapsed(at: stopped)))
        case .record, .start, .stop: try end(at: stopped, .auto, row)
        }
        stoppedAt = nil
    }

    private mutating func endAutoPause(at: Int64, _ row: (RecordingRow) throws -> Void) throws {
        guard isAutoPaused else { return }
        pass(to: elapsed(at: at))
        isAutoPaused = false
        newest = at
        try row(.autoResume(at: at, elapsedMilliseconds: elapsed(at: at)))
    }

    private mutating func begin(
        at: Int64, _ trigger: RecordingRow.TimerTrigger, _ row: (RecordingRow) throws -> Void
    ) throws {
        try endAutoPause(at: at, row)
        if timer == .stray { try end(at: sampledAt ?? at, .auto, row) }
        guard timer == .standing else { return }
        timer = .running
        beganAt = at
        newest = at
        hasBegun = true
        try row(.begin(at: at, trigger))
    }

    private mutating func end(
        at: Int64, _ trigger: RecordingRow.TimerTrigger, _ row: (RecordingRow) throws -> Void
    ) throws {
        guard timer != .standing else { return }
        try endAutoPause(at: at, row)
        stoppedAt = nil
        active = elapsed(at: at)
        pass(to: active)
        timer = .standing
        newest = at
        try row(.end(at: at, trigger))
    }

    private mutating func sample(
        _ sample: RecordingSample, at: Int64, _ row: (RecordingRow) throws -> Void
    ) throws {
        guard at != sampledAt else {
            doubles += 1
            return
        }
        if timer == .standing, keepsPauses, sampledAt != nil || hasBegun {
            try closeLaps(before: at, row)
            var sample = sample
            sample.distanceMetres = sample.distanceMetres.map { counter.read($0) }
            sample.at = at
            sample.elapsedMilliseconds = active
            sampledAt = at
            newest = at
            return try row(.sample(sample))
        }
        if timer == .standing {
            // A record implies that the timer ran. Devices write one as they wake from a pause.
            let isStray = sampledAt != nil
            try begin(at: at, isStray ? .auto : .command, row)
            if isStray { timer = .stray }
        }
        try closeLaps(before: at, row)
        if let sampledAt, at - sampledAt > RecordReorderer<FitTimelineItem>.jump, beganAt <= sampledAt {
            try row(.segment(at: at))
        }
        var sample = sample
        sample.distanceMetres = sample.distanceMetres.map { counter.read($0) }
        sample.at = at
        sample.elapsedMilliseconds = elapsed(at: at)
        sampledAt = at
        newest = at
        pass(to: sample.elapsedMilliseconds)
        total.add(sample)
        lap.add(sample)
        try row(.sample(sample))
    }

    /// Adds active time up to `elapsed`, in milliseconds.
    private mutating func pass(to elapsed: Int64) {
        let milliseconds = elapsed - total.figures.elapsedMilliseconds
        guard milliseconds > 0 else { return }
        total.pass(milliseconds, isAutoPaused: isAutoPaused)
        lap.pass(milliseconds, isAutoPaused: isAutoPaused)
    }

    /// Returns the active time at a moment after the timer's last change, in milliseconds.
    private func elapsed(at moment: Int64) -> Int64 {
        active + (timer == .standing ? 0 : max(moment - beganAt, 0))
    }
}

/// The laps of the track.
extension FitTrack {
    /// Closes the laps that ended before a sample and writes their rows.
    private mutating func closeLaps(before moment: Int64, _ row: (RecordingRow) throws -> Void) throws {
        while closed.count < laps.count {
            let next = laps[closed.count]
            let ended = max(next.ended(since: started), newestLap)
            guard ended < moment, !(next.endsSession && closed.count == laps.count - 1) else { return }
            if ended + Self.lateness < newest {
                close(next, at: ended, next.figures)
                areLate = true
            } else {
                pass(to: elapsed(at: ended))
                close(next, at: ended, areLate ? next.figures : lap.figures)
                lap = StretchTotals(after: lap)
                areLate = false
                try row(.lap(at: max(ended, newest), next.trigger))
            }
        }
    }

    private mutating func close(_ lap: FitLap, at ended: Int64, _ figures: Totals) {
        let began = min(max(lap.began(since: started), newestLap), ended)
        closed.append(RecordingLap(trigger: lap.trigger, beganAt: began, endedAt: ended, figures: figures))
    }

    /// Returns the closed laps; laps that were read too late for a row, with the file's totals; and the last lap.
    private mutating func allLaps() -> [RecordingLap] {
        while closed.count < laps.count - 1 {
            let next = laps[closed.count]
            close(next, at: min(max(next.ended(since: started), newestLap), newest), next.figures)
            areLate = true
        }
        // Samples may follow the last lap of the file.
        let last = closed.count < laps.count ? laps.last : nil
        let began = min(max(last?.began(since: started) ?? 0, newestLap), newest)
        let figures = areLate ? last?.figures : nil
        return closed + [
            RecordingLap(
                trigger: nil, beganAt: began, endedAt: newest, figures: figures ?? lap.figures)
        ]
    }

    private var newestLap: Int64 {
        closed.last?.endedAt ?? 0
    }
}
