import CMath
package import Domain
package import JSONCoding

/// A place of a kind. An element of OpenStreetMap that is of several kinds is several places.
package struct Place: Equatable, Sendable {
    package var id: PlaceID
    package var kind: PlaceKind
    /// The value of the tag that makes it a place of the kind, such as `bakery`.
    package var detail: String
    package var position: Coordinate
    package var name: String?
    /// Such as `Hauptstraße 5, 12345 Berlin`.
    package var address: String?
    /// The value of `opening_hours`.
    package var hours: String?
    package var phone: String?
    /// Begins with `http://` or `https://`.
    package var website: String?
    /// How well known it is, 1 to 100; nil if nothing says that it is.
    package var prominence: Int?
    package var photo: PhotoName?

    package init(
        id: PlaceID, kind: PlaceKind, detail: String, position: Coordinate, name: String? = nil,
        address: String? = nil, hours: String? = nil, phone: String? = nil, website: String? = nil,
        prominence: Int? = nil, photo: PhotoName? = nil
    ) {
        self.id = id
        self.kind = kind
        self.detail = detail
        self.position = position
        self.name = name
        self.address = address
        self.hours = hours
        self.phone = phone
        self.website = website
        self.prominence = prominence
        self.photo = photo
    }

    /// The credit that the licence of the data requires wherever places are shown.
    package static let attribution = "© OpenStreetMap contributors, ODbL 1.0"
}

/// A feature of a GeoJSON text sequence, as `osmium export --add-unique-id=type_id` writes it.
package struct PlaceFeature: Equatable, Sendable {
    /// One for each of its kinds.
    package var places: [Place]
    /// The names by which a search finds it, besides ``Place/name``.
    package var otherNames: String

    /// Why a feature has no places.
    package enum Failure: Error, Equatable, Sendable {
        /// It has no number by which OpenStreetMap knows it.
        case noID
        /// It is not a feature with a geometry on Earth.
        case invalid
    }

    /// In characters. OpenStreetMap limits the value of a tag to 255.
    private static let textLimit = 255
    private static let namesLimit = 1024

    package init(places: [Place], otherNames: String) {
        self.places = places
        self.otherNames = otherNames
    }

    /// - Throws: ``Failure``. A feature of no kind has no places.
    package init(_ feature: JSON) throws(Failure) {
        guard feature["type"]?.string == "Feature" else { throw .invalid }
        var tags: [String: String] = [:]
        if case .object(let members)? = feature["properties"] { tags = members.compactMapValues(\.string) }
        places = []
        otherNames = ""
        let kinds = Self.kinds(tags)
        if kinds.isEmpty { return }
        guard let id = feature["id"]?.string.flatMap({ PlaceID($0) }) else { throw .noID }
        guard let geometry = feature["geometry"], let position = PlaceGeometry.position(of: geometry) else {
            throw .invalid
        }
        func text(_ keys: String...) -> String? {
            keys.lazy.compactMap { tags[$0] }.compactMap { SanitizedText.line($0, limit: Self.textLimit) }.first
        }
        let street = Self.joined([text("addr:street", "addr:place"), text("addr:housenumber")], by: " ")
        let town = Self.joined([text("addr:postcode"), text("addr:city")], by: " ")
        let website = text("website", "contact:website", "url")
        for (kind, detail) in kinds {
            var place = Place(id: id, kind: kind, detail: detail, position: position)
            switch kind {
            case .address:
                place.name = street
                place.address = town
            case .settlement, .street:
                // A way is a street; a node of the same tag is a crossing or the like.
                if kind == .street, id.element == .node { continue }
                place.name = text("name")
            default:
                place.name = text("name")
                place.address = Self.joined([street, town], by: ", ")
                place.hours = text("opening_hours")
                place.phone = text("phone", "contact:phone")
                place.website = website.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
                place.prominence = Self.prominence(tags, squareMetres: PlaceGeometry.area(of: geometry))
                place.photo = tags["image"].flatMap { PhotoName($0) }
            }
            places.append(place)
        }
        if kinds.contains(where: { $0.kind != .address }) { otherNames = Self.otherNames(tags) }
    }

    /// How well known a place is: encyclopedias name it, it has a name in other languages, and it is large.
    private static func prominence(_ tags: [String: String], squareMetres: Double) -> Int? {
        var points = 0
        if tags.keys.contains(where: { $0 == "wikipedia" || $0.hasPrefix("wikipedia:") }) { points += 30 }
        if tags["wikidata"] != nil { points += 20 }
        if tags["name"] != nil { points += 10 }
        points += min(2 * tags.keys.count { $0.hasPrefix("name:") }, 20)
        // A pitch has 8, a park of a hectare 12, a wood of a square kilometre 20.
        if squareMetres > 100 { points += min(Int(4 * log10(squareMetres / 10)), 20) }
        return points > 0 ? points : nil
    }

    private static func joined(_ parts: [String?], by separator: String) -> String? {
        let parts = parts.compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: separator)
    }

    /// Each kind once, with the value of the first tag of the kind.
    private static func kinds(_ tags: [String: String]) -> [(kind: PlaceKind, detail: String)] {
        var kinds: [(kind: PlaceKind, detail: String)] = []
        let isPrivate = tags["access"] == "private" || tags["access"] == "no"
        for rule in PlaceRule.all where !kinds.contains(where: { $0.kind == rule.kind }) {
            guard let detail = rule.match(tags) else { continue }
            switch rule.kind {
            case .settlement, .street: if tags["name"] == nil { continue }
            case .address: if tags["addr:street"] == nil, tags["addr:place"] == nil { continue }
            default: if isPrivate { continue }
            }
            kinds.append((rule.kind, SanitizedText(detail)?.text ?? ""))
        }
        return kinds
    }

    private static func otherNames(_ tags: [String: String]) -> String {
        let keys = tags.keys.filter { key in
            key == "alt_name" || key == "int_name" || key == "official_name" || key == "short_name"
                // In another language.
                || key.hasPrefix("name:") && key.utf8.count == 7
        }
        let names = Set(keys.sorted().compactMap { tags[$0] }).subtracting([tags["name"] ?? ""])
        return String(names.sorted().joined(separator: " ").prefix(namesLimit))
    }
}
