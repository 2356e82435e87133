/// Bounds how often something happens: `burst` times at once, and once more each `interval`.
package struct TokenBucket: Sendable {
    private let burst: Int
    private let interval: Duration
    /// When all tokens are back.
    private var fullAt: Instant?

    /// - Parameters:
    ///   - burst: the tokens of a full bucket, from 1.
    ///   - interval: the time in which one token comes back.
    package init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// When ``take(at:)`` next succeeds; nil before its first use.
    package var nextAt: Instant? {
        fullAt.map { $0 - interval * (burst - 1) }
    }

    /// Takes a token; false when none is left.
    package mutating func consume(at now: Instant) -> Bool {
        if let nextAt, now < nextAt { return false }
        fullAt = max(fullAt ?? now, now) + interval
        return true
    }
}
