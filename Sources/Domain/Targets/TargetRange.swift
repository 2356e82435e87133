/// A measured value that an alert or a step of a workout watches.
package enum TargetQuantity: String, CaseIterable, Sendable {
    case heartRate = "heart_rate"
    case zone
    case power
    case powerZone = "power_zone"
    case cadence
    case speed
    case pace

    /// The limits that a range of this quantity may have, in the unit of ``TargetRange``.
    var limits: ClosedRange<Double> {
        switch self {
        case .heartRate: 30...250
        case .zone: 1...5
        case .power: 1...4000
        case .powerZone: 1...7
        case .cadence: 1...300
        case .speed: 0.1...60
        case .pace: 1000.0 / 3600...1000.0 / 60
        }
    }

    /// The words of a range, with the limits that its ends may have, for errors.
    var rule: String {
        switch self {
        case .heartRate: "heart_rate LOW..HIGH; heart_rate is 30 to 250"
        case .zone: "zone 2 or zone 2..3; zone is 1 to 5"
        case .power: "power LOW..HIGH; power is 1 to 4000"
        case .powerZone: "power_zone 2 or power_zone 2..3; power_zone is 1 to 7"
        case .cadence: "cadence LOW..HIGH; cadence is 1 to 300"
        case .speed: "speed LOW..HIGH km/h, mph or m/s; speed is 0.1 to 60 m/s"
        case .pace: "pace 4:30..5:00 /km or /mi, the faster one first; pace is 1:00 to 60:00 /km"
        }
    }

    /// How far inside the range a value must be to end an alert, so that noise at the limit does not repeat it.
    package var hysteresis: Double {
        switch self {
        case .heartRate, .cadence: 2
        case .zone, .powerZone: 0
        case .power: 5
        case .speed, .pace: 0.1
        }
    }

    var isZone: Bool { self == .zone || self == .powerZone }
}

/// Where a value is.
package enum TargetState: String, CaseIterable, Sendable {
    case low, within, high
}

/// The range in which a value shall stay; at least one end is set.
///
/// Units: beats per minute, zones, watts, revolutions or steps per minute, metres per second. A pace is kept as its
/// speed: `low` is the slow end.
package struct TargetRange: Equatable, Sendable {
    package let quantity: TargetQuantity
    package let low: Double?
    package let high: Double?

    /// Nil if an end is outside the limits of the quantity, or if the ends are in the wrong order.
    package init?(_ quantity: TargetQuantity, low: Double?, high: Double?) {
        let ends = [low, high].compactMap(\.self)
        guard !ends.isEmpty, ends.allSatisfy(quantity.limits.contains) else { return nil }
        if let low, let high, quantity.isZone ? low > high : low >= high { return nil }
        self.quantity = quantity
        self.low = low
        self.high = high
    }

    /// Where a value is. A value that was outside is inside only beyond the hysteresis, or beyond half of a narrow
    /// range.
    package func state(of value: Double, before: TargetState) -> TargetState {
        var margin = quantity.hysteresis
        if let low, let high { margin = min(margin, (high - low) / 2) }
        if let low, value < low + (before == .low ? margin : 0) { return .low }
        if let high, value > high - (before == .high ? margin : 0) { return .high }
        return .within
    }
}
