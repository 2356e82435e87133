/// Reproducible random numbers (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform in 0..<1.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Normal with mean 0 and variance 1: the sum of twelve uniform numbers minus six.
    package mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
    }
}
