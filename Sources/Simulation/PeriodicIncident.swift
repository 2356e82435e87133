/// A recurring incident of a simulated run, at fixed times.
struct PeriodicIncident: Sendable {
    /// The first start, the length and the period, in seconds since the start of the run.
    var first, length, period: Double

    /// The seconds since the current occurrence began, at a time since the start. Nil between occurrences.
    func age(after seconds: Double) -> Double? {
        guard seconds >= first else { return nil }
        let age = (seconds - first).truncatingRemainder(dividingBy: period)
        return age < length ? age : nil
    }
}

extension PeriodicIncident {
    /// A red traffic light. With the braking before it the runner stops for about 15 s.
    static let redLight = PeriodicIncident(first: 40, length: 18, period: 300)

    /// The receiver has no view of the sky.
    static let tunnel = PeriodicIncident(first: 75, length: 20, period: 300)

    /// The strap is out of range.
    static let dropout = PeriodicIncident(first: 150, length: 12, period: 420)
}
