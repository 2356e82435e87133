import CMath

/// Seeded random numbers that are the same on every machine.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A uniform number from `low` up to, but not including, `high`.
    mutating func uniform(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) * 0x1p-53
    }

    /// A nearly normal number of mean 0 and standard deviation 1, within ±6: the sum of twelve uniform ones.
    mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += uniform(0, 1) }
        return sum
    }
}

/// Correlated noise: a first-order Gauss-Markov process of mean 0, stepped once per second.
struct GaussMarkovNoise: Sendable {
    private(set) var value: Double
    /// Standard deviation of ``value``.
    private let deviation: Double
    /// The factor by which the value decays in one second.
    private let correlation: Double

    /// - Parameter seconds: the time in which the autocorrelation falls to 1/e.
    init(deviation: Double, over seconds: Double, using random: inout SplitMix64) {
        self.deviation = deviation
        correlation = exp(-1 / seconds)
        value = deviation * random.normal()
    }

    mutating func step(using random: inout SplitMix64) {
        value = correlation * value + deviation * (1 - correlation * correlation).squareRoot() * random.normal()
    }
}
