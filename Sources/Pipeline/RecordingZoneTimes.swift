package import Domain

/// Computes the active time in each heart-rate zone from the rows of a recording.
///
/// A heart rate counts for the active time before its sample, as in the averages of imports, at most 10 s.
package struct RecordingZoneTimes {
    package let zones: Zones
    /// In zones 0 to 5.
    package private(set) var milliseconds = [Int64](repeating: 0, count: 6)
    private var elapsed: Int64 = 0

    /// Some files have few samples.
    private static let longest: Int64 = 10_000

    package init(_ zones: Zones) {
        self.zones = zones
    }

    package mutating func ingest(_ row: RecordingRow) {
        guard case .sample(let sample) = row else { return }
        let time = sample.elapsedMilliseconds - elapsed
        elapsed = max(sample.elapsedMilliseconds, elapsed)
        guard let rate = sample.heartRate, time > 0 else { return }
        milliseconds[zones.zone(of: rate)] += min(time, Self.longest)
    }
}
