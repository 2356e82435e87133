/// Fault that counts the inputs or outputs that a rate limit has dropped.
///
///            1 s after a drop               60 s without a drop
///     calm ───────────────────────▶ raised ─────────────────────▶ calm
///                                   its count is updated every 10 s
package struct FloodFault: Sendable {
    /// Time from the first drop to the first report, so that the count is significant.
    package static let firstReport = Duration.seconds(1)
    /// Minimum time between two reports of the count.
    package static let reportInterval = Duration.seconds(10)
    /// Time without a drop after which the fault is cleared.
    package static let calm = Duration.seconds(60)

    private let name: FaultName
    private let message: @Sendable (Int) -> String
    /// Number of drops since the fault was last calm, and the moment of the first.
    private var count = 0
    private var since = Instant(nanoseconds: 0)
    private var droppedAt = Instant(nanoseconds: 0)
    /// The count that was last reported, and when; nil while calm.
    private var reported: Timestamped<Int>?

    /// - Parameter message: Makes the fault's message from the number of drops.
    package init(name: FaultName, message: @escaping @Sendable (Int) -> String) {
        self.name = name
        self.message = message
    }

    /// The moment at which ``next(at:)`` returns an input; nil while calm.
    package var deadline: Instant? {
        guard count > 0 else { return nil }
        guard let reported else { return since + Self.firstReport }
        let calmAt = droppedAt + Self.calm
        return count > reported.value ? min(reported.measuredAt + Self.reportInterval, calmAt) : calmAt
    }

    package mutating func dropped(at now: Instant) {
        if count == 0 { since = now }
        count += 1
        droppedAt = now
    }

    /// The input that raises, updates or clears the fault; nil if none is due at `now`.
    package mutating func next(at now: Instant) -> Input? {
        guard let deadline, now >= deadline else { return nil }
        if reported != nil, now >= droppedAt + Self.calm {
            count = 0
            reported = nil
            return .clear(name)
        }
        reported = Timestamped(count, at: now)
        return .raise(name, message: message(count))
    }
}
