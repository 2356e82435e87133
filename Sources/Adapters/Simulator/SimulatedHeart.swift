import CMath

/// A heart that follows effort, beat by beat.
struct SimulatedHeart: Sendable {
    /// The highest rate, in beats per minute.
    private static let maximum = 180.0

    /// The rate that the heart beats at but for its variability, in beats per minute.
    private(set) var rate = 84.0

    /// The rate as a strap shows it, an average over some eight beats, in beats per minute.
    private(set) var shownRate = 84.0

    /// The end of the last beat, in units of 1/1024 s since the start.
    private var beatAt: Int64 = 0

    /// By how much the rate has drifted up with the time run, in beats per minute.
    private var drift = 0.0

    /// Where in a breath, in breaths.
    private var breath = 0.0

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Lets a second of effort work.
    ///
    /// - Parameter effort: the speed on the flat that would be as hard, in metres per second.
    mutating func follow(effort: Double) {
        if effort > 0 { drift += (10 - drift) / 2400 }
        let target = min(62 + 28.5 * effort + drift, Self.maximum)
        // It falls slower than it rises.
        rate += (target - rate) * (1 - exp(target > rate ? -1.0 / 25 : -1.0 / 45))
    }

    /// The beats that have ended until a moment in units of 1/1024 s since the start, each told once, oldest first, as the
    /// times between beats in the same units.
    mutating func beats(until moment: Int64) -> [UInt16] {
        var intervals: [UInt16] = []
        while true {
            // The next beat is decided by a copy that is kept only when it has ended: how often one asks changes nothing.
            var next = self
            let interval = next.beat()
            if next.beatAt > moment { return intervals }
            self = next
            intervals.append(interval)
        }
    }

    /// Beats on unheard until a moment in units of 1/1024 s since the start.
    mutating func skip(to moment: Int64) {
        beatAt = max(beatAt, moment)
    }

    private mutating func beat() -> UInt16 {
        // Breathing and chance move the beat, at rest by some 50 ms, at full effort hardly.
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
