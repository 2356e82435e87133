package import Domain
package import JSONCoding

/// A request on net.sock.
package enum NetworkRequest: Equatable, Sendable {
    /// The weather. The response is deferred.
    case weather(WeatherPlace)

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

    private func degrees(_ name: String, _ limit: Double) throws(RPCError) -> Double {
        guard let value = members[name] else { throw .invalidParameters(name, "\(name) is missing") }
        guard let degrees = value.number, degrees.magnitude <= limit else {
            throw .invalidValue(name, "\(name) must be a number of degrees, -\(Int(limit)) to \(Int(limit))")
        }
        return degrees
    }
}
