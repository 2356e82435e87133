import Domain

/// The pace over about the last 5 s, between counted positions.
///
/// Source: docs/behaviour.md, "Pace, each 5 seconds".
struct PaceMeter {
    /// Seconds per metre.
    private(set) var pace: Double?
    /// The counted position that was newest at the last pace tick, and the distance there.
    private var marker: (moment: Duration, metres: Double)?

    /// Slower than 60 minutes for a kilometre is no pace.
    private static let slowest = 3.6

    /// At start, resume and a new segment: measures from here.
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

    /// The position went absent, or the run does not go on.
    mutating func clear() {
        pace = nil
    }
}
