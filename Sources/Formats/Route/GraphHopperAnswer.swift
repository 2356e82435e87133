import Domain
import JSONCoding

extension RoutePath {
    static func graphhopper(_ json: JSON) throws(FileError) -> [RoutePath] {
        guard let routes = json["paths"]?.array else { throw FileError("the response is no answer of GraphHopper") }
        var paths: [RoutePath] = []
        for route in routes.prefix(RouteAnswer.routeLimit) { paths.append(try RoutePath(graphhopper: route)) }
        return paths
    }

    private init(graphhopper route: JSON) throws(FileError) {
        statedMetres = route["distance"]?.number
        statedSeconds = route["time"]?.number.map { $0 / 1000 }
        if let text = route["points"]?.string {
            let decimals = route["points_encoded_multiplier"]?.number == 1_000_000 ? 6 : 5
            let hasAltitude = (route["bbox"]?.array?.count ?? 4) == 6 || route["elevation"]?.bool == true
            points = try EncodedPolyline.points(Array(text.utf8), decimals: decimals, hasAltitude: hasAltitude)
        } else {
            for position in route["points"]?["coordinates"]?.array ?? [] { try add(position) }
        }
        for instruction in route["instructions"]?.array ?? [] {
            guard let sign = instruction["sign"]?.integer, let index = instruction["interval"]?.array?.first?.integer,
                index > 0, let kind = CoursePointKind(graphhopperSign: sign)
            else { continue }
            turns.append(
                Turn(index: index, kind: kind, name: instruction["text"]?.string.flatMap { SanitizedText($0) }))
        }
    }
}

extension CoursePointKind {
    /// Nil for the destination, a via point, and what is no turn.
    fileprivate init?(graphhopperSign sign: Int) {
        switch sign {
        case -98, -8, 8: self = .uTurn
        case -7: self = .leftFork
        case -3: self = .sharpLeft
        case -2: self = .left
        case -1: self = .slightLeft
        case 0: self = .straight
        case 1: self = .slightRight
        case 2: self = .right
        case 3: self = .sharpRight
        case 6, -6: self = .generic
        case 7: self = .rightFork
        default: return nil
        }
    }
}
