/// A badge for the distance of one activity on foot.
///
/// Source: the table of MoonRunner: steps of half a mile up to 6 miles, of a mile up to 25 miles, then the marathon.
package struct Badge: Equatable, Sendable {
    package var name: String
    /// An activity earns the badge when its distance is greater than this, in metres.
    package var distanceMetres: Double

    /// All 33 badges, by ascending distance.
    package static let all: [Badge] = [
        Badge("Earth", miles: 0), Badge("Earth's Atmosphere", miles: 0.5), Badge("The Moon", miles: 1),
        Badge("Earth's Magnetotail", miles: 1.5), Badge("Mars", miles: 2), Badge("Phobos", miles: 2.5),
        Badge("Deimos", miles: 3), Badge("The Asteroid Belt", miles: 3.5), Badge("Ceres", miles: 4),
        Badge("Jupiter", miles: 4.5), Badge("Io", miles: 5), Badge("Europa", miles: 5.5),
        Badge("Ganymede", miles: 6), Badge("Callisto", miles: 7), Badge("Saturn", miles: 8),
        Badge("Mimas", miles: 9), Badge("Enceladus", miles: 10), Badge("Tethys", miles: 11),
        Badge("Dione", miles: 12), Badge("Rhea", miles: 13), Badge("Titan", miles: 14),
        Badge("Iapetus", miles: 15), Badge("Uranus", miles: 16), Badge("Miranda", miles: 17),
        Badge("Ariel", miles: 18), Badge("Umbriel", miles: 19), Badge("Titania", miles: 20),
        Badge("Oberon", miles: 21), Badge("Neptune", miles: 22), Badge("Triton", miles: 23),
        Badge("The Kuiper Belt", miles: 24), Badge("Pluto", miles: 25),
        Badge(name: "Interstellar Space", distanceMetres: 42_195),
    ]

    private init(_ name: String, miles: Double) {
        self.init(name: name, distanceMetres: miles * 1609.344)
    }

    private init(name: String, distanceMetres: Double) {
        self.name = name
        self.distanceMetres = distanceMetres
    }

    /// The next badge of a run of this distance: the first one whose distance is greater. Nil beyond the last badge,
    /// and for a distance that is not a number.
    package static func next(at distanceMetres: Double) -> Badge? {
        all.first { distanceMetres < $0.distanceMetres }
    }

    /// The last badge that an activity of this distance earns; nil without movement.
    package static func last(at distanceMetres: Double) -> Badge? {
        all.last { distanceMetres > $0.distanceMetres }
    }
}

/// The activities that earned a badge and its silver and gold grades.
package struct BadgeStatus: Equatable, Sendable {
    /// The average speed over the elapsed time must exceed that of the earning activity by these factors.
    ///
    /// Source: MoonRunner.
    package static let silverFactor = 1.05
    package static let goldFactor = 1.10

    /// One activity on foot.
    package struct Effort: Equatable, Sendable {
        package var activity: Int
        package var distanceMetres: Double
        package var elapsedMilliseconds: Int64

        package init(activity: Int, distanceMetres: Double, elapsedMilliseconds: Int64) {
            self.activity = activity
            self.distanceMetres = distanceMetres
            self.elapsedMilliseconds = elapsedMilliseconds
        }

        /// Metres per second of elapsed time. Nil without a time or with a distance that is no positive number.
        package var speed: Double? {
            guard elapsedMilliseconds > 0, distanceMetres > 0, distanceMetres.isFinite else { return nil }
            return distanceMetres * 1000 / Double(elapsedMilliseconds)
        }
    }

    package let badge: Badge
    /// The first activity that exceeds the badge's distance.
    package private(set) var earned: Effort?
    /// The first activity after `earned` that is faster than it by more than ``silverFactor``.
    package private(set) var silver: Effort?
    /// The first activity after `earned` that is faster than it by more than ``goldFactor``.
    package private(set) var gold: Effort?
    /// The fastest activity that exceeds the badge's distance, the earliest of equal ones.
    package private(set) var best: Effort?

    package init(_ badge: Badge) {
        self.badge = badge
    }

    /// Adds an activity. The oldest activity comes first.
    package mutating func add(_ effort: Effort) {
        guard let speed = effort.speed, effort.distanceMetres > badge.distanceMetres else { return }
        guard let earnedSpeed = earned?.speed, let bestSpeed = best?.speed else {
            earned = effort
            best = effort
            return
        }
        if silver == nil, speed > earnedSpeed * Self.silverFactor { silver = effort }
        if gold == nil, speed > earnedSpeed * Self.goldFactor { gold = effort }
        if speed > bestSpeed { best = effort }
    }

    /// The status of each badge.
    ///
    /// - Parameter efforts: activities on foot, the oldest first.
    package static func all(of efforts: some Sequence<Effort>) -> [BadgeStatus] {
        var statuses = Badge.all.map(BadgeStatus.init)
        for effort in efforts {
            for index in statuses.indices { statuses[index].add(effort) }
        }
        return statuses
    }
}
