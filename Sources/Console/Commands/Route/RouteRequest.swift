import Domain
import JSONCoding
import Linux
import Pipeline
import Wire

/// The options of `pacectl route`.
package struct RouteOptions: Equatable {
    /// Nil for the position that the daemon has.
    var start: Coordinate?
    /// Places on the way, in their order.
    var via: [Coordinate] = []
    var profile = RouteProfile.walk
    /// The address of a route engine; nil for that of paced-net.conf.
    var engine: String?
    /// The route that becomes the course of the daemon, from 1; nil for none.
    var loaded: Int?
    var follows = false
    /// The directory of net.sock; nil for the default.
    var netDirectory: String?
    /// The directory of places.db; nil for the default.
    var mapsDirectory: String?
}

/// Routes to a position, or round trips, from a route engine that paced-net asks.
struct RouteRequest {
    let options: RouteOptions
    var goal: RouteGoal
    /// The name of the place at the end; nil for a mere position.
    let name: String?

    init(options: RouteOptions, goal: RouteGoal, name: String?) {
        self.options = options
        self.goal = goal
        self.name = name
    }

    init(options: RouteOptions, to end: Coordinate, name: String?) {
        self.init(options: options, goal: .place(end, via: options.via), name: name)
    }

    /// Whoever is so near to a place on the way, in metres, has passed it.
    private static let passing = 50.0

    /// Takes a position of the run: a new route leads over the places that are still ahead.
    mutating func pass(_ position: Coordinate) {
        guard case .place(let end, let via) = goal,
            let last = via.lastIndex(where: { position.metres(to: $0) < Self.passing })
        else { return }
        goal = .place(end, via: Array(via[(last + 1)...]))
    }

    /// paced-net ends a search after a minute, and its last request a little later.
    private static let timeout = Duration.seconds(90)

    /// Asks for routes.
    ///
    /// - Parameter start: replaces the start of the options; nil keeps it.
    /// - Returns: the result as unchanged JSON text.
    func find(_ client: inout ControlClient, from start: Coordinate? = nil) throws(Failure) -> String {
        var parameters = JSONWriter()
        parameters.object {
            if let start = start ?? options.start { Self.write(start, "from", into: &$0) }
            switch goal {
            case .place(let end, let via):
                Self.write(end, "to", into: &$0)
                if !via.isEmpty { $0.array("via") { for place in via { $0.object { Self.write(place, into: &$0) } } } }
            case .loop(let metres): $0.member("length_m", metres, decimals: 1)
            }
            $0.member("profile", options.profile.rawValue)
            $0.member("engine", options.engine)
        }
        return try client.call(
            "route.find", String(decoding: parameters.bytes, as: UTF8.self),
            lasting: Self.timeout - Connection.connectTimeout)
    }

    private static func write(_ place: Coordinate, _ name: String, into writer: inout JSONWriter) {
        writer.object(name) { write(place, into: &$0) }
    }

    private static func write(_ place: Coordinate, into writer: inout JSONWriter) {
        writer.member("lat", place.latitude, decimals: 7)
        writer.member("lon", place.longitude, decimals: 7)
    }

    /// The most bytes of the data of a route.
    private static let dataLimit = 16 << 20

    /// Fetches a route of a search.
    ///
    /// - Parameters:
    ///   - search: the number of the search.
    ///   - route: the index of the route, from 0.
    func course(_ client: inout ControlClient, search: Int, route: Int) throws(Failure) -> CourseData {
        var data: [UInt8] = []
        while true {
            let text = try client.call(
                "route.course", "{\"search\":\(search),\"route\":\(route),\"offset\":\(data.count)}",
                lasting: .seconds(10))
            let result = try? JSON(parsing: text.utf8)
            guard let piece = result?["data"]?.string.flatMap({ Base64.decode(Array($0.utf8)) }),
                let size = result?["bytes"]?.integer(in: 0...Self.dataLimit), !piece.isEmpty,
                data.count + piece.count <= size
            else { throw .failed("the response of paced-net has no piece of the route; see its log") }
            data += piece
            if data.count == size { break }
        }
        do {
            var reader = CourseUploadReader()
            for line in data.split(separator: UInt8(ascii: "\n")) { try reader.read(line) }
            return try reader.finish()
        } catch {
            throw .failed("the route of paced-net is not a course: \(error)")
        }
    }

    /// The name of the course that a route becomes.
    var courseName: SanitizedText? {
        switch goal {
        case .place(let end, _): SanitizedText("Route to \(name ?? end.text)")
        case .loop(let metres):
            SanitizedText("Round trip of \(DecimalFormat.text(metres / 1000, decimals: 1) ?? "") km")
        }
    }
}

extension Coordinate {
    /// Parses `52.5,13.4`; nil for anything else.
    init?(argument: String) {
        guard case .position(let latitude, let longitude)? = WeatherPlace(argument) else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// Degrees with five decimals: about a metre.
    var text: String {
        (DecimalFormat.text(latitude, decimals: 5) ?? "") + "," + (DecimalFormat.text(longitude, decimals: 5) ?? "")
    }
}
