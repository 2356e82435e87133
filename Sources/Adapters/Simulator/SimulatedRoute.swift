import CMath
import Domain

/// A closed way over paths that exist: over a hill to a lake, round it, and back, without end.
struct SimulatedRoute: Sendable {
    /// A point of the way, and the stretch that leads on from it.
    private struct Vertex {
        /// Degrees north and east.
        var latitude, longitude: Double
        /// Metres above mean sea level.
        var elevation: Double
        /// Metres along the way from its beginning.
        var distance: Double
    }

    /// A place on the way.
    struct Place: Equatable {
        var coordinate: Coordinate
        /// Metres above mean sea level.
        var elevation: Double
        /// Where the way leads, degrees from true north, 0 up to 360.
        var heading: Double
        /// How the way climbs: metres up for each metre on, negative downhill.
        var grade: Double
    }

    /// The vertices in order; the last is the first again, one round later.
    private let vertices: [Vertex]

    /// Metres once round.
    var length: Double { vertices[vertices.count - 1].distance }

    init() {
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

    /// The place so many metres from the beginning; beyond ``length`` the way begins again.
    ///
    /// - Parameter distance: metres, 0 or more.
    func place(at distance: Double) -> Place {
        let rest = distance.truncatingRemainder(dividingBy: length)
        // The last vertex at or before `rest`, and never the closing one.
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

    /// A direction in degrees brought into 0 up to 360.
    static func turned(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        // A tiny negative angle rounds up to a whole turn.
        return turned == 360 ? 0 : turned
    }
}

/// How long a degree is on the WGS-84 ellipsoid.
///
/// Kept apart from the pipeline's geodesic on purpose: that one is tested against distances made with this.
struct MetresPerDegree {
    /// Metres of a degree of latitude, and of longitude.
    let north, east: Double

    init(latitude: Double) {
        let semimajor = 6_378_137.0
        let eccentricitySquared = 0.006_694_379_990_14
        let sine = sin(latitude * .pi / 180)
        let squared = 1 - eccentricitySquared * sine * sine
        north = semimajor * (1 - eccentricitySquared) / (squared * squared.squareRoot()) * .pi / 180
        east = semimajor / squared.squareRoot() * cos(latitude * .pi / 180) * .pi / 180
    }
}
