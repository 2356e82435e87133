import Domain
import JSONCoding

/// The REST interface of Avail's InfoPoint, which CATA has: the addresses of its requests, the values of its responses.
///
/// A request must accept `application/json`: the server can send XML too. Responses have the names of drivers. No
/// member with a name of a person is read. Elements without an ID or a position are left out.
///
/// Source: github.com/jackmerrill/pvta-go, npunnavit/myCATA-app and ImRonalddd/tcat-live-board, read 2026-11.
package struct InfoPoint: Sendable {
    // The most elements of a response.
    package static let lineLimit = 512
    package static let vehicleLimit = 1024
    package static let departureLimit = 1024
    package static let alertLimit = 256

    /// The most bytes of a name of a file.
    private static let nameLimit = 128

    private let server: String

    /// - Parameter server: the address without the last slash, such as `https://realtime.catabus.com/InfoPoint`.
    package init(server: String) {
        self.server = server
    }
}

extension InfoPoint {
    package var addressOfLines: String { "\(server)/rest/Routes/GetVisibleRoutes" }

    package var addressOfAlerts: String { "\(server)/rest/PublicMessages/GetCurrentMessages" }

    /// - Returns: nil for an ID that is no component of a path.
    package func address(ofLine id: String) -> String? {
        address("rest/RouteDetails/Get", id)
    }

    /// - Parameter lines: their IDs.
    package func address(ofVehiclesOn lines: [String]) -> String {
        "\(server)/rest/Vehicles/GetAllVehiclesForRoutes?routeIDs="
            + lines.map { $0.percentEncoded(keeping: Self.unreserved) }.joined(separator: ",")
    }

    /// - Returns: nil for an ID that is no component of a path.
    package func address(ofDeparturesFrom stop: String) -> String? {
        address("rest/StopDepartures/Get", stop)
    }

    /// The address of a KML file with the way of a line.
    ///
    /// - Returns: nil for a name that is no component of a path.
    package func address(ofTrace name: String) -> String? {
        address("Resources/Traces", name)
    }

    /// With letters and digits, the unreserved characters of RFC 3986.
    private static let unreserved = "-._~"

    private func address(_ folder: String, _ name: String) -> String? {
        Self.isFileName(name) ? "\(server)/\(folder)/\(name.percentEncoded(keeping: Self.unreserved))" : nil
    }

    /// Whether a name is one component of a path, and harmless.
    static func isFileName(_ name: String) -> Bool {
        guard name.utf8.count <= nameLimit, name != ".", !name.containsText("..") else { return false }
        return !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            && SanitizedText.line(name, limit: nameLimit) == name
    }
}

// Each returns nil for a body of another format.
extension InfoPoint {
    package static func lines(_ body: [UInt8]) -> [InfoPointLine]? {
        elements(body, limit: lineLimit)?.compactMap { InfoPointLine(infoPoint: $0) }
    }

    package static func line(_ body: [UInt8]) -> InfoPointLine? {
        (try? JSON(parsing: body)).flatMap { InfoPointLine(infoPoint: $0) }
    }

    package static func vehicles(_ body: [UInt8]) -> [LiveVehicle]? {
        elements(body, limit: vehicleLimit)?.compactMap { LiveVehicle(infoPoint: $0) }
    }

    /// - Returns: the earliest first, then those without a time in the order of the server. Past ones are there too.
    package static func departures(_ body: [UInt8]) -> [LiveDeparture]? {
        guard let elements = elements(body, limit: departureLimit) else { return nil }
        var timed: [(time: UTC, departure: LiveDeparture)] = []
        var others: [LiveDeparture] = []
        for element in elements {
            guard let stop = id(element["StopId"]) else { continue }
            for direction in (element["RouteDirections"]?.array ?? []).prefix(departureLimit) {
                guard let line = id(direction["RouteId"]) else { continue }
                let headway = direction["IsHeadway"]?.bool == true ? direction["HeadwayDepartures"]?.array : nil
                for entry in headway ?? direction["Departures"]?.array ?? [] {
                    guard timed.count + others.count < departureLimit else { break }
                    guard var departure = LiveDeparture(infoPoint: entry, line: line, stop: stop) else { continue }
                    departure.direction = text(direction["Direction"])
                    if let time = departure.estimated ?? departure.scheduled {
                        timed.append((time, departure))
                    } else {
                        others.append(departure)
                    }
                }
            }
        }
        return timed.sorted { $0.time < $1.time }.map(\.departure) + others
    }

    package static func alerts(_ body: [UInt8]) -> [LiveAlert]? {
        elements(body, limit: alertLimit)?.compactMap { LiveAlert(infoPoint: $0) }
    }

    private static func elements(_ body: [UInt8], limit: Int) -> ArraySlice<JSON>? {
        (try? JSON(parsing: body))?.array?.prefix(limit)
    }
}
