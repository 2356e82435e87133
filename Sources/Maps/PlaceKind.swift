/// The kinds of places.
///
/// The numbers are those of `places.db`: a change needs a new ``PlacesSchema`` version.
package enum PlaceKind: Int, CaseIterable, Sendable {
    case water = 1
    case toilets, shelter, food
    case bicycleShop, repairStation, pump
    case pharmacy, hospital, defibrillator
    case station, viewpoint, park, garden, playground, bench
    // Of the search by text only.
    case settlement, street, address

    /// The name that users give and read.
    package var name: String {
        switch self {
        case .water: "water"
        case .toilets: "toilets"
        case .shelter: "shelter"
        case .food: "food"
        case .bicycleShop: "bicycle-shop"
        case .repairStation: "repair-station"
        case .pump: "pump"
        case .pharmacy: "pharmacy"
        case .hospital: "hospital"
        case .defibrillator: "aed"
        case .station: "station"
        case .viewpoint: "viewpoint"
        case .park: "park"
        case .garden: "garden"
        case .playground: "playground"
        case .bench: "bench"
        case .settlement: "place"
        case .street: "street"
        case .address: "address"
        }
    }

    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Whether the place is searched by its position. The others are searched by text only.
    package var isPointOfInterest: Bool { rawValue <= Self.bench.rawValue }

    /// Parses names of points of interest with commas between; nil if one is unknown.
    package static func pointsOfInterest(named text: String) -> Set<PlaceKind>? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = names.compactMap { PlaceKind(name: String($0)) }.filter(\.isPointOfInterest)
        return kinds.count == names.count ? Set(kinds) : nil
    }

    /// The kinds that are searched by position.
    package static let pointsOfInterest = allCases.filter(\.isPointOfInterest)
    /// The kinds of a search that names none. Benches would displace the others.
    package static let common = pointsOfInterest.filter { $0 != .bench }
}

/// A tag of OpenStreetMap that makes an element a place of a kind.
///
/// Source: wiki.openstreetmap.org/wiki/Map_features.
package struct PlaceRule: Sendable {
    package let kind: PlaceKind
    package let key: String
    /// Empty for any value.
    package let values: [String]
    /// A tag that the element needs as well.
    package let needed: (key: String, value: String)?

    private init(_ kind: PlaceKind, _ key: String, _ values: [String], needing needed: (String, String)? = nil) {
        self.kind = kind
        self.key = key
        self.values = values
        self.needed = needed.map { (key: $0.0, value: $0.1) }
    }

    /// All of them. Settlements and streets need a name too; addresses need a street or a place.
    package static let all = [
        PlaceRule(.water, "amenity", ["drinking_water", "water_point"]),
        PlaceRule(.water, "amenity", ["fountain"], needing: ("drinking_water", "yes")),
        PlaceRule(.water, "man_made", ["water_tap", "water_well"], needing: ("drinking_water", "yes")),
        PlaceRule(.water, "natural", ["spring"], needing: ("drinking_water", "yes")),
        PlaceRule(.toilets, "amenity", ["toilets"]),
        // Toilets within a restaurant, a station and the like.
        PlaceRule(.toilets, "toilets", ["yes"]),
        PlaceRule(.shelter, "amenity", ["shelter"]),
        PlaceRule(.shelter, "tourism", ["wilderness_hut"]),
        PlaceRule(
            .food, "amenity",
            ["restaurant", "cafe", "fast_food", "food_court", "ice_cream", "pub", "bar", "biergarten"]),
        PlaceRule(.food, "shop", ["supermarket", "convenience", "bakery", "greengrocer"]),
        PlaceRule(.food, "tourism", ["alpine_hut"]),
        PlaceRule(.bicycleShop, "shop", ["bicycle"]),
        PlaceRule(.repairStation, "amenity", ["bicycle_repair_station"]),
        PlaceRule(.pump, "amenity", ["compressed_air"]),
        PlaceRule(.pump, "service:bicycle:pump", ["yes"]),
        PlaceRule(.pharmacy, "amenity", ["pharmacy"]),
        PlaceRule(.hospital, "amenity", ["hospital"]),
        PlaceRule(.defibrillator, "emergency", ["defibrillator"]),
        PlaceRule(.station, "railway", ["station", "halt"]),
        PlaceRule(.station, "amenity", ["bus_station"]),
        PlaceRule(.viewpoint, "tourism", ["viewpoint"]),
        PlaceRule(.park, "leisure", ["park"]),
        PlaceRule(.garden, "leisure", ["garden"]),
        PlaceRule(.playground, "leisure", ["playground"]),
        PlaceRule(.bench, "amenity", ["bench"]),
        PlaceRule(.settlement, "place", settlements),
        PlaceRule(.street, "highway", []),
        PlaceRule(.address, "addr:housenumber", []),
    ]

    /// The most important ones first.
    package static let settlements = [
        "city", "town", "village", "suburb", "borough", "quarter", "neighbourhood", "hamlet", "isolated_dwelling",
        "locality",
    ]

    /// The expressions for `osmium tags-filter`: elements with any of the tags. Streets are ways.
    package static let osmiumFilter = all.map { rule in
        (rule.kind == .street ? "w/" : "nwr/") + rule.key
            + (rule.values.isEmpty ? "" : "=" + rule.values.joined(separator: ","))
    }

    /// The value of the tag; nil if the tags do not have it.
    func match(_ tags: [String: String]) -> String? {
        guard let value = tags[key], values.isEmpty || values.contains(value) else { return nil }
        if let needed, tags[needed.key] != needed.value { return nil }
        return value
    }
}
