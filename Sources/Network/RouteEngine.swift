import Domain
import Formats
import HTTP
import JSONCoding

/// A server that computes routes.
struct RouteEngine: Equatable {
    var dialect: RouteDialect
    var server: ServerAddress

    static let local = RouteEngine(dialect: .brouter, server: ServerAddress(text: "http://127.0.0.1:17777"))

    init(dialect: RouteDialect, server: ServerAddress) {
        self.dialect = dialect
        self.server = server
    }

    /// Parses an address such as `http://127.0.0.1:17777`. A prefix such as `valhalla+` names the dialect. Without a prefix,
    /// the address has the dialect whose name it contains, else the dialect whose default port it has, else BRouter's.
    ///
    /// - Returns: nil if the text is not an address.
    init?(_ text: String) {
        let named = RouteDialect.allCases.first { text.hasPrefix($0.rawValue + "+") }
        let prefix = named.map { $0.rawValue.count + 1 } ?? 0
        guard let server = ServerAddress(String(text.dropFirst(prefix))) else { return nil }
        let address = server.text.lowercased()
        self.server = server
        dialect =
            named ?? RouteDialect.allCases.first { address.containsText($0.rawValue) }
            ?? RouteDialect.allCases.first { address.hasSuffix(":\($0.port)") } ?? .brouter
    }

    /// The host and the port, for users.
    var host: String { Fetcher.host(of: server.text) }

    /// Whether the engine runs on this machine.
    var isLocal: Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
    }
}

/// A question to a route engine: the way from the first place over the others to the last one.
struct RouteQuery: Equatable {
    /// Two at least.
    var places: [Coordinate]
    var profile: RouteProfile
}

/// One HTTP request to a route engine.
struct RouteCall: Equatable {
    var url: String
    /// JSON to post; nil for a GET request.
    var body: [UInt8]?
}

extension RouteEngine {
    /// The requests to send, the most useful first. Their responses have six routes or more, if the engine finds that many;
    /// Valhalla and GraphHopper know no alternatives to a way over other places.
    func calls(for query: RouteQuery) -> [RouteCall] {
        switch dialect {
        case .brouter:
            // Three alternatives, once with the costs of the profile and once with a higher cost of climbs.
            [false, true].flatMap { avoidsClimbs in
                (0..<3).map { brouterCall(query, alternative: $0, avoidsClimbs: avoidsClimbs) }
            }
        case .valhalla:
            // A route and three alternatives, once avoiding hills and once not.
            [0.0, 1.0].map { valhallaCall(query, useOfHills: $0, alternatives: query.places.count == 2 ? 3 : 0) }
        case .graphhopper: [graphhopperCall(query, alternatives: query.places.count == 2)]
        }
    }

    /// The request for one route that climbs little.
    func call(for query: RouteQuery) -> RouteCall {
        switch dialect {
        case .brouter: brouterCall(query, alternative: 0, avoidsClimbs: true)
        case .valhalla: valhallaCall(query, useOfHills: 0, alternatives: 0)
        case .graphhopper: graphhopperCall(query, alternatives: false)
        }
    }

    private func brouterCall(_ query: RouteQuery, alternative: Int, avoidsClimbs: Bool) -> RouteCall {
        let profile = query.profile == .ride ? "trekking" : "hiking-mountain"
        let places = query.places.map { "\(Self.degrees($0.longitude)),\(Self.degrees($0.latitude))" }
        return RouteCall(
            url: "\(server.text)/brouter?lonlats=\(places.joined(separator: "%7C"))&profile=\(profile)"
                + "&alternativeidx=\(alternative)&format=geojson&timode=2"
                + (avoidsClimbs ? "&profile:uphillcost=200&profile:uphillcutoff=0.5" : ""))
    }

    private func valhallaCall(_ query: RouteQuery, useOfHills: Double, alternatives: Int) -> RouteCall {
        let costing = query.profile == .ride ? "bicycle" : "pedestrian"
        var body = JSONWriter()
        body.object {
            $0.array("locations") {
                for (index, place) in query.places.enumerated() {
                    $0.object {
                        $0.member("lat", place.latitude, decimals: 7)
                        $0.member("lon", place.longitude, decimals: 7)
                        // Who turns there stays on one leg.
                        if index > 0, index < query.places.count - 1 { $0.member("type", "via") }
                    }
                }
            }
            $0.member("costing", costing)
            $0.object("costing_options") { $0.object(costing) { $0.member("use_hills", useOfHills, decimals: 1) } }
            if alternatives > 0 { $0.member("alternates", alternatives) }
            $0.member("elevation_interval", 30)
            $0.object("directions_options") { $0.member("units", "kilometers") }
        }
        return RouteCall(url: "\(server.text)/route", body: body.bytes)
    }

    private func graphhopperCall(_ query: RouteQuery, alternatives: Bool) -> RouteCall {
        let profile = query.profile == .ride ? "bike" : "foot"
        let points = query.places.map {
            "&point=\(Self.degrees($0.latitude))%2C\(Self.degrees($0.longitude))"
        }
        let more =
            alternatives
            ? "&algorithm=alternative_route&alternative_route.max_paths=6&alternative_route.max_weight_factor=2" : ""
        return RouteCall(
            url: "\(server.text)/route?profile=\(profile)&elevation=true" + more + points.joined())
    }

    private static func degrees(_ value: Double) -> String { DecimalFormat.text(value, decimals: 7) ?? "0" }
}

extension RouteDialect {
    /// The name of the engine.
    var title: String {
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

    /// The message of an engine in a response that rejects a request, as one line for users. Nil if there is none, and for HTML.
    static func reason(in body: [UInt8]) -> String? {
        let limit = 160
        if let json = try? JSON(parsing: body) {
            return (json["error"]?.string ?? json["message"]?.string).flatMap { SanitizedText.line($0, limit: limit) }
        }
        guard body.count <= 1024, !body.contains(UInt8(ascii: "<")) else { return nil }
        let words = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : SanitizedText.line(words.joined(separator: " "), limit: limit)
    }
}
