package import Domain

/// What a first pass over an imported file finds.
package struct FileSurvey: Sendable {
    /// Whether any of its samples states a distance.
    package private(set) var statesDistance = false
    private(set) var roughness = AltitudeRoughness()
    /// How many samples have each cadence.
    private var cadences = [Int](repeating: 0, count: 256)

    package init() {}

    package mutating func ingest(_ row: RecordingRow) {
        if case .sample(let sample) = row {
            if sample.distanceMetres != nil { statesDistance = true }
            if let cadence = sample.cadence, cadences.indices.contains(cadence) { cadences[cadence] += 1 }
        }
        roughness.ingest(row)
    }

    /// Whether the cadences on foot are steps of both feet. Files have those or the steps of one foot, and none says which: no
    /// runner makes 130 steps a minute with one foot, so the median of those above 40 decides for the whole file.
    var countsBothFeet: Bool {
        let count = cadences[41...].reduce(0, +)
        var rest = count / 2
        let median = cadences.indices[41...].first { cadence in
            rest -= cadences[cadence]
            return rest < 0
        }
        return median.map { $0 > 130 } ?? false
    }
}

/// Computes the figures of an imported recording by a run's rules, in a second pass over the file.
package struct FileFigures: Sendable {
    private var distance: FileDistance
    private var elevation: FileElevation
    private var load: FileLoad
    private var speeds: FileSpeeds
    private let countsBothFeet: Bool

    /// - Parameter recording: header of the recording, from the first pass.
    package init(_ recording: RecordedActivity, _ survey: FileSurvey) {
        distance = FileDistance(recording, isStated: survey.statesDistance)
        elevation = FileElevation(recording, survey.roughness)
        load = FileLoad(recording)
        speeds = FileSpeeds(recording)
        countsBothFeet = recording.sport.stepsPerCadence > 1 && survey.countsBothFeet
    }

    /// The user's settings, for energy and training impulse. They are set before the first row.
    package var settings: Settings {
        get { load.settings }
        set { load.settings = newValue }
    }

    /// Distance that is not counted: ``FileDistance/notCounted``.
    package var notCounted: (metres: Double, tooFast: Int, withoutTime: Int) { distance.notCounted }

    /// Ingests the next row.
    ///
    /// - Returns: The row with its figures.
    package mutating func ingest(_ row: RecordingRow) -> RecordingRow {
        var row = distance.ingest(row)
        if countsBothFeet, case .sample(var sample) = row {
            sample.cadence = sample.cadence.map { ($0 + 1) / 2 }
            row = .sample(sample)
        }
        load.ingest(row)
        speeds.ingest(row)
        return elevation.ingest(row, metres: distance.metres)
    }

    /// Ends the recording: corrects its totals.
    package mutating func finish(_ recording: inout RecordedActivity) {
        distance.finish(&recording)
        elevation.finish(&recording)
        load.finish(&recording)
        speeds.finish(&recording)
        if countsBothFeet { recording.halveCadences() }
    }
}

/// Leaves speeds that are impossible for the sport out of the maximum of an imported recording.
private struct FileSpeeds {
    private let limit: Double
    private let lapEnds: [Int64]
    private var lap = 0
    /// The maximum of each lap, within the limit.
    private var maxima: [Double?]
    private var exceeds = false

    init(_ recording: RecordedActivity) {
        limit = recording.sport.maxSpeed
        lapEnds = recording.laps.dropLast().map(\.endedAt)
        maxima = Array(repeating: nil, count: lapEnds.count + 1)
    }

    mutating func ingest(_ row: RecordingRow) {
        guard case .sample(let sample) = row, let speed = sample.speed else { return }
        while lap < lapEnds.count, lapEnds[lap] < sample.at { lap += 1 }
        if speed > limit {
            exceeds = true
        } else {
            maxima[lap] = max(speed, maxima[lap] ?? 0)
        }
    }

    func finish(_ recording: inout RecordedActivity) {
        guard exceeds else { return }
        recording.total.maximumSpeed = maxima.compactMap(\.self).max()
        for (index, speed) in maxima.enumerated() where index < recording.laps.count {
            recording.laps[index].figures.maximumSpeed = speed
        }
    }
}
