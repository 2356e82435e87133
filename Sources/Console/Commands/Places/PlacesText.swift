import Domain
import JSONCoding
import Linux
import Maps

/// A place in a list: around a position, or along a course.
struct PlaceLine {
    var place: Place
    /// Metres from the position, or along the course.
    var metres: Double?
    /// Degrees from the position to the place.
    var bearing: Double?
    /// Nil for a place around a position.
    var passed: CoursePlace?

    init(_ place: Place, metres: Double? = nil, bearing: Double? = nil) {
        self.place = place
        self.metres = metres
        self.bearing = bearing
    }

    init(_ passed: CoursePlace) {
        place = passed.place
        metres = passed.ahead
        self.passed = passed
    }
}

/// Places as text for people, and as GeoJSON.
struct PlacesText {
    let units: WeatherUnits
    /// Nil while the clock is not set.
    let now: UTC?

    // MARK: Tables

    func table(_ lines: [PlaceLine]) -> String {
        var table = TextTable([
            .init(head: lines.contains { $0.passed != nil } ? "AHEAD" : "DISTANCE", isNumber: true),
            .init(head: "TO"), .init(head: "DETOUR", isNumber: true), .init(head: "KIND"), .init(head: "NAME"),
            .init(head: "OPEN"), .init(head: "ID"),
        ])
        for line in lines {
            let place = line.place
            var name = place.name ?? ""
            if let address = place.address, place.kind == .address { name += ", " + address }
            table.append([
                line.metres.map(units.distance) ?? "",
                line.passed?.side.rawValue ?? line.bearing.map(RunFormat.compass) ?? "",
                line.passed.map { units.distance($0.detour) } ?? "", kind(of: place), name, openWord(place) ?? "",
                place.id.text,
            ])
        }
        return table.lines.map { $0 + "\n" }.joined() + Place.attribution + "\n"
    }

    /// The kind, with the value of the tag if that says more.
    private func kind(of place: Place) -> String {
        switch place.kind {
        case .food, .settlement, .station: place.detail.split(separator: "_").joined(separator: " ")
        default: place.kind.name
        }
    }

    // MARK: One place

    func description(of places: [Place]) -> String {
        guard let first = places.first else { return "" }
        let kinds = places.map { place in
            let name = place.kind.name
            return place.detail.isEmpty || place.detail == "yes" || place.detail == name
                ? name : "\(name) (\(place.detail.split(separator: "_").joined(separator: " ")))"
        }
        let hours = places.lazy.compactMap(\.hours).first
        var open = openWord(places.first { $0.hours != nil } ?? first)
        if hours.flatMap({ OpeningHours($0) })?.hasHolidayRules == true {
            open = open.map { $0 + "; holidays may differ" }
        }
        let rows: [(String, String?)] = [
            ("Kind", kinds.joined(separator: ", ")), ("Position", first.position.text),
            ("Address", places.lazy.compactMap(\.address).first), ("Open", open), ("Hours", hours),
            ("Phone", places.lazy.compactMap(\.phone).first), ("Website", places.lazy.compactMap(\.website).first),
            ("Map", first.id.address),
        ]
        let title = places.lazy.compactMap(\.name).first ?? first.id.text
        return title + "\n"
            + rows.compactMap { head, text in
                text.map { "  " + head + String(repeating: " ", count: 10 - head.utf8.count) + $0 + "\n" }
            }.joined() + Place.attribution + "\n"
    }

    /// Nil for a place without opening hours.
    private func openWord(_ place: Place) -> String? {
        guard place.hours != nil else { return nil }
        let (state, change) = state(of: place)
        let until = change.flatMap { change in now.map { " until " + units.moment(change, now: $0) } } ?? ""
        switch state {
        case .open: return "open" + until
        case .closed: return "closed" + until
        case .unknown: return "unknown"
        }
    }

    private func state(of place: Place) -> (state: OpeningHours.State, until: UTC?) {
        guard let now, let hours = place.hours.flatMap({ OpeningHours($0) }) else { return (.unknown, nil) }
        return hours.state(at: now, offset: Machine.localOffset)
    }

    // MARK: GeoJSON

    /// A FeatureCollection (RFC 7946).
    /// - Parameter missing: the words of a search that the places do not have.
    func geoJSON(_ lines: [PlaceLine], missing: [String] = []) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("type", "FeatureCollection")
            $0.member("attribution", Place.attribution)
            if !missing.isEmpty { $0.array("missing") { for word in missing { $0.value(word) } } }
            $0.array("features") { for line in lines { write(line, into: &$0) } }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    private func write(_ line: PlaceLine, into writer: inout JSONWriter) {
        let place = line.place
        writer.object {
            $0.member("type", "Feature")
            $0.member("id", place.id.text)
            $0.object("geometry") {
                $0.member("type", "Point")
                $0.array("coordinates") {
                    $0.value(place.position.longitude, decimals: 7)
                    $0.value(place.position.latitude, decimals: 7)
                }
            }
            $0.object("properties") {
                $0.member("kind", place.kind.name)
                $0.member("detail", place.detail)
                $0.member("name", place.name)
                $0.member("address", place.address)
                $0.member("opening_hours", place.hours)
                switch state(of: place).state {
                case .open: $0.member("open", true)
                case .closed: $0.member("open", false)
                case .unknown: break
                }
                $0.member("phone", place.phone)
                $0.member("website", place.website)
                $0.member("prominence", place.prominence)
                $0.member("photo", place.photo?.text)
                $0.member("osm", place.id.address)
                if let passed = line.passed {
                    $0.member("ahead_m", passed.ahead, decimals: 0)
                    $0.member("detour_m", passed.detour, decimals: 0)
                    $0.member("side", passed.side == .on ? "on_course" : passed.side.rawValue)
                } else {
                    $0.member("distance_m", line.metres, decimals: 0)
                    $0.member("bearing_deg", line.bearing, decimals: 0)
                }
            }
        }
    }
}
