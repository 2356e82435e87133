package import Domain

/// Computes the distance of an imported recording by a run's rules, at the file's own
/// times. The totals that the file states stay beside it (``RecordedActivity/sourceTotals``).
///
///     rows that state a distance ──▶ DistanceLimit ──▶ the same rows without impossible metres
///     rows with positions only ────▶ TrackDistance ──▶ the recording's total
///     laps alone ──────────────────▶ DistanceLimit ──▶ laps, total
///     the file's total alone ──────▶ DistanceLimit ──▶ total
///
/// A stated distance comes from a wheel, a foot pod or a device's own filter: it is not compared with the positions. Samples and
/// positions that differ by more than 2 % from the total of the session, or of the laps, give way to it: the stored totals are
/// what the athlete did.
package struct FileDistance: Sendable {
    private let isStated: Bool
    private let sport: Sport
    /// Whether the samples get the distance of the positions: that of a replay would be that of a run.
    private let isSwim: Bool
    private var track: TrackDistance
    private var hasTrack = false
    private var timerRuns = false
    private var limit: DistanceLimit
    /// The greatest stated distance, and the moment of the last one, in milliseconds.
    private var stated = 0.0
    private var statedAt: Int64 = 0
    /// End of each lap but the last, and the lap of the newest row.
    private let lapEnds: [Int64]
    private var lap = 0
    /// Stated metres that were rejected, of each lap and in total.
    private var refused: [Double]
    private var refusedMetres = 0.0
    /// The marks whose distance the file does not state, and how many have got one.
    private var marks: [RecordedMark]
    private var measuredMarks = 0

    /// - Parameters:
    ///   - recording: Header of the recording, from a first pass over the file.
    ///   - isStated: Whether any of its samples states a distance.
    package init(_ recording: RecordedActivity, isStated: Bool) {
        self.isStated = isStated
        sport = recording.sport
        isSwim = recording.isSwim
        track = TrackDistance(recording)
        limit = DistanceLimit(fastest: sport.maxSpeed, at: Instant(milliseconds: 0))
        lapEnds = recording.laps.dropLast().map(\.endedAt)
        refused = Array(repeating: 0, count: lapEnds.count + 1)
        marks = recording.marks
    }

    /// Stated metres that are impossible for the sport, and rejected positions (``TrackDistance/refused``).
    package var notCounted: (metres: Double, tooFast: Int, withoutTime: Int) {
        (refusedMetres, track.refused.speed, track.refused.time)
    }

    /// Metres up to the newest row.
    var metres: Double {
        isStated ? max(stated - refusedMetres, 0) : track.metres
    }

    /// Ingests the next row.
    ///
    /// - Returns: The row, with its distance corrected.
    package mutating func ingest(_ row: RecordingRow) -> RecordingRow {
        let row = measure(row)
        while measuredMarks < marks.count, marks[measuredMarks].at <= row.at {
            if marks[measuredMarks].distanceMetres == 0 { marks[measuredMarks].distanceMetres = metres }
            measuredMarks += 1
        }
        return row
    }

    private mutating func measure(_ row: RecordingRow) -> RecordingRow {
        guard isStated else {
            if case .sample(let sample) = row, sample.coordinate != nil { hasTrack = true }
            track.ingest(row)
            guard isSwim, case .sample(var sample) = row else { return row }
            sample.distanceMetres = track.metres
            return .sample(sample)
        }
        switch row {
        case .begin: timerRuns = true
        case .end: timerRuns = false
        default: break
        }
        guard case .sample(var sample) = row, let metres = sample.distanceMetres else { return row }
        guard timerRuns else {
            // What is covered in a pause comes with the next sample after it.
            sample.distanceMetres = max(metres - refusedMetres, 0)
            return .sample(sample)
        }
        while lap < lapEnds.count, lapEnds[lap] < sample.at { lap += 1 }
        let step = max(metres - stated, 0)
        let allowed = limit.allow(
            step, over: .milliseconds(sample.at - statedAt), until: Instant(milliseconds: sample.at), isWhole: true)
        stated = max(stated, metres)
        statedAt = sample.at
        if allowed < step {
            refused[lap] += step - allowed
            refusedMetres += step - allowed
        }
        if refusedMetres > 0 { sample.distanceMetres = max(metres - refusedMetres, 0) }
        return .sample(sample)
    }

    /// The greatest part by which the samples may differ from the file's own total.
    private static let tolerance = 0.02

    /// Ends the recording: corrects its totals.
    package mutating func finish(_ recording: inout RecordedActivity) {
        track.finish()
        recording.marks = marks
        var limit = DistanceLimit(fastest: sport.maxSpeed, at: Instant(milliseconds: 0))
        var sum = 0.0
        for (index, lap) in recording.laps.enumerated() {
            // A lap may have the totals that the file states.
            let metres = lap.figures.distanceMetres - (index < refused.count ? refused[index] : 0)
            let allowed = limit.allow(
                metres, over: .milliseconds(lap.endedAt - lap.beganAt), until: Instant(milliseconds: lap.endedAt),
                isWhole: true)
            recording.laps[index].figures.distanceMetres = allowed
            sum += allowed
        }
        if isStated {
            recording.total.distanceMetres -= refusedMetres
        } else if hasTrack {
            recording.total.distanceMetres = track.metres
            if recording.laps.count == 1 { recording.laps[0].figures.distanceMetres = track.metres }
        } else if sum == 0, let metres = recording.sourceTotals?.distanceMetres {
            // Only the file's own totals have a distance, as of a treadmill and of a pool.
            let time = recording.totalMilliseconds
            let allowed = limit.allow(
                metres, over: .milliseconds(time), until: Instant(milliseconds: time), isWhole: true)
            recording.total.distanceMetres = allowed
            if recording.laps.count == 1 { recording.laps[0].figures.distanceMetres = allowed }
        } else {
            recording.total.distanceMetres = sum
        }
        if isStated || hasTrack { preferStated(&recording) }
    }

    /// Steps beyond the limit of the sport that the total of the file includes do not count for it.
    private func preferStated(_ recording: inout RecordedActivity) {
        let measured = recording.total.distanceMetres
        guard let total = recording.sourceTotals?.distanceMetres, total > 0,
            abs(measured + refusedMetres - total) > total * Self.tolerance
        else { return }
        var limit = DistanceLimit(fastest: sport.maxSpeed, at: Instant(milliseconds: 0))
        let time = recording.totalMilliseconds
        let allowed = limit.allow(total, over: .milliseconds(time), until: Instant(milliseconds: time), isWhole: true)
        guard allowed > 0 else { return }
        recording.sourceTotals?.sampleMetres = measured
        recording.total.distanceMetres = allowed
        for index in recording.laps.indices where measured > 0 {
            recording.laps[index].figures.distanceMetres *= allowed / measured
        }
        if measured == 0, recording.laps.count == 1 { recording.laps[0].figures.distanceMetres = allowed }
    }
}
