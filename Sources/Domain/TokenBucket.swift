/// Rate limit: `burst` events at once, then one per `interval`.
package struct TokenBucket: Sendable {
    private let burst: Int
    private let interval: Duration
    /// When the bucket is full again.
    private var fullAt: Instant?

    /// - Parameters:
    ///   - burst: Tokens of a full bucket, from 1.
    ///   - interval: Time in which one token is refilled.
    package init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// When ``consume(at:)`` succeeds next; nil before its first use.
    package var nextAt: Instant? {
        fullAt.map { $0 - interval * (burst - 1) }
    }

    /// Consumes a token; false if none is left.
    package mutating func consume(at now: Instant) -> Bool {
        if let nextAt, now < nextAt { return false }
        fullAt = max(fullAt ?? now, now) + interval
        return true
    }
}
