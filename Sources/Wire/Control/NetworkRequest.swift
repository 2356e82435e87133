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
