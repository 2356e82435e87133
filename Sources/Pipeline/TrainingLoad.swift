import CMath
package import Domain

/// The power that a body spends, by its heart rate.
///
/// Source: Keytel et al., 2005, the equations without VO2max. They hold between about 90 and 150 bpm; below they may be
/// negative, which counts as 0.
package struct EnergyModel: Equatable, Sendable {
    package var sex: Sex
    /// Years.
    package var age: Int
    /// Kilograms.
    package var weight: Double

    package init(sex: Sex, age: Int, weight: Double) {
        self.sex = sex
        self.age = age
        self.weight = weight
    }

    /// Kilojoules a minute, at least 0.
    package func kilojoulesPerMinute(at beatsPerMinute: Double) -> Double {
        let value =
            switch sex {
            case .male: -55.0969 + 0.6309 * beatsPerMinute + 0.1988 * weight + 0.2017 * Double(age)
            case .female: -20.4022 + 0.4472 * beatsPerMinute - 0.1263 * weight + 0.074 * Double(age)
            }
        return max(value, 0)
    }

    /// Kilojoules of a kilocalorie.
    package static let kilojoulesPerKilocalorie = 4.184
}

extension Settings {
    /// Nil unless age, sex and weight are set.
    package var energyModel: EnergyModel? {
        guard let sex, age > 0, weightKilograms > 0 else { return nil }
        return EnergyModel(sex: sex, age: age, weight: Double(weightKilograms))
    }

    /// Nil unless sex, resting and maximum heart rate are set.
    package var impulseModel: TrainingImpulse? {
        guard let sex else { return nil }
        return TrainingImpulse(sex: sex, resting: restingHeartRate, maximum: maxHeartRate)
    }
}

/// The steps of the energy that a strap counts.
///
/// The counter is in kilojoules since its last reset. It stops at 65,535, restarts from 0 when the strap is put on, and some
/// straps let it wrap: a value that is smaller than the one before counts from 0.
///
/// Source: Heart Rate Service 1.0, section 3.1.1.3.
package struct EnergyCounter: Equatable, Sendable {
    private var newest: UInt16?

    /// A value from which on the counter has stopped.
    private static let saturated = UInt16.max
    /// The largest step between two values of a strap, in kilojoules: ten minutes of the hardest effort. More is the count
    /// of a time without a link, or of another person.
    private static let largestStep = 1000

    package init() {}

    /// Whether the counter goes on from its newest value. One that is 0 may belong to a strap that does not count.
    package var isCounting: Bool {
        newest.map { $0 > 0 && $0 != Self.saturated } ?? false
    }

    /// Forgets the newest value: what follows is counted from the next one, as after a pause.
    package mutating func interrupt() {
        newest = nil
    }

    /// - Returns: The kilojoules since the value before; nil if they are unknown.
    package mutating func receive(_ value: UInt16) -> Int? {
        defer { newest = value }
        guard let newest, newest != Self.saturated else { return nil }
        let step = value >= newest ? Int(value - newest) : Int(value)
        return step <= Self.largestStep ? step : nil
    }
}

/// The load of a run by the heart rate: the training impulse of Banister, summed over its time.
///
/// A minute at the part r of the heart-rate reserve weighs r · 0.64 e^(1.92 r) for men and r · 0.86 e^(1.67 r) for women.
/// The weight is convex: the sum over the time is more than the weight of the average heart rate.
///
/// Source: Banister, 1991, "Modeling elite athletic performance"; Morton et al., 1990.
package struct TrainingImpulse: Equatable, Sendable {
    package var sex: Sex
    /// Beats per minute.
    package var resting: Int
    package var maximum: Int

    /// Nil unless the maximum is above the heart rate at rest.
    package init?(sex: Sex, resting: Int, maximum: Int) {
        guard resting > 0, maximum > resting else { return nil }
        self.sex = sex
        self.resting = resting
        self.maximum = maximum
    }

    /// The impulse of a minute at a heart rate, 0 at rest and below.
    package func perMinute(at beatsPerMinute: Double) -> Double {
        let part = (beatsPerMinute - Double(resting)) / Double(maximum - resting)
        guard part > 0 else { return 0 }
        return switch sex {
        case .male: part * 0.64 * exp(1.92 * part)
        case .female: part * 0.86 * exp(1.67 * part)
        }
    }
}
