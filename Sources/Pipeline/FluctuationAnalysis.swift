import CMath

/// The short-term scaling exponent α1 of RR intervals: detrended fluctuation analysis over 3 to 15 beats.
///
/// The variant is that of FatMaxxer and of Altini's scripts: the profile is the running sum of the intervals less their
/// mean, without a leading zero. For each scale n it is cut into boxes of n values, from its beginning and from its end.
/// F(n) is the root of the mean square of the residuals of a line through each box. α1 is the slope of log2 F over
/// log2 n, each scale weighted by its number among 30 that are equally spaced in the logarithm.
package struct FluctuationAnalysis: Sendable {
    /// The running sum, kept for its capacity.
    private var profile: [Double] = []

    private static let scales: [(length: Int, weight: Double)] = [
        (3, 1), (4, 4), (5, 4), (6, 3), (7, 3), (8, 2), (9, 3), (10, 2), (11, 1), (12, 2), (13, 2), (14, 1), (15, 2),
    ]

    package init() {}

    /// - Parameter intervals: in milliseconds.
    /// - Returns: Nil for fewer than 16 intervals, and for those that follow a line.
    package mutating func alpha1(of intervals: some Collection<Double>) -> Double? {
        guard intervals.count > 15 else { return nil }
        profile.removeAll(keepingCapacity: true)
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        var sum = 0.0
        for interval in intervals {
            sum += interval - mean
            profile.append(sum)
        }
        // The weighted regression of log2 F on log2 n.
        var (weights, meanX, meanY) = (0.0, 0.0, 0.0)
        var (spread, product) = (0.0, 0.0)
        for (length, weight) in Self.scales {
            let fluctuation = fluctuation(over: length)
            guard fluctuation > 0 else { return nil }
            let (x, y) = (log2(Double(length)), log2(fluctuation))
            weights += weight
            let (stepX, stepY) = (x - meanX, y - meanY)
            meanX += stepX * weight / weights
            meanY += stepY * weight / weights
            spread += weight * stepX * (x - meanX)
            product += weight * stepX * (y - meanY)
        }
        let slope = product / spread
        return slope.isFinite ? slope : nil
    }

    private func fluctuation(over length: Int) -> Double {
        let boxes = profile.count / length
        var sum = 0.0
        for box in 0..<boxes {
            sum += residual(from: box * length, length)
            sum += residual(from: profile.count - (box + 1) * length, length)
        }
        return (sum / Double(2 * boxes)).squareRoot()
    }

    /// The mean square of the residuals of the line through the values of a box.
    private func residual(from start: Int, _ length: Int) -> Double {
        let middle = Double(length - 1) / 2
        var mean = 0.0
        for place in start..<start + length { mean += profile[place] }
        mean /= Double(length)
        var product = 0.0
        for place in 0..<length { product += (Double(place) - middle) * (profile[start + place] - mean) }
        let slope = product / (Double(length * (length * length - 1)) / 12)
        var squares = 0.0
        for place in 0..<length {
            let rest = profile[start + place] - mean - slope * (Double(place) - middle)
            squares += rest * rest
        }
        return squares / Double(length)
    }
}
