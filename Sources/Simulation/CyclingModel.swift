/// The speed and the power of a simulated cyclist on a grade.
///
/// Source: Martin et al., "Validation of a mathematical model for road cycling power", 1998: rolling resistance, gravity
/// and air. Rider and bicycle have 82 kg.
enum CyclingModel {
    private static let weight = 82 * 9.81
    private static let rollingResistance = 0.006
    /// Half of the air's density times the drag area, in kilograms per metre.
    private static let drag = 0.5 * 1.2 * 0.35
    /// Watts on the flat, and the limits of speed in metres per second: a hill is climbed at a walk, a descent is braked.
    private static let power = 170.0
    private static let speeds = 1.5...13.0
    /// Watts at an effort of a runner at 1 m/s.
    private static let wattsPerEffort = 57.0

    /// - Parameter mood: the deviation of the power from its mean, as a fraction.
    /// - Returns: metres per second, and the equivalent running speed on the flat.
    static func ride(grade: Double, mood: Double) -> (speed: Double, effort: Double) {
        // Uphill a rider pushes harder.
        let wanted = power * max(0.2, min(1 + 4 * grade, 1.5)) * (1 + mood)
        var (low, high) = (speeds.lowerBound, speeds.upperBound)
        for _ in 0..<20 {
            let middle = (low + high) / 2
            if watts(at: middle, grade: grade) < wanted { low = middle } else { high = middle }
        }
        return (low, max(0, min(watts(at: low, grade: grade), wanted)) / wattsPerEffort)
    }

    private static func watts(at speed: Double, grade: Double) -> Double {
        (weight * (rollingResistance + grade) + drag * speed * speed) * speed
    }
}
