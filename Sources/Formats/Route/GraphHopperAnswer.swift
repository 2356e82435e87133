import Domain
import JSONCoding

extension RoutePath {
    static func graphhopper(_ json: JSON) throws(FileError) -> [RoutePath] {
        guard let ways = json["paths"]?.array else { throw FileError("the response is no answer of GraphHopper") }
        var paths: [RoutePath] = []
        for way in ways.prefix(RouteAnswer.wayLimit) { paths.append(try RoutePath(graphhopper: way)) }
        return paths
    }

    private init(graphhopper way: JSON) throws(FileError) {
        statedMetres = way["distance"]?.number
        statedSeconds = way["time"]?.number.map { $0 / 1000 }
        if let text = way["points"]?.string {
            let decimals = way["points_encoded_multiplier"]?.number == 1_000_000 ? 6 : 5
            let hasAltitude = (way["bbox"]?.array?.count ?? 4) == 6 || way["elevation"]?.bool == true
            points = try EncodedPolyline.points(Array(text.utf8), decimals: decimals, hasAltitude: hasAltitude)
        } else {
            for position in way["points"]?["coordinates"]?.array ?? [] { try add(position) }
        }
        for instruction in way["instructions"]?.array ?? [] {
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
