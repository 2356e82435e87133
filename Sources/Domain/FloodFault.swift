/// The fault that reports how many inputs or outputs a rate limit has dropped.
///
///            1 s after a drop               60 s without a drop
///     calm ───────────────────────▶ raised ─────────────────────▶ calm
///                                   its count is renewed each 10 s
package struct FloodFault: Sendable {
    /// From the first drop to the report, so that the count says something.
    package static let firstReport = Duration.seconds(1)
    /// The least time from one report of the count to the next.
    package static let reportInterval = Duration.seconds(10)
    /// The time without a drop after which the fault is cleared.
    package static let calm = Duration.seconds(60)

    private let name: FaultName
    private let message: @Sendable (Int) -> String
    /// Drops since they began, and when that was.
    private var count = 0
    private var since = Instant(nanoseconds: 0)
    private var droppedAt = Instant(nanoseconds: 0)
    /// The count that was reported last, and when; nil while calm.
    private var reported: Timestamped<Int>?

    /// - Parameter message: what the fault says of so many drops.
    package init(name: FaultName, message: @escaping @Sendable (Int) -> String) {
        self.name = name
        self.message = message
    }

    /// When ``next(at:)`` has an input; nil while calm.
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

    /// The input that raises, renews or clears the fault; nil while there is nothing to report.
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
