package import Domain
import Formats
import Pipeline
package import Report

extension HiddenRows {
    /// The header of a recording for its visible rows. All of it is computed from them, or names what they have in common
    /// with the whole: sport, name, kinds of sensors, zones.
    ///
    /// The energy and the training impulse are counted by the strap and from all rows; the course, the weather and the
    /// totals of the device belong to the start. They are left out.
    ///
    /// - Throws: ``Failure`` if no position is visible.
    package func header(of whole: RecordedActivity, hidden radius: Int) throws -> RecordedActivity {
        guard let length else {
            throw Failure.failed(
                "activity \(whole.id ?? 0) has no position outside of its hidden places of \(radius) m: nothing is left of it; "
                    + "a smaller --hide shows a part, and --hide 0 all")
        }
        var recording = RecordedActivity(
            sport: whole.sport, started: UTC(milliseconds: whole.started.milliseconds + start))
        recording.id = whole.id
        recording.isIndoor = whole.isIndoor
        recording.isDemo = whole.isDemo
        recording.name = whole.name
        recording.isTimeUncertain = whole.isTimeUncertain
        recording.isTimeGuessed = whole.isTimeGuessed
        recording.sensors = whole.anonymous.sensors
        recording.fields = whole.fields
        recording.marks = shown(whole.marks)
        recording.altitudeSource = whole.altitudeSource
        recording.totalMilliseconds = length
        var total = RowTotals(countsPauses: whole.total.autoPausedMilliseconds != nil)
        var laps: [Totals] = []
        var lap = total
        var times = whole.zones.map { RecordingZoneTimes($0) }
        try each { row in
            times?.ingest(row)
            total.ingest(row)
            lap.ingest(row)
            guard case .lap = row else { return }
            laps.append(lap.figures)
            lap = RowTotals(after: lap)
        }
        laps.append(lap.figures)
        recording.total = total.figures
        recording.zones = whole.zones
        recording.zoneMilliseconds = times?.milliseconds ?? []
        let edges = [0] + marks + [length]
        recording.laps = laps.indices.map { index in
            RecordingLap(
                trigger: index < marks.count ? .command : nil, beganAt: edges[index], endedAt: edges[index + 1],
                figures: laps[index])
        }
        recording.countBothFeet()
        return recording
    }
}

/// The totals of a part of the rows of a recording.
private struct RowTotals {
    private var stretch = StretchTotals()
    private var elapsed: Int64 = 0
    private var isAutoPaused = false
    private var climb: (ascent: Double?, descent: Double?)
    /// The climb before the part.
    private var base = (ascent: 0.0, descent: 0.0)
    private let countsPauses: Bool

    init(countsPauses: Bool) {
        self.countsPauses = countsPauses
    }

    /// The part after another one.
    init(after other: RowTotals) {
        self = other
        stretch = StretchTotals(after: other.stretch)
        base = (other.climb.ascent ?? other.base.ascent, other.climb.descent ?? other.base.descent)
        climb = (nil, nil)
    }

    mutating func ingest(_ row: RecordingRow) {
        switch row {
        case .autoPause(_, let elapsed):
            pass(to: elapsed)
            isAutoPaused = true
        case .autoResume(_, let elapsed):
            pass(to: elapsed)
            isAutoPaused = false
        case .sample(let sample):
            pass(to: sample.elapsedMilliseconds)
            stretch.add(sample)
            climb = (sample.ascent ?? climb.ascent, sample.descent ?? climb.descent)
        case .begin, .end, .beats, .lap, .segment: break
        }
    }

    private mutating func pass(to elapsed: Int64) {
        stretch.pass(max(elapsed - self.elapsed, 0), isAutoPaused: isAutoPaused)
        self.elapsed = max(elapsed, self.elapsed)
    }

    var figures: Totals {
        var figures = stretch.figures
        if countsPauses { figures.autoPausedMilliseconds = figures.autoPausedMilliseconds ?? 0 }
        figures.ascent = climb.ascent.map { max($0 - base.ascent, 0) }
        figures.descent = climb.descent.map { max($0 - base.descent, 0) }
        return figures
    }
}
