import Domain

/// Makes the rows of a recording of what a FIT file says in order, and counts the figures that they come to.
struct FitTrack {
    /// The laps as far as the file has told them; those that stand at its beginning are known before their seconds.
    var laps: [FitLap] = []
    /// Records at a second that had one before the timer stopped.
    private(set) var doubles = 0
    private(set) var longBeats = 0

    /// The file's first moment, which the others count from.
    private var started: UTC?
    private var newest: Int64 = 0
    private var timer = Timer.standing
    /// Active time before the timer began to run the last time, in milliseconds, and when it did.
    private var active: Int64 = 0
    private var beganAt: Int64 = 0
    private var sampledAt: Int64?
    private var total = ImportTotals()
    private var lap = ImportTotals()
    /// The laps that have ended, with their figures.
    private var closed: [RecordingLap] = []
    /// Laps were told too late to count for themselves what they came to.
    private var areLate = false
    /// Beats that came before the first moment.
    private var early: [[Int64]] = []

    private enum Timer {
        case standing
        /// An event said so, or the file has none.
        case running
        /// A record after the timer stopped says so, and those close behind it.
        case stray
    }

    /// Devices write a lap a little after its end, in milliseconds.
    private static let lateness: Int64 = 10_000

    /// Stray records that are farther apart do not belong together, in milliseconds.
    private static let strayStep: Int64 = 10_000

    /// Beats before the first record or event; more than a few are left out.
    mutating func add(_ beats: [Int64]) {
        if early.count < 16 { early.append(beats) }
    }

    mutating func ingest(_ moment: FitTimelineItem, at time: UTC, _ row: (RecordingRow) throws -> Void) throws {
        let start = started ?? time
        started = start
        let at = max(time.milliseconds - start.milliseconds, newest)
        guard at <= TrackRows.longest else { throw FileError.tooLong(from: start, to: time) }
        if timer == .stray, let sampledAt, at - sampledAt > Self.strayStep { try end(at: sampledAt, .auto, row) }
        switch moment.kind {
        case .start(let trigger): try begin(at: at, trigger, row)
        case .stop(let trigger): try end(at: at, trigger, row)
        case .record(let values): try sample(values.sample, at: at, row)
        }
        for beats in early + moment.beats { try self.beats(beats, row) }
        early = []
    }

    /// Nil where there was no record.
    mutating func finish(_ head: FitSummary, _ row: (RecordingRow) throws -> Void) throws -> RecordedActivity? {
        guard let started, sampledAt != nil else { return nil }
        if timer != .standing { try end(at: newest, .command, row) }
        var recording = RecordedActivity(sport: head.sport ?? laps.first?.sport ?? .other, started: started)
        recording.isTimeUncertain = started.milliseconds < (Fit.firstTime + Fit.epoch) * 1000
        recording.isIndoor = head.isIndoor
        recording.totalMilliseconds = newest
        recording.total = total.figures
        recording.laps = allLaps()
        recording.strap = head.strap
        recording.claim = head.claim
        return recording
    }

    private mutating func begin(
        at: Int64, _ trigger: RecordingRow.TimerTrigger, _ row: (RecordingRow) throws -> Void
    ) throws {
        if timer == .stray { try end(at: sampledAt ?? at, .auto, row) }
        guard timer == .standing else { return }
        timer = .running
        beganAt = at
        newest = at
        try row(.begin(at: at, trigger))
    }

    private mutating func end(
        at: Int64, _ trigger: RecordingRow.TimerTrigger, _ row: (RecordingRow) throws -> Void
    ) throws {
        guard timer != .standing else { return }
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
        if timer == .standing {
            // The timer ran, or there would be no record. Devices write one as they wake from a pause.
            let isStray = sampledAt != nil
            try begin(at: at, isStray ? .auto : .command, row)
            if isStray { timer = .stray }
        }
        try closeLaps(before: at, row)
        if let sampledAt, at - sampledAt > RecordReorderer<FitTimelineItem>.jump, beganAt <= sampledAt {
            try row(.segment(at: at))
        }
        var sample = sample
        sample.at = at
        sample.elapsedMilliseconds = elapsed(at: at)
        sampledAt = at
        newest = at
        pass(to: sample.elapsedMilliseconds)
        total.add(sample)
        lap.add(sample)
        try row(.sample(sample))
    }

    private mutating func beats(_ milliseconds: [Int64], _ row: (RecordingRow) throws -> Void) throws {
        let units = milliseconds.filter { $0 > 0 }.map { ($0 * 1024 + 500) / 1000 }
        let rr = units.compactMap { UInt16(exactly: $0) }
        longBeats += units.count - rr.count
        if !rr.isEmpty { try row(.beats(at: newest, rr: rr, gap: false)) }
    }

    /// Counts the active time up to so much of it, in milliseconds.
    private mutating func pass(to elapsed: Int64) {
        let milliseconds = elapsed - total.figures.elapsedMilliseconds
        guard milliseconds > 0 else { return }
        total.pass(milliseconds)
        lap.pass(milliseconds)
    }

    /// Active time up to a moment that is not before the timer's last change, in milliseconds.
    private func elapsed(at moment: Int64) -> Int64 {
        active + (timer == .standing ? 0 : max(moment - beganAt, 0))
    }
}

/// The laps.
extension FitTrack {
    /// Gives the laps that are known to have ended before a sample their rows.
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
                lap = ImportTotals(after: lap)
                areLate = false
                try row(.lap(at: max(ended, newest), next.trigger))
            }
        }
    }

    private mutating func close(_ lap: FitLap, at ended: Int64, _ figures: Totals) {
        let began = min(max(lap.began(since: started), newestLap), ended)
        closed.append(RecordingLap(trigger: lap.trigger, beganAt: began, endedAt: ended, figures: figures))
    }

    /// Those with rows, those that the file told too late for that, with its own figures, and the one that the end ended.
    private mutating func allLaps() -> [RecordingLap] {
        while closed.count < laps.count - 1 {
            let next = laps[closed.count]
            close(next, at: min(max(next.ended(since: started), newestLap), newest), next.figures)
            areLate = true
        }
        // Samples may have come after the last one that the file told.
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
