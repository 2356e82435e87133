package import Domain
package import JSONCoding

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
        package var end: Coordinate
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

    package init(method: String, parameters: JSON?) throws(RPCError) {
        switch method {
        case "weather.at":
            let parameters = try ControlRequest.Parameters(parameters, names: ["lat", "lon", "station"])
            self = .weather(try parameters.place())
        case "route.find":
            let parameters = try ControlRequest.Parameters(parameters, names: ["from", "to", "profile", "engine"])
            self = .route(try parameters.routeSearch())
        case "route.course":
            let parameters = try ControlRequest.Parameters(parameters, names: ["search", "route", "offset"])
            self = .routeCourse(
                search: try parameters.count("search"), route: try parameters.count("route"),
                offset: try parameters.count("offset", orElse: 0))
        case "transit.departures":
            let parameters = try ControlRequest.Parameters(parameters, names: ["stops", "lines", "named", "limit"])
            self = .departures(try parameters.departures())
        case "transit.home":
            let parameters = try ControlRequest.Parameters(
                parameters, names: ["from", "home", "within_m", "walking_mps", "bikes", "limit"])
            self = .wayHome(try parameters.wayHome())
        case "transit.path":
            let parameters = try ControlRequest.Parameters(parameters, names: ["line"])
            guard let line = parameters.members["line"]?.string, (1...255).contains(line.utf8.count) else {
                throw .invalidParameters("line", "line must be the ID of a line")
            }
            self = .linePath(line)
        default: throw .methodNotFound
        }
    }
}

extension ControlRequest.Parameters {
    fileprivate func place() throws(RPCError) -> NetworkRequest.WeatherPlace {
        if let value = members["station"] {
            guard members.count == 1 else {
                throw .invalidParameters("station", "the parameters are station, or lat and lon")
            }
            guard let name = value.string?.uppercased(), name.utf8.count == 4,
                name.utf8.allSatisfy({
                    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                })
            else { throw .invalidValue("station", "station must be four letters or digits, such as EDDB") }
            return .station(name)
        }
        if members.isEmpty { return .here }
        return .at(Coordinate(latitude: try degrees("lat", 90), longitude: try degrees("lon", 180)))
    }

    func routeSearch() throws(RPCError) -> NetworkRequest.RouteSearch {
        guard let word = members["profile"]?.string, let profile = RouteProfile(rawValue: word) else {
            let known = RouteProfile.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("profile", "profile must be one of \(known)")
        }
        guard let end = members["to"] else { throw .invalidParameters("to", "to is missing") }
        let engine = members["engine"]
        if let engine, engine.string == nil { throw .invalidValue("engine", "engine must be an address") }
        return NetworkRequest.RouteSearch(
            start: try members["from"].map { json throws(RPCError) in try Self.place(json, "from") },
            end: try Self.place(end, "to"), profile: profile, engine: engine?.string)
    }

    fileprivate func departures() throws(RPCError) -> NetworkRequest.Departures {
        let stops = try ids("stops")
        guard !stops.isEmpty else { throw .invalidParameters("stops", "stops must name a stop at least") }
        return NetworkRequest.Departures(
            stops: stops, lines: try ids("lines"), areNamed: try members["named"]?.bool(field: "named") ?? false,
            limit: try number("limit", 1...100, orElse: 20))
    }

    fileprivate func wayHome() throws(RPCError) -> NetworkRequest.WayHome {
        func quantity(_ name: String, _ range: ClosedRange<Double>) throws(RPCError) -> Double? {
            guard let value = members[name] else { return nil }
            guard let number = value.number, range.contains(number) else {
                throw .invalidValue(name, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        if let bikes = members["bikes"], bikes.bool == nil {
            throw .invalidValue("bikes", "bikes must be true or false")
        }
        return NetworkRequest.WayHome(
            start: try members["from"].map { json throws(RPCError) in try Self.place(json, "from") },
            home: try members["home"].map { json throws(RPCError) in try Self.place(json, "home") },
            radius: try quantity("within_m", 50...5000), walkingSpeed: try quantity("walking_mps", 0.2...12),
            needsBikes: members["bikes"]?.bool ?? false, limit: try number("limit", 1...20, orElse: 5))
    }

    private func number(_ name: String, _ range: ClosedRange<Int>, orElse other: Int) throws(RPCError) -> Int {
        try members[name].map { value throws(RPCError) in try value.integer(in: range, field: name) } ?? other
    }

    /// A list of at most 64 IDs; empty if it is missing.
    private func ids(_ name: String) throws(RPCError) -> [String] {
        guard let value = members[name] else { return [] }
        let ids = value.array?.compactMap { $0.string } ?? []
        guard ids.count == value.array?.count, ids.count <= 64, ids.allSatisfy({ (1...255).contains($0.utf8.count) })
        else { throw .invalidValue(name, "\(name) must be a list of at most 64 IDs") }
        return ids
    }

    func count(_ name: String, orElse other: Int? = nil) throws(RPCError) -> Int {
        guard let value = members[name] else {
            guard let other else { throw .invalidParameters(name, "\(name) is missing") }
            return other
        }
        return try value.integer(in: 0...Int(Int32.max), field: name)
    }

    private static func place(_ json: JSON, _ name: String) throws(RPCError) -> Coordinate {
        guard case .object(let members) = json, members.count == 2, let latitude = members["lat"]?.number,
            let longitude = members["lon"]?.number, latitude.magnitude <= 90, longitude.magnitude <= 180
        else { throw .invalidValue(name, "\(name) must be an object with lat and lon in degrees") }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func degrees(_ name: String, _ limit: Double) throws(RPCError) -> Double {
        guard let value = members[name] else { throw .invalidParameters(name, "\(name) is missing") }
        guard let degrees = value.number, degrees.magnitude <= limit else {
            throw .invalidValue(name, "\(name) must be a number of degrees, -\(Int(limit)) to \(Int(limit))")
        }
        return degrees
    }
}
