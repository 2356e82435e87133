import Domain

/// The badges of an activity on foot, with the moments at which its samples exceed their distances.
///
/// Source: MoonRunner's check-points. The first badge, of 0 m, has none.
struct EarnedBadges {
    /// By distance, with the active time in milliseconds.
    private(set) var earned: [(badge: Badge, milliseconds: Int64)] = []
    private var next: Badge?

    init(_ sport: Sport) {
        next = sport.isOnFoot ? Badge.next(at: 0) : nil
    }

    /// Adds a sample; returns the last badge that it earns.
    mutating func add(_ sample: RecordingSample) -> Badge? {
        guard let metres = sample.distanceMetres, metres.isFinite else { return nil }
        let before = earned.count
        while let badge = next, metres > badge.distanceMetres {
            earned.append((badge, sample.elapsedMilliseconds))
            next = Badge.next(at: badge.distanceMetres)
        }
        return earned.count > before ? earned.last?.badge : nil
    }
}
