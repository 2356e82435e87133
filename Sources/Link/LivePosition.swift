import Domain
import JSONCoding
import Report

/// Which position leaves the board now: the present one, an old and coarse one, or none.
struct LivePosition {
    /// A coarse position is this old at least, and rounded to 0.01 degrees: about a kilometre.
    private static let delay = Duration.seconds(600)
    /// One is kept each 30 s until it is old enough.
    private static let spacing = Duration.seconds(30)

    private let level: LinkLevel
    private var kept: [(at: Instant, position: JSON)] = []
    private var coarse: JSON?

    init(_ level: LinkLevel) { self.level = level }

    /// - Parameter hidden: the places in which no position is sent; nil if none are hidden.
    mutating func ingest(_ state: JSON, hidden: HiddenPlaces?, at now: Instant) -> JSON? {
        let position = Self.fresh(state).flatMap { position in
            hidden?.contains(position.place) ?? false ? nil : position.json
        }
        guard level == .coarse else { return level > .coarse ? position : nil }
        if let position, kept.last.map({ now - $0.at >= Self.spacing }) ?? true {
            kept.append((now, Self.rounded(position)))
        }
        while let first = kept.first, now - first.at >= Self.delay {
            coarse = first.position
            kept.removeFirst()
        }
        return coarse
    }

    /// The position of a STATE line that is not stale.
    static func fresh(_ state: JSON) -> (json: JSON, place: Coordinate)? {
        guard let position = state["position"], position["stale"]?.bool == false,
            let latitude = position["latitude"]?.number, let longitude = position["longitude"]?.number
        else { return nil }
        return (position, Coordinate(latitude: latitude, longitude: longitude))
    }

    private static func rounded(_ position: JSON) -> JSON {
        func rounded(_ value: JSON?) -> JSON { .real(((value?.number ?? 0) * 100).rounded() / 100) }
        return .object([
            "latitude": rounded(position["latitude"]), "longitude": rounded(position["longitude"]),
            "accuracy_m": .integer(1000), "stale": .bool(false), "age_ms": .integer(Int64(delay.wholeMilliseconds)),
        ])
    }
}
