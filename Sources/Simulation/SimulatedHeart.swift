import CMath

/// A simulated heart whose beats follow the effort.
struct SimulatedHeart: Sendable {
    /// The highest rate, in beats per minute.
    private static let maximum = 180.0

    /// The heart rate without beat-to-beat variability, in beats per minute.
    private(set) var rate = 84.0

    /// The heart rate as a strap reports it, averaged over about eight beats, in beats per minute.
    private(set) var shownRate = 84.0

    /// The end of the last beat, in units of 1/1024 s since the start.
    private var beatAt: Int64 = 0

    /// The increase of the rate with running time (cardiac drift), in beats per minute.
    private var drift = 0.0

    /// The breathing phase, in breaths.
    private var breath = 0.0

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Advances the rate by one second.
    ///
    /// - Parameter effort: the equivalent speed on the flat, in metres per second.
    mutating func follow(effort: Double) {
        if effort > 0 { drift += (10 - drift) / 2400 }
        let target = min(62 + 28.5 * effort + drift, Self.maximum)
        // The rate falls more slowly than it rises.
        rate += (target - rate) * (1 - exp(target > rate ? -1.0 / 25 : -1.0 / 45))
    }

    /// The beats that ended up to a moment in units of 1/1024 s since the start. Each is returned once,
    /// oldest first, as the interval since the previous beat in the same units.
    mutating func beats(until moment: Int64) -> [UInt16] {
        var intervals: [UInt16] = []
        while true {
            // A copy computes the next beat and is kept if that has ended, so the number of calls does not matter.
            var next = self
            let interval = next.beat()
            if next.beatAt > moment { return intervals }
            self = next
            intervals.append(interval)
        }
    }

    /// Skips the beats up to a moment in units of 1/1024 s since the start.
    mutating func skip(to moment: Int64) {
        beatAt = max(beatAt, moment)
    }

    private mutating func beat() -> UInt16 {
        // Breathing and chance shift a beat, by about 50 ms at rest and hardly at full effort.
        let calm = max(0, 190 - rate) / 115
        let seconds = 60 / rate
        breath += seconds * (0.25 + 0.3 * (1 - min(calm, 1)))
        let swing = 0.045 * calm * calm * sin(2 * .pi * breath) + (0.002 + 0.02 * calm * calm) * random.normal()
        let interval = (seconds * (1 + swing) * 1024).rounded()
        beatAt += Int64(interval)
        shownRate += (60 * 1024 / interval - shownRate) / 8
        return UInt16(interval)
    }
}
