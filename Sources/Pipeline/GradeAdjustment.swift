/// The speed on level ground that costs a runner as much as a speed on a slope.
///
/// The energy of a metre on a gradient i is 155.4 i⁵ − 30.4 i⁴ − 43.3 i³ + 46.3 i² + 19.5 i + 3.6 J/(kg m), measured for
/// gradients of −0.45 to 0.45. Source: Minetti et al., 2002, "Energy cost of walking and running at extreme uphill and
/// downhill slopes".
package enum GradeAdjustment {
    /// The gradients of the measurement; others count as the nearest of these.
    package static let gradients = -0.45...0.45

    /// The energy of running a metre.
    ///
    /// - Parameter gradient: the rise over the way on level ground.
    /// - Returns: Joules for each kilogram and metre.
    package static func cost(at gradient: Double) -> Double {
        let i = min(max(gradient, gradients.lowerBound), gradients.upperBound)
        return ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6
    }

    /// The metres on level ground that cost as much as a metre on a grade in percent, more than 0; nil for a grade that is
    /// not finite.
    package static func levelMetres(percent: Double) -> Double? {
        percent.isFinite ? cost(at: percent / 100) / cost(at: 0) : nil
    }
}
