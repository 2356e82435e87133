import Domain

/// Where the value of a step's target is: the range is the middle third of the gauge, one limit alone is its middle.
/// Faster is to the right, of a pace too.
struct WorkoutGauge: Equatable {
    /// The ends of the range as parts of the gauge, 0 to 1.
    let low: Double
    let high: Double
    /// The place of the value; nil while it is not known.
    let place: Double?
    /// The value in the unit of the step's text.
    let text: String

    /// Nil for a step without a target.
    init?(_ step: WorkoutStep, _ state: ReceivedState) {
        guard let range = step.target else { return nil }
        let value = Self.value(of: range.quantity, state)
        let (from, to) = Self.scale(of: range)
        func part(_ value: Double) -> Double { min(max((value - from) / (to - from), 0), 1) }
        // A zone has a width.
        let half = range.quantity.zones == nil ? 0 : 0.5
        low = range.low.map { part($0 - half) } ?? 0
        high = range.high.map { part($0 + half) } ?? 1
        place = value.map(part)
        text = value.map { Self.text(of: $0, step, range.quantity) } ?? "--"
    }

    private static func scale(of range: TargetRange) -> (from: Double, to: Double) {
        if let zones = range.quantity.zones { return (0.5, Double(zones) + 0.5) }
        switch (range.low, range.high) {
        case (let low?, let high?): return (low - (high - low), high + (high - low))
        case (let limit?, nil), (nil, let limit?): return (limit * 0.75, limit * 1.25)
        // A range has an end.
        case (nil, nil): return (0, 1)
        }
    }

    /// The value that `paced` compares with the range, in the unit of ``TargetRange``.
    private static func value(of quantity: TargetQuantity, _ state: ReceivedState) -> Double? {
        let heart = state.heart
        let isHeard = heart.link.state == .connected && !heart.isStale
        switch quantity {
        case .heartRate: return isHeard ? heart.bpm.map { Double($0) } : nil
        case .zone: return isHeard ? heart.zone.map { Double($0) } : nil
        case .power: return state.fields[.power3s]
        case .powerZone: return state.fields[.powerZone]
        case .cadence: return state.fields[.cadence]
        case .speed: return state.speed
        case .pace: return state.pace.flatMap { $0 > 0 ? 1 / $0 : nil }
        }
    }

    private static func text(of value: Double, _ step: WorkoutStep, _ quantity: TargetQuantity) -> String {
        // The unit of the target is the last word before the name.
        let words = step.text.prefix { $0 != "#" }.split(separator: " ").joined(separator: "")
        switch quantity {
        case .speed:
            let unit = ["mph", "m/s"].first { words.hasSuffix($0) } ?? "km/h"
            let metresPerSecond = ["mph": 0.44704, "m/s": 1][unit] ?? 1 / 3.6
            return (DecimalFormat.text(value / metresPerSecond, decimals: 1) ?? "--") + " " + unit
        case .pace:
            let isMetric = !words.hasSuffix("/mi")
            return RunFormat.pace(secondsPerMetre: 1 / value, metric: isMetric) + (isMetric ? " /km" : " /mi")
        case .heartRate, .power, .cadence, .zone, .powerZone:
            let unit = quantity.words.unit
            return (DecimalFormat.text(value, decimals: 0) ?? "--") + (unit.isEmpty ? "" : " " + unit)
        }
    }
}

extension TargetQuantity {
    /// The number of its zones; nil if it has none.
    fileprivate var zones: Int? {
        switch self {
        case .zone: 5
        case .powerZone: 7
        case .heartRate, .power, .cadence, .speed, .pace: nil
        }
    }
}
