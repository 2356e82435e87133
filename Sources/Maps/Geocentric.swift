import CMath
import Domain

/// Vectors from the centre of the Earth, in metres: x points to 0° N 0° E, z to the north pole.
enum Geocentric {
    /// Source: WGS 84, NIMA TR8350.2, tables 3.1 and 3.3.
    private static let semiMajorAxis = 6_378_137.0
    private static let squaredEccentricity = 6.694_379_990_141_33e-3
    private static let meanRadius = 6_371_008.7714

    /// At the equator, where a degree of latitude is shortest; and of longitude at the equator, times the cosine elsewhere
    /// or more.
    static let leastMetresPerDegreeNorth = 110_574.0
    static let metresPerDegreeEast = 111_319.0

    static func point(_ place: Coordinate) -> SIMD3<Double> {
        let up = up(place)
        let normal = semiMajorAxis / (1 - squaredEccentricity * up.z * up.z).squareRoot()
        return SIMD3(normal * up.x, normal * up.y, normal * (1 - squaredEccentricity) * up.z)
    }

    /// Of a point of the ellipsoid.
    static func coordinate(_ point: SIMD3<Double>) -> Coordinate {
        let toAxis = (point.x * point.x + point.y * point.y).squareRoot()
        return Coordinate(
            latitude: atan2(point.z, (1 - squaredEccentricity) * toAxis) * 180 / .pi,
            longitude: atan2(point.y, point.x) * 180 / .pi)
    }

    /// The direction to the zenith, of length 1.
    static func up(_ place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// Metres along the ellipsoid: the chord as an arc of the mean sphere.
    static func metres(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
        2 * meanRadius * asin(min(length(other - one) / (2 * meanRadius), 1))
    }

    static func metres(from one: Coordinate, to other: Coordinate) -> Double {
        metres(point(one), point(other))
    }

    /// The inner points that divide an arc into `count` parts, on the ellipsoid; none between antipodes.
    static func arc(from start: SIMD3<Double>, to end: SIMD3<Double>, count: Int) -> [SIMD3<Double>] {
        guard count > 1 else { return [] }
        let angle = atan2(length(cross(start, end)), dot(start, end))
        guard sin(angle) > 1e-9 else { return [] }
        return (1..<count).map { index in
            let part = Double(index) / Double(count)
            let inner = (sin((1 - part) * angle) * start + sin(part * angle) * end) / sin(angle)
            let polar = inner.z * inner.z / (1 - squaredEccentricity)
            return inner * (semiMajorAxis / (inner.x * inner.x + inner.y * inner.y + polar).squareRoot())
        }
    }

    static func dot(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
        one.x * other.x + one.y * other.y + one.z * other.z
    }

    static func cross(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(
            one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z, one.x * other.y - one.y * other.x)
    }

    static func length(_ vector: SIMD3<Double>) -> Double {
        dot(vector, vector).squareRoot()
    }

    /// A difference of longitudes as −180..<180.
    static func wrapped(_ degrees: Double) -> Double {
        degrees - 360 * ((degrees + 180) / 360).rounded(.down)
    }
}
