package import Domain

/// What a first pass over an imported file finds.
package struct FileSurvey: Sendable {
    /// Whether any of its samples states a distance.
    package private(set) var statesDistance = false
    private(set) var roughness = AltitudeRoughness()

    package init() {}

    package mutating func ingest(_ row: RecordingRow) {
        if case .sample(let sample) = row, sample.distanceMetres != nil { statesDistance = true }
        roughness.ingest(row)
    }
}

/// Computes the figures of an imported recording by a run's rules, in a second pass over the file.
package struct FileFigures: Sendable {
    private var distance: FileDistance
    private var elevation: FileElevation
    private var load: FileLoad

    /// - Parameter recording: header of the recording, from the first pass.
    package init(_ recording: RecordedActivity, _ survey: FileSurvey) {
        distance = FileDistance(recording, isStated: survey.statesDistance)
        elevation = FileElevation(recording, survey.roughness)
        load = FileLoad(recording)
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
        let row = distance.ingest(row)
        load.ingest(row)
        return elevation.ingest(row, metres: distance.metres)
    }

    /// Ends the recording: corrects its totals.
    package mutating func finish(_ recording: inout RecordedActivity) {
        distance.finish(&recording)
        elevation.finish(&recording)
        load.finish(&recording)
    }
}
