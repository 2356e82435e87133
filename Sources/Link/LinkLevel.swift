package import JSONCoding

/// What leaves the board at most.
package enum LinkLevel: Int, CaseIterable, Comparable, Sendable {
    case none, health, coarse, position, full

    package init?(word: String) {
        guard let level = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = level
    }

    package var word: String {
        switch self {
        case .none: "none"
        case .health: "health"
        case .coarse: "coarse"
        case .position: "position"
        case .full: "full"
        }
    }

    package static func < (one: LinkLevel, other: LinkLevel) -> Bool { one.rawValue < other.rawValue }

    static let words = allCases.map(\.word).joined(separator: ", ")

    /// Members of EVENT lines and of summaries that are or tell the heart rate.
    private static let heartNames: Set = [
        "bpm", "average_bpm", "max_bpm", "energy_kcal", "trimp", "zone", "zone_name", "zone_ms", "zone_fraction", "hrv",
        "rr_1024", "badges",
    ]
    /// Members that name a place or a device of the user.
    private static let placeNames: Set = ["latitude", "longitude", "address", "name", "device", "text"]

    /// A value without the members that this level leaves out, however deep they are.
    package func reduced(_ json: JSON) -> JSON {
        if self == .full { return json }
        switch json {
        case .object(let members):
            return .object(
                members.filter { name, _ in
                    !Self.heartNames.contains(name) && (self >= .position || !Self.placeNames.contains(name))
                }.mapValues(reduced))
        case .array(let values): return .array(values.map(reduced))
        default: return json
        }
    }

    /// Whether an EVENT of a kind leaves the board.
    package func sends(event: String) -> Bool {
        switch self {
        case .none: false
        case .health: ["fault", "recorder", "clock", "link"].contains(event)
        // The others tell where the user is, an alert the heart rate.
        case .coarse: !["mark", "cue", "course", "climb", "alert"].contains(event)
        case .position: event != "alert"
        case .full: true
        }
    }
}
