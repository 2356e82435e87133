package import Domain
import Pipeline

/// Decides when to search again for the places around a moving athlete, and when to announce drinking water.
///
///     unwanted ──▶ due ──▶ searching ──▶ waiting: for 10 min, for three quarters of the radius, or after a failure
///        ▲          ▲                      │
///        └──────────┴──────────────────────┘
///
/// The follower announces a place with water once, when the athlete comes within the distance of the notice. It announces
/// the place again only after the athlete was more than twice that distance away. If several places come near at once, it
/// announces the nearest one.
package struct PlacesFollower: Sendable {
    package struct Water: Equatable, Sendable {
        package var id: Int64
        package var place: Coordinate
        package var name: String?

        package init(id: Int64, place: Coordinate, name: String? = nil) {
            self.id = id
            self.place = place
            self.name = name
        }
    }

    package enum Action: Equatable, Sendable {
        /// Search for places within `radius` metres of the coordinate, then call ``received(_:at:)``.
        case search(Coordinate, radius: Double)
        /// Tell the athlete that drinking water is near. `metres` is the straight-line distance to it.
        case waterIsNear(Water, metres: Double)
    }

    package static let interval = Duration.seconds(600)
    package static let retryInterval = Duration.seconds(60)
    /// Part of the radius after which to search again.
    package static let movement = 0.75
    /// Of the places with water of one search, the nearest ones are kept.
    package static let waterLimit = 1000
    package static let radii = 100.0...100_000.0

    /// Metres.
    package let radius: Double
    /// Metres; nil for no notices.
    package let notice: Double?

    private var isWanted = false
    private var place: Coordinate?
    private var isSearching = false
    /// The place of the last search that began.
    private var searchedAt: Coordinate?
    private var nextAt: Instant?
    private var water: [Water] = []
    private var announced: [Water] = []

    /// - Parameters:
    ///   - radius: metres, limited to ``radii``. It is at least four times `notice`, so that a place comes within the
    ///     distance of the notice after a search has found it.
    ///   - notice: metres, limited to a quarter of the largest radius; nil for no notices.
    package init(radius: Double, notice: Double? = nil) {
        let notice = notice.map { min(max($0, 0), Self.radii.upperBound / 4) }
        self.notice = notice
        self.radius = min(max(radius, 4 * (notice ?? 0), Self.radii.lowerBound), Self.radii.upperBound)
    }

    /// When ``tick(at:)`` must be called next.
    package var deadline: Instant? {
        isWanted && !isSearching && place != nil ? nextAt : nil
    }

    /// - Parameter wanted: whether a client watches the places, or a run needs notices.
    package mutating func want(_ wanted: Bool, at now: Instant) -> [Action] {
        guard wanted != isWanted else { return [] }
        isWanted = wanted
        return follow(at: now)
    }

    package mutating func move(to place: Coordinate, at now: Instant) -> [Action] {
        self.place = place
        return follow(at: now)
    }

    /// Starts a search that is due.
    package mutating func tick(at now: Instant) -> [Action] {
        follow(at: now)
    }

    /// Takes the result of a search: the places with water, or nil if the search failed.
    package mutating func received(_ found: [Water]?, at now: Instant) -> [Action] {
        guard isSearching else { return [] }
        isSearching = false
        nextAt = now + (found == nil ? Self.retryInterval : Self.interval)
        if let found {
            water = found.count > Self.waterLimit ? nearest(found) : found
        } else {
            // After a failure the retry interval decides, not the distance that the athlete has moved since.
            searchedAt = place
        }
        return follow(at: now)
    }

    private func nearest(_ found: [Water]) -> [Water] {
        guard let searchedAt else { return [] }
        let ways = found.map { (water: $0, metres: searchedAt.metres(to: $0.place)) }
        return ways.sorted { ($0.metres, $0.water.id) < ($1.metres, $1.water.id) }.prefix(Self.waterLimit).map(\.water)
    }

    private mutating func follow(at now: Instant) -> [Action] {
        guard isWanted, let place else { return [] }
        var actions = announce(at: place)
        guard !isSearching else { return actions }
        let isAway = searchedAt.map { $0.metres(to: place) >= radius * Self.movement } ?? true
        if isAway || (nextAt ?? now) <= now {
            isSearching = true
            searchedAt = place
            nextAt = nil
            actions.append(.search(place, radius: radius))
        }
        return actions
    }

    private mutating func announce(at place: Coordinate) -> [Action] {
        guard let notice else { return [] }
        announced.removeAll { place.metres(to: $0.place) > 2 * notice }
        let near = water.compactMap { water -> (water: Water, metres: Double)? in
            let metres = place.metres(to: water.place)
            return metres <= notice && !announced.contains { $0.id == water.id } ? (water, metres) : nil
        }
        announced += near.map(\.water)
        return near.min { $0.metres < $1.metres }.map { [.waterIsNear($0.water, metres: $0.metres)] } ?? []
    }
}
