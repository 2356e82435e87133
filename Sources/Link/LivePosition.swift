package import Domain
package import JSONCoding
package import Report

/// Which position leaves the board now: the present one, an old and coarse one, or none.
package struct LivePosition {
    /// A coarse position is this old at least, and rounded to 0.01 degrees: about a kilometre.
    private static let delay = Duration.seconds(600)
    /// One is kept each 30 s until it is old enough.
    private static let spacing = Duration.seconds(30)

    private let level: LinkLevel
    private var kept: [(at: Instant, position: JSON)] = []
    /// A position that is old enough, until a newer one is.
    private var coarse: (at: Instant, position: JSON)?

    package init(_ level: LinkLevel) { self.level = level }

    /// - Parameter hidden: the places in which no position is sent; nil if none are hidden.
    package mutating func ingest(_ state: JSON, hidden: HiddenPlaces?, at now: Instant) -> JSON? {
        let position = Self.fresh(state).flatMap { position in
            hidden?.contains(position.place) ?? false ? nil : position.json
        }
        guard level == .coarse else { return level > .coarse ? position : nil }
        if let position, kept.last.map({ now - $0.at >= Self.spacing }) ?? true {
            kept.append((now, position))
        }
        while let first = kept.first, now - first.at >= Self.delay {
            coarse = first
            kept.removeFirst()
        }
        // The receiver was silent then.
        if let coarse, now - coarse.at > Self.delay + Self.spacing * 2 { self.coarse = nil }
        return coarse.map { Self.rounded($0.position, age: now - $0.at) }
    }

    /// The position of a STATE line that is not stale.
    static func fresh(_ state: JSON) -> (json: JSON, place: Coordinate)? {
        guard let position = state["position"], position["stale"]?.bool == false,
            let latitude = position["latitude"]?.number, let longitude = position["longitude"]?.number
        else { return nil }
        return (position, Coordinate(latitude: latitude, longitude: longitude))
    }

    private static func rounded(_ position: JSON, age: Duration) -> JSON {
        func rounded(_ value: JSON?) -> JSON { .real(((value?.number ?? 0) * 100).rounded() / 100) }
        return .object([
            "latitude": rounded(position["latitude"]), "longitude": rounded(position["longitude"]),
            "accuracy_m": .integer(1000), "stale": .bool(false), "age_ms": .integer(Int64(age.wholeMilliseconds)),
        ])
    }
}
