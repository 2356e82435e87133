/// Estimates the breaths per minute from RR intervals: breathing makes the heart beat faster and slower.
///
/// The intervals, sampled four times a second, pass a band of 0.15 to 0.5 Hz (9 to 30 breaths a minute). The rate is that
/// of the upward crossings of the band's values in the last minute. It is good if the crossings are regular, the
/// swing is wide enough to be breath, and the heart is not faster than 110 bpm: in hard exercise the rhythm is lost.
struct RespirationEstimator: Sendable {
    /// Samples of the band, kept for the capacity.
    private var samples: [Double] = []

    /// Samples a second.
    private static let rate = 4.0
    /// The seconds that the filter needs before it is settled, and those that count.
    private static let settling = 20
    private static let counted = 60
    /// The longest time between good beats, in milliseconds: the tachogram is a line in it.
    private static let longestGap = 3000.0
    /// The smallest swing, as the standard deviation in milliseconds, and the largest variation of the cycles.
    private static let leastSwing = 3.0
    private static let largestVariation = 0.35
    private static let shortestInterval = 60_000 / 110.0

    /// - Parameter beats: the beats of the last two minutes.
    /// - Returns: Nil if they cover less than 80 s, or if there is no rhythm.
    mutating func estimate(from beats: [VariabilityMeter.Beat]) -> (perMinute: Double, isGood: Bool)? {
        guard let last = beats.last(where: { $0.isGood }) else { return nil }
        let count = (Self.settling + Self.counted) * Int(Self.rate)
        let begin = Double(last.end) - Double(count) * 1000 / Self.rate
        guard sample(beats, from: begin, count: count), let mean = samples.first else { return nil }
        var highPass = [Biquad.highPass, Biquad.highPass]
        var lowPass = [Biquad.lowPass, Biquad.lowPass]
        for index in samples.indices {
            var value = samples[index] - mean
            for stage in highPass.indices { value = highPass[stage].filter(value) }
            for stage in lowPass.indices { value = lowPass[stage].filter(value) }
            samples[index] = value
        }
        return rhythm(interval: last.interval)
    }

    /// Samples the intervals of the good beats along lines; false if they leave a gap.
    private mutating func sample(_ beats: [VariabilityMeter.Beat], from begin: Double, count: Int) -> Bool {
        samples.removeAll(keepingCapacity: true)
        var before: VariabilityMeter.Beat?
        for beat in beats where beat.isGood {
            defer { before = beat }
            guard let before else {
                guard Double(beat.end) <= begin else { return false }
                continue
            }
            let (start, end) = (Double(before.end), Double(beat.end))
            guard end > begin else { continue }
            guard end > start, end - start <= Self.longestGap else { return false }
            while samples.count < count {
                let moment = begin + Double(samples.count) * 1000 / Self.rate
                guard moment < end else { break }
                let part = (moment - start) / (end - start)
                samples.append(before.interval + part * (beat.interval - before.interval))
            }
        }
        return samples.count == count
    }

    private func rhythm(interval: Double) -> (perMinute: Double, isGood: Bool)? {
        let counted = samples.suffix(Self.counted * Int(Self.rate))
        let swing = (counted.reduce(0) { $0 + $1 * $1 } / Double(counted.count)).squareRoot()
        guard swing > 0 else { return nil }
        // A crossing counts after a dip below a fifth of the swing: noise around zero has none.
        var hasDipped = false
        var (first, newest): (Double?, Double?) = (nil, nil)
        var (cycles, squares) = (0, 0.0)
        for index in counted.indices.dropFirst() {
            let (before, now) = (counted[index - 1], counted[index])
            if now < -swing / 5 { hasDipped = true }
            guard hasDipped, before <= 0, now > 0 else { continue }
            hasDipped = false
            let moment = Double(index) - now / (now - before)
            if let newest {
                cycles += 1
                squares += (moment - newest) * (moment - newest)
            }
            first = first ?? moment
            newest = moment
        }
        guard let first, let newest, cycles >= 5 else { return nil }
        let cycle = (newest - first) / Double(cycles)
        let variance = max(squares / Double(cycles) - cycle * cycle, 0)
        let isGood =
            variance.squareRoot() / cycle <= Self.largestVariation && swing >= Self.leastSwing
            && interval >= Self.shortestInterval
        return (60 * Self.rate / cycle, isGood)
    }
}

/// A Butterworth filter of the second order for four samples a second.
private struct Biquad {
    private let b0: Double
    private let b1: Double
    private let b2: Double
    private let a1: Double
    private let a2: Double
    private var z1 = 0.0
    private var z2 = 0.0

    /// 0.15 Hz.
    static let highPass = Biquad(warped: 0.118_356_027_9, isHigh: true)
    /// 0.5 Hz.
    static let lowPass = Biquad(warped: 0.414_213_562_4, isHigh: false)

    /// - Parameter warped: tan(π f ÷ 4 Hz) of the corner f.
    private init(warped: Double, isHigh: Bool) {
        let (square, root) = (warped * warped, 2.0.squareRoot() * warped)
        let scale = 1 / (1 + root + square)
        b0 = (isHigh ? 1 : square) * scale
        b1 = isHigh ? -2 * b0 : 2 * b0
        b2 = b0
        a1 = 2 * (square - 1) * scale
        a2 = (1 - root + square) * scale
    }

    mutating func filter(_ value: Double) -> Double {
        let result = b0 * value + z1
        z1 = b1 * value - a1 * result + z2
        z2 = b2 * value - a2 * result
        return result
    }
}
