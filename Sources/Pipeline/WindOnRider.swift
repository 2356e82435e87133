import CMath
package import Domain

/// The wind of an observation in the direction of a movement.
package struct WindOnRider: Equatable, Sendable {
    /// Metres per second against the movement, at the height of the rider; negative with it.
    package let headwind: Double
    /// Metres per second across the movement, at the height of the rider; positive from the right.
    package let crosswind: Double
    /// Where the wind comes from, in degrees from the direction of movement: above -180 to 180, positive on the right; nil
    /// in a calm.
    package let relative: Double?

    /// The log law of wind over grass, of roughness 0.03 m: ln(1 / 0.03) / ln(10 / 0.03), the speed at 1 m over that of
    /// the stations at 10 m.
    package static let heightFactor = 0.6036
    /// Metres per second; below it the direction of movement is not known well enough.
    package static let slowest = 0.5

    /// Nil below ``slowest``, and for a wind whose speed or direction is unknown or variable.
    ///
    /// - Parameters:
    ///   - course: the direction of movement, in degrees from true north.
    ///   - speed: over ground, in metres per second.
    package init?(_ observation: WeatherObservation, course: Double, speed: Double) {
        guard speed >= Self.slowest, course.isFinite, let wind = observation.windSpeed else { return nil }
        if wind == 0 {
            (headwind, crosswind, relative) = (0, 0, nil)
            return
        }
        guard case .from(let degrees) = observation.direction else { return nil }
        let angle = (degrees - course).remainder(dividingBy: 360)
        relative = angle == -180 ? 180 : angle
        headwind = wind * Self.heightFactor * cos(angle * .pi / 180)
        crosswind = wind * Self.heightFactor * sin(angle * .pi / 180)
    }
}
