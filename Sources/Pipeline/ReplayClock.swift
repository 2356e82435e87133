package import Domain

/// The pipeline's time of a replay on the sockets: it passes `speed` times as fast as the boot clock.
package struct ReplayClock: Equatable, Sendable {
    /// The speeds that a replay can have.
    package static let speeds = 0.1...60.0

    package let speed: Double
    /// A moment of the boot clock, and the pipeline's moment then.
    private var present: Instant
    private let moment: Instant

    /// The two clocks agree at `now`.
    package init(speed: Double, at now: Instant) {
        self.speed = speed
        present = now
        moment = now
    }

    /// The pipeline's moment at a moment of the boot clock.
    package func moment(at now: Instant) -> Instant {
        moment + Self.scaled(now - present, by: speed)
    }

    /// The moment of the boot clock at which the pipeline's moment is due, to the microsecond.
    package func due(_ moment: Instant) -> Instant {
        present + Self.scaled(moment - self.moment, by: 1 / speed) + (speed == 1 ? .zero : .microseconds(1))
    }

    /// Stops the pipeline's time for a duration that has passed.
    package mutating func skip(_ hole: Duration) {
        present += hole
    }

    /// The active time between two published states, in milliseconds: at most ten states a second are published, and the
    /// periods of subscribers are multiples or divisors of it.
    package var statePeriod: Int64 {
        let least = Int64((100 * speed).rounded(.up))
        return [100, 200, 500].first { $0 >= least } ?? (least + 999) / 1000 * 1000
    }

    private static func scaled(_ duration: Duration, by factor: Double) -> Duration {
        factor == 1 ? duration : .nanoseconds(Int64((Double(duration.wholeNanoseconds) * factor).rounded(.down)))
    }
}
