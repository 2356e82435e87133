import Domain
import JSONCoding

/// A route that a route engine has found.
package struct RouteAnswer: Equatable, Sendable {
    /// The route with its turns.
    package var course: ImportedCourse
    /// The length of its line.
    package var metres: Double
    /// What the engine states.
    package var statedMetres: Double?
    package var statedSeconds: Double?

    /// The most bytes of a response.
    package static let sizeLimit = 512 << 10
    /// The most routes of a response.
    package static let routeLimit = 16
    /// The longest route, in metres. It bounds the memory of a search.
    package static let lengthLimit = 500_000.0

    /// Why a response has no routes.
    package enum Failure: Error, Equatable, Sendable {
        /// The body has another format, or a route is no course.
        case format(FileError)
        /// Even the shortest route is too long.
        case tooLong(metres: Double)
    }
}

/// The format of a route engine's responses.
package enum RouteDialect: String, CaseIterable, Sendable {
    /// BRouter's GeoJSON with `timode=2`. Source: abrensch/brouter, 1.7.
    case brouter
    /// Valhalla's JSON, with a shape of six decimals and altitudes along it. Source: valhalla.github.io, API of `/route`.
    case valhalla
    /// GraphHopper's JSON, with encoded points or without. Source: docs.graphhopper.com, Routing API.
    case graphhopper

    /// Reads the routes of a response. Leaves out those that are too long, before their courses take memory.
    package func answers(_ body: [UInt8]) throws(RouteAnswer.Failure) -> [RouteAnswer] {
        var answers: [RouteAnswer] = []
        var shortest = Double.infinity
        do throws(FileError) {
            for path in try paths(body).prefix(RouteAnswer.routeLimit) {
                let distances = try path.distances()
                let length = distances.last ?? 0
                shortest = min(shortest, length)
                if length <= RouteAnswer.lengthLimit { answers.append(try path.answer(distances)) }
            }
        } catch {
            throw .format(error)
        }
        guard !answers.isEmpty else { throw .tooLong(metres: shortest) }
        return answers
    }

    private func paths(_ body: [UInt8]) throws(FileError) -> [RoutePath] {
        guard body.count <= RouteAnswer.sizeLimit else {
            throw FileError("the response has more than \(RouteAnswer.sizeLimit) bytes")
        }
        let json: JSON
        do throws(ParseError) {
            json = try JSON(parsing: body)
        } catch {
            throw FileError(at: .byte(error.offset), "the response is not JSON: expected \(error.expected.text)")
        }
        let paths =
            switch self {
            case .brouter: try RoutePath.brouter(json)
            case .valhalla: try RoutePath.valhalla(json)
            case .graphhopper: try RoutePath.graphhopper(json)
            }
        guard !paths.isEmpty else { throw FileError("the response has no route") }
        return paths
    }
}

/// The points of a route, and the turns at some of them.
struct RoutePath {
    struct Turn {
        /// The index of its point.
        var index: Int
        var kind: CoursePointKind
        var name: SanitizedText?
    }

    var points: [(coordinate: Coordinate, altitude: Double?)] = []
    var turns: [Turn] = []
    var statedMetres: Double?
    var statedSeconds: Double?

    /// Metres from the start to each point.
    ///
    /// - Throws: ``FileError`` for a point that is not on the Earth.
    func distances() throws(FileError) -> [Double] {
        var distances: [Double] = []
        for (index, point) in points.enumerated() {
            try CourseBuilder.check(point.coordinate)
            distances.append(
                index == 0 ? 0 : distances[index - 1] + points[index - 1].coordinate.metres(to: point.coordinate))
        }
        return distances
    }

    /// - Parameter distances: ``distances()``.
    func answer(_ distances: [Double]) throws(FileError) -> RouteAnswer {
        var builder = CourseBuilder()
        for point in points { try builder.add(point.coordinate, altitude: point.altitude, time: nil) }
        builder.statedLength = distances.last ?? 0
        for turn in turns where points.indices.contains(turn.index) {
            try builder.add(
                CourseBuilder.Cue(
                    coordinate: points[turn.index].coordinate, kind: turn.kind, name: turn.name,
                    distance: distances[turn.index]))
        }
        return RouteAnswer(
            course: try builder.finish(name: nil, sport: nil, missing: "the route has no points"),
            metres: distances.last ?? 0, statedMetres: statedMetres, statedSeconds: statedSeconds)
    }

    /// A point of `[longitude, latitude, altitude?]`.
    mutating func add(_ position: JSON) throws(FileError) {
        let numbers = position.array ?? []
        guard numbers.count >= 2, let longitude = numbers[0].number, let latitude = numbers[1].number else {
            throw FileError("point \(points.count + 1) of the route has no longitude and latitude")
        }
        points.append(
            (
                Coordinate(latitude: latitude, longitude: longitude),
                numbers.count > 2 ? numbers[2].number : nil
            ))
    }
}
