import Domain

/// Measures the pace over about the last 5 s, between counted positions.
///
/// Source: docs/behaviour.md, "Pace, each 5 seconds".
struct PaceMeter {
    /// Seconds per metre.
    private(set) var pace: Double?
    /// Moment of the anchor at the last pace tick, and the distance there.
    private var marker: (moment: Duration, metres: Double)?

    /// Slowest pace, in seconds per metre: 60 minutes per kilometre.
    private static let slowest = 3.6

    /// Starts a new measurement, at start, resume and a new segment.
    mutating func seed(from anchor: TrackPoint?, metres: Double) {
        marker = anchor.map { ($0.moment, metres) }
    }

    mutating func tick(anchor: TrackPoint?, metres: Double, isStanding: Bool, isStale: Bool) {
        defer { seed(from: anchor, metres: metres) }
        pace = nil
        guard let anchor, let marker, anchor.moment > marker.moment, !isStanding, !isStale else { return }
        let covered = metres - marker.metres
        guard covered > 0 else { return }
        let value = (anchor.moment - marker.moment).inSeconds / covered
        pace = value <= Self.slowest ? value : nil
    }

    /// Called when the position becomes absent or the run pauses.
    mutating func clear() {
        pace = nil
    }
}
