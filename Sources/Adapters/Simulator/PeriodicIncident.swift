/// What happens again and again on a simulated run, at known times.
struct PeriodicIncident: Sendable {
    /// When it first begins, how long it lasts and after how long it begins again: seconds since the start.
    var first, length, period: Double

    /// How long it has lasted, in seconds, so long after the start; nil while it does not.
    func age(after seconds: Double) -> Double? {
        guard seconds >= first else { return nil }
        let age = (seconds - first).truncatingRemainder(dividingBy: period)
        return age < length ? age : nil
    }
}

extension PeriodicIncident {
    /// A light turns red; with the braking before it the runner stands for some 15 s.
    static let redLight = PeriodicIncident(first: 40, length: 18, period: 300)

    /// The sky is hidden from the receiver.
    static let tunnel = PeriodicIncident(first: 75, length: 20, period: 300)

    /// The strap is out of reach.
    static let dropout = PeriodicIncident(first: 150, length: 12, period: 420)
}
