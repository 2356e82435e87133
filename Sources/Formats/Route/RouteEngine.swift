package import Domain
import JSONCoding

/// A server that finds ways.
package struct RouteEngine: Equatable, Sendable {
    package var dialect: RouteDialect
    /// An address of http or https, without the last slash.
    package var server: String

    private static let lengthLimit = 256

    package init(_ dialect: RouteDialect, server: String) {
        self.dialect = dialect
        self.server = server
    }

    /// Parses an address such as `http://127.0.0.1:17777`. The dialect is that of a prefix, such as `valhalla+`; else that
    /// whose name is in the address; else that whose usual port it has; else BRouter's.
    ///
    /// - Returns: nil for what is no address.
    package init?(_ text: String) {
        var server = text
        var dialect: RouteDialect?
        for one in RouteDialect.allCases where text.hasPrefix(one.rawValue + "+") {
            server.removeFirst(one.rawValue.count + 1)
            dialect = one
        }
        let rest =
            server.hasPrefix("https://") ? server.dropFirst(8) : server.hasPrefix("http://") ? server.dropFirst(7) : ""
        guard !rest.isEmpty, !rest.hasPrefix("/"), !server.hasSuffix("/"), server.utf8.count <= Self.lengthLimit,
            server.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        else { return nil }
        self.server = server
        self.dialect =
            dialect ?? RouteDialect.allCases.first { rest.lowercased().contains($0.rawValue) }
            ?? RouteDialect.allCases.first { rest.hasSuffix(":\($0.port)") } ?? .brouter
    }

    /// The host and the port, for users.
    package var host: String {
        let rest = server.split(separator: "://", maxSplits: 1).last ?? ""
        return String(rest.prefix { $0 != "/" })
    }

    /// Whether it is on this machine.
    package var isLocal: Bool {
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
        return name == "localhost" || name == "::1" || name.hasPrefix("127.")
    }
}

/// One HTTP request to a route engine.
package struct RouteCall: Equatable, Sendable {
    package var url: String
    /// JSON to post; nil for a GET request.
    package var body: [UInt8]?
}

extension RouteEngine {
    /// The requests whose responses together have six ways or more, where the engine knows as many. Their order is that
    /// of their worth: a search that ends early has the best ones.
    package func calls(for query: RouteQuery) -> [RouteCall] {
        switch dialect {
        case .brouter: brouterCalls(query)
        case .valhalla: valhallaCalls(query)
        case .graphhopper: [graphhopperCall(query)]
        }
    }

    /// Three alternatives, each as the profile is and with climbs that cost more.
    private func brouterCalls(_ query: RouteQuery) -> [RouteCall] {
        let profile = query.profile == .ride ? "trekking" : "hiking-mountain"
        let places = "\(Self.lonLat(query.start))%7C\(Self.lonLat(query.end))"
        return ["", "&profile:uphillcost=200&profile:uphillcutoff=0.5"].flatMap { climbs in
            (0..<3).map { alternative in
                RouteCall(
                    url: "\(server)/brouter?lonlats=\(places)&profile=\(profile)&alternativeidx=\(alternative)"
                        + "&format=geojson&timode=2\(climbs)")
            }
        }
    }

    /// A way and three alternatives, with and without hills.
    private func valhallaCalls(_ query: RouteQuery) -> [RouteCall] {
        let costing = query.profile == .ride ? "bicycle" : "pedestrian"
        return [0.0, 1.0].map { hills in
            var body = JSONWriter()
            body.object {
                $0.array("locations") {
                    for place in [query.start, query.end] {
                        $0.object {
                            $0.member("lat", place.latitude, decimals: 7)
                            $0.member("lon", place.longitude, decimals: 7)
                        }
                    }
                }
                $0.member("costing", costing)
                $0.object("costing_options") { $0.object(costing) { $0.member("use_hills", hills, decimals: 1) } }
                $0.member("alternates", 3)
                $0.member("elevation_interval", 30)
                $0.object("directions_options") { $0.member("units", "kilometers") }
            }
            return RouteCall(url: "\(server)/route", body: body.bytes)
        }
    }

    private func graphhopperCall(_ query: RouteQuery) -> RouteCall {
        let profile = query.profile == .ride ? "bike" : "foot"
        let points = [query.start, query.end].map {
            "&point=\(Self.degrees($0.latitude))%2C\(Self.degrees($0.longitude))"
        }
        return RouteCall(
            url: "\(server)/route?profile=\(profile)&elevation=true&algorithm=alternative_route"
                + "&alternative_route.max_paths=6&alternative_route.max_weight_factor=2" + points.joined())
    }

    private static func lonLat(_ place: Coordinate) -> String {
        "\(degrees(place.longitude)),\(degrees(place.latitude))"
    }

    private static func degrees(_ value: Double) -> String { DecimalFormat.text(value, decimals: 7) ?? "0" }
}

extension RouteDialect {
    /// The name of the engine.
    package var title: String {
        switch self {
        case .brouter: "BRouter"
        case .valhalla: "Valhalla"
        case .graphhopper: "GraphHopper"
        }
    }

    /// The port of a local server.
    fileprivate var port: Int {
        switch self {
        case .brouter: 17777
        case .valhalla: 8002
        case .graphhopper: 8989
        }
    }

    /// What an engine says in the response to a request that it rejects: a line for users. Nil for a page, and for none.
    package static func reason(in body: [UInt8]) -> String? {
        let limit = 160
        if let json = try? JSON(parsing: body) {
            return (json["error"]?.string ?? json["message"]?.string).flatMap { SanitizedText.line($0, limit: limit) }
        }
        guard body.count <= 1024, !body.contains(UInt8(ascii: "<")) else { return nil }
        let words = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : SanitizedText.line(words.joined(separator: " "), limit: limit)
    }
}
