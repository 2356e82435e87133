package import Domain
import JSONCoding

/// A request on net.sock.
package enum NetworkRequest: Equatable, Sendable {
    /// The weather. The response is deferred.
    case weather(WeatherPlace)
    /// Routes to a place. The response is deferred.
    case route(RouteSearch)
    /// A piece of a route of `route.find`, as the data of an upload of kind `course`.
    case routeCourse(search: Int, route: Int, offset: Int)

    /// The next departures from stops. The response is deferred.
    case departures(Departures)
    /// The next ways home by public transport. The response is deferred.
    case wayHome(WayHome)
    /// The way of a line, for maps. The response is deferred.
    case linePath(String)

    /// The parameters of `transit.departures`.
    package struct Departures: Equatable, Sendable {
        /// The IDs of the stops, 1 to 64.
        package var stops: [String]
        /// The IDs of the lines; empty for all.
        package var lines: [String]
        /// Whether the user has named the stops. Those that were chosen by the position tell it.
        package var areNamed: Bool
        package var limit: Int
    }

    /// The parameters of `transit.home`.
    package struct WayHome: Equatable, Sendable {
        /// Nil for the last position of the daemon.
        package var start: Coordinate?
        /// Nil for the home of the configuration.
        package var home: Coordinate?
        /// Metres to a stop; nil for the default.
        package var radius: Double?
        /// Metres per second; nil for the pace of the run, or the default.
        package var walkingSpeed: Double?
        package var needsBikes: Bool
        package var limit: Int
    }

    /// The parameters of `route.find`.
    package struct RouteSearch: Equatable, Sendable {
        /// Nil for the last position of the daemon.
        package var start: Coordinate?
        package var goal: RouteGoal
        package var profile: RouteProfile
        /// The address of a route engine; nil for that of the configuration.
        package var engine: String?
    }

    /// Where.
    package enum WeatherPlace: Equatable, Sendable {
        /// At the last position of the daemon.
        case here
        case at(Coordinate)
        /// Of a station: four of A-Z and 0-9.
        case station(String)
    }

    /// The methods of net.sock.
    package static let table = RPCTable<NetworkRequest>(
        "paced-net socket",
        [
            RPCMethod(
                "weather.at",
                "Returns the weather at a place, of a station, or without parameters at the position of paced.",
                [latitude.optional, longitude.optional, station.optional], "weather and reports",
                .object(required: ["weather", "reports"], ["weather": .object, "reports": .array(of: .object)]),
                [.refused, .busy, .invalid], .change
            ) { .weather(try weatherPlace($0)) },
            RPCMethod(
                "route.find",
                "Returns several routes to a place, or round trips of a length, the flattest first. Without from, they start at the position of paced.",
                [
                    from.optional, to.optional, via.optional, length.optional, profile.required, engine.optional,
                ], "routes", routes,
                [.refused, .busy, .invalid, .failed], .change
            ) {
                let profile = try routeProfile($0.members["profile"] ?? .null, "profile")
                let goal = try routeGoal($0)
                let engine = try $0[engine]
                return .route(RouteSearch(start: try $0[from], goal: goal, profile: profile, engine: engine))
            },
            RPCMethod(
                "route.course",
                "Returns a piece of a route of route.find: base64 of the data of an upload of kind course.",
                [search.required, route.required, offset.optional], "piece",
                .object(required: ["data", "bytes"], ["data": .string, "bytes": .integer]), [.notFound, .invalid],
                .change
            ) {
                .routeCourse(
                    search: try $0.value(of: search), route: try $0.value(of: route), offset: try $0[offset] ?? 0)
            },
            RPCMethod(
                "transit.departures", "Returns the next departures of public transport from stops.",
                [stops.required, lines.optional, named.optional, departureLimit.optional], "departures",
                answer(required: "departures", ["departures": .array(of: .object)]), [.refused, .busy, .invalid],
                .change
            ) {
                let stops = try $0[stops] ?? []
                guard !stops.isEmpty else {
                    throw RPCError.invalidParameters("stops", "stops must name a stop at least")
                }
                return .departures(
                    Departures(
                        stops: stops, lines: try $0[lines] ?? [], areNamed: try $0[named] ?? false,
                        limit: try $0[departureLimit] ?? 20))
            },
            RPCMethod(
                "transit.home",
                "Returns the next ways home by public transport, direct and with one change. Without from, they start at the position of paced.",
                [
                    from.optional, home.optional, within.optional, walking.optional, bikes.optional,
                    journeyLimit.optional,
                ], "journeys",
                answer(
                    required: "journeys",
                    ["walking_mps": .number, "journeys": .array(of: .object), "last": .object]),
                [.refused, .busy, .invalid], .change
            ) {
                let needsBikes = try $0[bikes] ?? false
                return .wayHome(
                    WayHome(
                        start: try $0[from], home: try $0[home], radius: try $0[within],
                        walkingSpeed: try $0[walking], needsBikes: needsBikes, limit: try $0[journeyLimit] ?? 5))
            },
            RPCMethod(
                "transit.path", "Returns the way of a line and its stops, for maps.", [line.required], "paths",
                .object(
                    required: ["paths"],
                    [
                        "paths": .array(of: .array(of: .array(of: .number, #""minItems":2,"maxItems":2"#))),
                        "stops": .array(of: .object),
                    ]),
                [.refused, .busy, .notFound, .invalid], .read
            ) {
                // Without it too.
                .linePath(try line.read($0.members["line"] ?? .null, "line"))
            },
        ])

    // MARK: Parameters

    private static let latitude = degrees("lat", 90, "Degrees north, with lon.")
    private static let longitude = degrees("lon", 180, "Degrees east, with lat.")
    private static let station = RPCParameter(
        "station", .string(pattern: "^[A-Za-z0-9]{4}$"), "The name of a station, such as EDDB, without lat and lon."
    ) { value, name in
        guard let text = value.string?.uppercased(), text.utf8.count == 4,
            text.utf8.allSatisfy({
                UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            })
        else { throw RPCError.invalidValue(name, "\(name) must be four letters or digits, such as EDDB") }
        return text
    }
    private static let from = place("from", "The start.")
    private static let to = place("to", "The destination, without length_m.")
    private static let via = RPCParameter(
        "via", .array(of: to.schema, #""maxItems":\#(RouteGoal.viaLimit)"#),
        "Places on the way to the destination, in their order; at most \(RouteGoal.viaLimit)."
    ) { value, name in
        guard let places = value.array, places.count <= RouteGoal.viaLimit else {
            throw RPCError.invalidValue(name, "\(name) must be a list of at most \(RouteGoal.viaLimit) places")
        }
        var coordinates: [Coordinate] = []
        for place in places { coordinates.append(try to.read(place, name)) }
        return coordinates
    }
    private static let length = quantity(
        "length_m", RouteGoal.loopLengths, .number("500", "200000"),
        "Metres of a round trip, which ends where it starts, in place of to.")
    private static let home = place("home", "Instead of the home of paced-net.conf.")
    private static let profile = RPCParameter(
        "profile", .oneOf(RouteProfile.allCases.map(\.rawValue)), "How the user travels."
    ) { value, name in try routeProfile(value, name) }
    private static let engine = RPCParameter(
        "engine", .string, "The address of a route engine, such as valhalla+http://127.0.0.1:8002."
    ) { value, name in
        guard let engine = value.string else { throw RPCError.invalidValue(name, "\(name) must be an address") }
        return engine
    }
    private static let search = count("search", "The number of the search, from the result of route.find.")
    private static let route = count("route", "The index in routes, from 0.")
    private static let offset = count("offset", "The first byte of the piece; 0 if it is absent.")
    private static let stops = ids("stops", "The IDs of stops, and of stations, which stand for their platforms.")
    private static let lines = ids("lines", "The IDs of lines; all if it is absent.")
    private static let named = RPCParameter.flag(
        "named", "Whether the user has named the stops: InfoPoint is asked for them then. Default false.")
    private static let departureLimit = RPCParameter.integer("limit", 1...100, "How many at most.")
    private static let journeyLimit = RPCParameter.integer("limit", 1...20, "How many at most.")
    private static let within = quantity("within_m", 50...5000, .number("50", "5000"), "Metres to a stop at most.")
    private static let walking = quantity("walking_mps", 0.2...12, .number("0.2", "12"), "The speed of the walks.")
    private static let bikes = RPCParameter.flag("bikes", "Whether all vehicles must allow bikes.")
    private static let line = RPCParameter("line", .string(1...255), "The ID of the line.") { value, _ in
        guard let line = value.string, (1...255).contains(line.utf8.count) else {
            throw RPCError.invalidParameters("line", "line must be the ID of a line")
        }
        return line
    }

    private static func degrees(_ name: String, _ limit: Double, _ summary: String) -> RPCParameter<Double> {
        RPCParameter(name, .number("-\(Int(limit))", "\(Int(limit))"), summary) { value, name in
            guard let degrees = value.number, degrees.magnitude <= limit else {
                throw RPCError.invalidValue(
                    name, "\(name) must be a number of degrees, -\(Int(limit)) to \(Int(limit))")
            }
            return degrees
        }
    }

    private static func place(_ name: String, _ summary: String) -> RPCParameter<Coordinate> {
        let schema = JSONSchema.object(
            required: ["lat", "lon"], ["lat": latitude.schema, "lon": longitude.schema],
            #""additionalProperties":false"#)
        return RPCParameter(name, schema, summary) { value, name in
            guard case .object(let members) = value, members.count == 2, let latitude = members["lat"]?.number,
                let longitude = members["lon"]?.number, latitude.magnitude <= 90, longitude.magnitude <= 180
            else { throw RPCError.invalidValue(name, "\(name) must be an object with lat and lon in degrees") }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    private static func count(_ name: String, _ summary: String) -> RPCParameter<Int> {
        .integer(name, 0...Int(Int32.max), summary)
    }

    private static func quantity(
        _ name: String, _ range: ClosedRange<Double>, _ schema: JSONSchema, _ summary: String
    ) -> RPCParameter<Double> {
        RPCParameter(name, schema, summary) { value, name in
            guard let number = value.number, range.contains(number) else {
                throw RPCError.invalidValue(
                    name, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// A list of at most 64 IDs.
    private static func ids(_ name: String, _ summary: String) -> RPCParameter<[String]> {
        RPCParameter(name, .array(of: .string(1...255), #""maxItems":64"#), summary) { value, name in
            let ids = value.array?.compactMap { $0.string } ?? []
            guard ids.count == value.array?.count, ids.count <= 64,
                ids.allSatisfy({ (1...255).contains($0.utf8.count) })
            else { throw RPCError.invalidValue(name, "\(name) must be a list of at most 64 IDs") }
            return ids
        }
    }

    private static func routeProfile(_ value: JSON, _ name: String) throws(RPCError) -> RouteProfile {
        guard let profile = value.string.flatMap(RouteProfile.init(rawValue:)) else {
            let known = RouteProfile.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue(name, "\(name) must be one of \(known)")
        }
        return profile
    }

    private static func routeGoal(_ parameters: RPCParameters) throws(RPCError) -> RouteGoal {
        let via = try parameters[via] ?? []
        switch (try parameters[to], try parameters[length]) {
        case (let end?, nil): return .place(end, via: via)
        case (nil, let length?) where via.isEmpty: return .loop(metres: length)
        case (nil, _?): throw .invalidParameters("via", "via belongs to a route with to: a round trip has none")
        default: throw .invalidParameters("to", "the parameters must have to, or length_m for a round trip")
        }
    }

    private static func weatherPlace(_ parameters: RPCParameters) throws(RPCError) -> WeatherPlace {
        if parameters.members["station"] != nil, parameters.members.count > 1 {
            throw .invalidParameters("station", "the parameters are station, or lat and lon")
        }
        if let station = try parameters[station] { return .station(station) }
        if parameters.members.isEmpty { return .here }
        return .at(
            Coordinate(latitude: try parameters.value(of: latitude), longitude: try parameters.value(of: longitude)))
    }

    // MARK: Results

    private static let routes = JSONSchema.object(
        required: ["search", "engine", "host", "routes"],
        [
            "search": .integer, "engine": .oneOf(["brouter", "valhalla", "graphhopper"]), "host": .string,
            "routes": .array(
                of: .object(
                    required: ["length_m"],
                    [
                        "length_m": .number, "ascent_m": .number, "descent_m": .number, "steepest_percent": .number,
                        "duration_s": .number, "is_tie": .onlyTrue, "turns": .integer,
                        "distance_m": .array(of: .number), "altitude_m": .array(of: .number),
                    ]), #""minItems":1"#),
        ])

    /// An answer of the timetable, with its own members.
    private static func answer(required name: String, _ members: KeyValuePairs<String, JSONSchema>) -> JSONSchema {
        let common: KeyValuePairs<String, JSONSchema> = [
            "agency": .string, "timetable_ends": .string, "live": .boolean, "live_age_s": .integer, "reason": .string,
        ]
        return .object(required: ["live", name], common, and: members)
    }
}
