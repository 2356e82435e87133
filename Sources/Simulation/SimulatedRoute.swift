import CMath
package import Domain

/// A closed route on real paths: over a hill to a lake, around it and back, repeated endlessly.
package struct SimulatedRoute: Sendable {
    /// A vertex of the route, and the start of its next segment.
    private struct Vertex {
        /// Degrees north and east.
        var latitude, longitude: Double
        /// Metres above mean sea level.
        var elevation: Double
        /// Metres along the route from its start.
        var distance: Double
    }

    /// A position on the route.
    package struct Place: Equatable {
        package internal(set) var coordinate: Coordinate
        /// Metres above mean sea level.
        package internal(set) var elevation: Double
        /// The direction of the route in degrees from true north, 0 up to 360.
        package internal(set) var heading: Double
        /// The slope: metres up per metre along the route, negative downhill.
        package internal(set) var grade: Double
    }

    /// The vertices in order. The last one is the first one, one round later.
    private let vertices: [Vertex]

    /// The length of one round in metres.
    package var length: Double { vertices[vertices.count - 1].distance }

    package init() {
        var (north, east, up) = Self.origin
        var distance = 0.0
        var vertices: [Vertex] = []
        vertices.reserveCapacity(Self.steps.count / 3 + 1)
        func vertex() -> Vertex {
            Vertex(
                latitude: Double(north) / 1e6, longitude: Double(east) / 1e6, elevation: Double(up) / 10,
                distance: distance)
        }
        vertices.append(vertex())
        for index in stride(from: 0, to: Self.steps.count, by: 3) {
            let middle = (Double(north) + Double(Self.steps[index]) / 2) / 1e6
            let metres = MetresPerDegree(latitude: middle)
            distance += hypot(
                Double(Self.steps[index]) / 1e6 * metres.north, Double(Self.steps[index + 1]) / 1e6 * metres.east)
            north += Int(Self.steps[index])
            east += Int(Self.steps[index + 1])
            up += Int(Self.steps[index + 2])
            vertices.append(vertex())
        }
        self.vertices = vertices
    }

    /// The position at a distance from the start. Beyond ``length`` the route repeats.
    ///
    /// - Parameter distance: metres, 0 or more.
    package func place(at distance: Double) -> Place {
        let rest = distance.truncatingRemainder(dividingBy: length)
        // Finds the last vertex at or before `rest`, but never the closing one.
        var low = 0
        var high = vertices.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if vertices[middle].distance <= rest { low = middle } else { high = middle }
        }
        let from = vertices[low]
        let to = vertices[high]
        let stretch = to.distance - from.distance
        let fraction = (rest - from.distance) / stretch
        let metres = MetresPerDegree(latitude: (from.latitude + to.latitude) / 2)
        let heading = atan2(
            (to.longitude - from.longitude) * metres.east, (to.latitude - from.latitude) * metres.north)
        return Place(
            coordinate: Coordinate(
                latitude: from.latitude + fraction * (to.latitude - from.latitude),
                longitude: from.longitude + fraction * (to.longitude - from.longitude)),
            elevation: from.elevation + fraction * (to.elevation - from.elevation),
            heading: Self.turned(heading * 180 / .pi),
            grade: (to.elevation - from.elevation) / stretch)
    }

    /// Normalizes a direction in degrees to 0 up to 360.
    static func turned(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        // A tiny negative angle rounds up to 360.
        return turned == 360 ? 0 : turned
    }
}

/// The length of a degree on the WGS-84 ellipsoid.
///
/// It is separate from the pipeline's geodesic on purpose, which is tested against distances computed with this.
package struct MetresPerDegree {
    /// Metres per degree of latitude and of longitude.
    package let north, east: Double

    package init(latitude: Double) {
        let semimajor = 6_378_137.0
        let eccentricitySquared = 0.006_694_379_990_14
        let sine = sin(latitude * .pi / 180)
        let squared = 1 - eccentricitySquared * sine * sine
        north = semimajor * (1 - eccentricitySquared) / (squared * squared.squareRoot()) * .pi / 180
        east = semimajor / squared.squareRoot() * cos(latitude * .pi / 180) * .pi / 180
    }
}
