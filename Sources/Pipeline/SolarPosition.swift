import CMath
import Domain

/// The apparent place of the sun seen from a place on the Earth, to about 2″ from 1990 to 2050.
///
/// The longitude has the 20 greatest periodic terms of VSOP87 for the Earth, nutation and aberration. Source: Meeus,
/// Astronomical Algorithms, 2nd edition, chapters 12, 13, 22, 25 and 32.
struct SolarPosition {
    /// Degrees from the meridian, positive westwards: above -180 to 180.
    let hourAngle: Double
    /// Degrees above the horizontal, of the centre, seen from the surface and without refraction.
    let altitude: Double
    /// Degrees.
    let semidiameter: Double

    private typealias Term = (amplitude: Double, phase: Double, rate: Double)

    /// Amplitude in 1e-8 rad, phase in rad, rate in rad in a thousand years.
    private static let constantTerms: [Term] = [
        (175_347_046, 0, 0), (3_341_656, 4.669_256_8, 6283.075_85), (34_894, 4.6261, 12_566.151_7),
        (3497, 2.7441, 5753.3849), (3418, 2.8289, 3.5231), (3136, 3.6277, 77_713.7715), (2676, 4.4181, 7860.4194),
        (2343, 6.1352, 3930.2097), (1324, 0.7425, 11_506.7698), (1273, 2.0371, 529.691), (1199, 1.1096, 1577.3435),
        (990, 5.233, 5884.927), (902, 2.045, 26.298), (857, 3.508, 398.149), (780, 1.179, 5223.694),
        (753, 2.533, 5507.553), (505, 4.583, 18_849.228), (492, 4.205, 775.523), (357, 2.92, 0.067),
        (317, 5.849, 11_790.629),
    ]
    private static let linearTerms: [Term] = [
        (628_331_966_747, 0, 0), (206_059, 2.678_235, 6283.075_85), (4303, 2.6351, 12_566.1517), (425, 1.59, 3.523),
    ]
    private static let squareTerms: [Term] = [(52_919, 0, 0), (8720, 1.0721, 6283.0758)]

    /// Seconds by which terrestrial time is ahead of UTC: 57 in 1990 and 69 in 2020. The sun moves 0.04″ in a second.
    private static let terrestrialLead = 69.0
    private static let degree = Double.pi / 180

    /// - Parameter seconds: UTC since 2000-01-01T12:00:00Z.
    init(at seconds: Double, _ place: Coordinate) {
        let days = seconds / 86_400
        let centuries = (seconds + Self.terrestrialLead) / 86_400 / 36_525
        let thousands = centuries / 10
        let longitude =
            (Self.sum(Self.constantTerms, thousands) + Self.sum(Self.linearTerms, thousands) * thousands
                + Self.sum(Self.squareTerms, thousands) * thousands * thousands) * 1e-8 + .pi
        let anomaly = 3.098_463_5 + 6283.075_85 * thousands
        let radius = 1.000_14 + 0.016_707 * cos(anomaly) + 0.000_139_6 * cos(3.055_25 + 12_566.1517 * thousands)
        // Nutation and aberration, in arcseconds.
        let node = (125.044_52 - 1934.136_261 * centuries) * Self.degree
        let sun = (280.4665 + 36_000.7698 * centuries) * Self.degree
        let moon = (218.3165 + 481_267.8813 * centuries) * Self.degree
        let nutation = -17.2 * sin(node) - 1.32 * sin(2 * sun) - 0.23 * sin(2 * moon) + 0.21 * sin(2 * node)
        let tilt = 9.2 * cos(node) + 0.57 * cos(2 * sun) + 0.1 * cos(2 * moon) - 0.09 * cos(2 * node)
        let apparent = longitude + (nutation - 20.4898 / radius - 0.0903) / 3600 * Self.degree
        let obliquity = (23.439_291_1 - 0.013_004_2 * centuries + tilt / 3600) * Self.degree
        let ascension = atan2(sin(apparent) * cos(obliquity), cos(apparent))
        let sineOfDeclination = sin(obliquity) * sin(apparent)
        let sidereal =
            280.460_618_37 + 360.985_647_366_29 * days + 0.000_387_933 * centuries * centuries
            + nutation / 3600 * cos(obliquity)
        let angle = (sidereal + place.longitude - ascension / Self.degree).remainder(dividingBy: 360)
        hourAngle = angle
        let latitude = place.latitude * Self.degree
        let sine =
            sin(latitude) * sineOfDeclination
            + cos(latitude) * (1 - sineOfDeclination * sineOfDeclination).squareRoot() * cos(angle * Self.degree)
        // The parallax is that of the horizon, where it matters.
        altitude = asin(min(max(sine, -1), 1)) / Self.degree - 8.794 / 3600 / radius
        semidiameter = 959.63 / 3600 / radius
    }

    private static func sum(_ terms: [Term], _ thousands: Double) -> Double {
        var sum = 0.0
        for term in terms { sum += term.amplitude * cos(term.phase + term.rate * thousands) }
        return sum
    }
}
