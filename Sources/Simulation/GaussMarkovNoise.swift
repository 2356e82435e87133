import CMath

/// Correlated noise: a first-order Gauss-Markov process of mean 0, stepped once per second.
struct GaussMarkovNoise: Sendable {
    private(set) var value: Double
    /// Standard deviation of ``value``.
    private let deviation: Double
    /// The factor by which the value decays in one second.
    private let kept: Double

    /// - Parameter seconds: the time in which the autocorrelation falls to 1/e.
    init(deviation: Double, over seconds: Double, using random: inout SplitMix64) {
        self.deviation = deviation
        kept = exp(-1 / seconds)
        value = deviation * random.normal()
    }

    mutating func step(using random: inout SplitMix64) {
        value = kept * value + deviation * (1 - kept * kept).squareRoot() * random.normal()
    }
}
