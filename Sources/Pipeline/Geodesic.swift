import CMath
package import Domain

extension Coordinate {
    /// Metres along the WGS-84 ellipsoid to another point.
    ///
    /// The chord through the ellipsoid is exact everywhere, poles and antimeridian included; it is bent to the arc of a sphere of the mean
    /// radius, which costs 3e-11 of the length at 1 km and 3e-7 at 100 km. Beyond 1000 km it is good to 0.5 % only.
    package func metres(to other: Coordinate) -> Double {
        let from = geocentric
        let to = other.geocentric
        let x = to.x - from.x
        let y = to.y - from.y
        let z = to.z - from.z
        let chord = (x * x + y * y + z * z).squareRoot()
        return 2 * Self.meanRadius * asin(min(chord / (2 * Self.meanRadius), 1))
    }

    /// Metres from the centre of the Earth: x to 0° N 0° E, z to the north pole.
    private var geocentric: (x: Double, y: Double, z: Double) {
        let latitude = self.latitude * .pi / 180
        let longitude = self.longitude * .pi / 180
        let sine = sin(latitude)
        let normal = Self.semiMajorAxis / (1 - Self.squaredEccentricity * sine * sine).squareRoot()
        let toAxis = normal * cos(latitude)
        return (
            toAxis * cos(longitude), toAxis * sin(longitude), normal * (1 - Self.squaredEccentricity) * sine
        )
    }

    /// Source: WGS 84, NIMA TR8350.2, table 3.1 and 3.3.
    private static let semiMajorAxis = 6_378_137.0
    private static let squaredEccentricity = 6.694_379_990_141_33e-3
    private static let meanRadius = 6_371_008.7714
}
