import Domain

/// Measures the pace over about the last 5 s, between counted positions or by a sensor's distance.
///
/// Source: docs/behaviour.md, "Pace, each 5 seconds".
struct PaceMeter {
    /// Seconds per metre.
    private(set) var pace: Double?
    /// Moment of the anchor or of the sensor's tick at the last pace tick, and the distance there.
    private var marker: (moment: Duration, metres: Double)?

    /// Slowest pace, in seconds per metre: 60 minutes per kilometre.
    private static let slowest = 3.6

    /// Starts a new measurement, at start, resume and a new segment.
    mutating func seed(from moment: Duration?, metres: Double) {
        marker = moment.map { ($0, metres) }
    }

    mutating func tick(at moment: Duration?, metres: Double, isStanding: Bool, isStale: Bool) {
        defer { seed(from: moment, metres: metres) }
        pace = nil
        guard let moment, let marker, moment > marker.moment, !isStanding, !isStale else { return }
        let covered = metres - marker.metres
        guard covered > 0 else { return }
        let value = (moment - marker.moment).inSeconds / covered
        pace = value <= Self.slowest ? value : nil
    }

    /// Called when the position becomes absent or the run pauses.
    mutating func clear() {
        pace = nil
    }
}
