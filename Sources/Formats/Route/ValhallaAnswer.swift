import Domain
import JSONCoding

extension RoutePath {
    private static let legLimit = 64

    /// The route `trip`, and others in `alternates`. The altitudes of a leg are each `elevation_interval` metres apart.
    static func valhalla(_ json: JSON) throws(FileError) -> [RoutePath] {
        guard let first = json["trip"] else { throw FileError("the response is no answer of Valhalla") }
        let trips = [first] + (json["alternates"]?.array ?? []).compactMap { $0["trip"] }
        var paths: [RoutePath] = []
        for trip in trips.prefix(RouteAnswer.routeLimit) { paths.append(try RoutePath(trip: trip)) }
        return paths
    }

    private init(trip: JSON) throws(FileError) {
        let kilometres = trip["units"]?.string == "miles" ? 1.609344 : 1
        statedMetres = trip["summary"]?["length"]?.number.map { $0 * kilometres * 1000 }
        statedSeconds = trip["summary"]?["time"]?.number
        for leg in (trip["legs"]?.array ?? []).prefix(Self.legLimit) {
            guard let shape = leg["shape"]?.string else { throw FileError("a leg of the route has no shape") }
            var part = RoutePath()
            part.points = try EncodedPolyline.points(Array(shape.utf8), decimals: 6).map { ($0.coordinate, nil) }
            try part.setAltitudes(
                leg["elevation"]?.array?.map(\.number) ?? [], interval: leg["elevation_interval"]?.number)
            let offset = points.count
            for maneuver in leg["maneuvers"]?.array ?? [] {
                guard let type = maneuver["type"]?.integer, let index = maneuver["begin_shape_index"]?.integer,
                    let kind = CoursePointKind(valhallaType: type)
                else { continue }
                let name = maneuver["instruction"]?.string.flatMap { SanitizedText($0) }
                turns.append(Turn(index: offset + index, kind: kind, name: name))
            }
            points += part.points
        }
    }

    /// Gives each point the altitude that lies between the two nearest samples along the route.
    private mutating func setAltitudes(_ samples: [Double?], interval: Double?) throws(FileError) {
        guard let interval, interval > 0, samples.count > 1 else { return }
        for (index, metres) in try distances().enumerated() {
            // The last sample is at the end, nearer than the interval.
            let place = min(metres / interval, Double(samples.count - 1))
            let low = Int(place)
            guard let before = samples[low] else { continue }
            let after = samples[min(low + 1, samples.count - 1)] ?? before
            points[index].altitude = before + (after - before) * (place - Double(low))
        }
    }
}

extension CoursePointKind {
    /// Nil for the start, the destination, and what is no turn.
    ///
    /// Source: the types of maneuvers in valhalla's directions.proto.
    fileprivate init?(valhallaType type: Int) {
        switch type {
        case 8, 17, 22: self = .straight
        case 9: self = .slightRight
        case 10, 18, 20: self = .right
        case 11: self = .sharpRight
        case 12, 13: self = .uTurn
        case 14: self = .sharpLeft
        case 15, 19, 21: self = .left
        case 16: self = .slightLeft
        case 23, 37: self = .rightFork
        case 24, 38: self = .leftFork
        case 26, 27: self = .generic
        default: return nil
        }
    }
}
