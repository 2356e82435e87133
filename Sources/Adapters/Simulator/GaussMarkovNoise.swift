import CMath

/// Noise that remembers: a first-order Gauss-Markov process of mean 0, stepped once a second.
struct GaussMarkovNoise: Sendable {
    private(set) var value: Double
    /// Standard deviation of ``value``.
    private let deviation: Double
    /// How much of the value is left after a second.
    private let kept: Double

    /// - Parameter seconds: after so long the autocorrelation has fallen to 1/e.
    init(deviation: Double, over seconds: Double, using random: inout SplitMix64) {
        self.deviation = deviation
        kept = exp(-1 / seconds)
        value = deviation * random.normal()
    }

    mutating func step(using random: inout SplitMix64) {
        value = kept * value + deviation * (1 - kept * kept).squareRoot() * random.normal()
    }
}
