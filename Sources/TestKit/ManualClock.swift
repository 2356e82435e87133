package import Domain

/// A clock that tests advance by hand.
package struct ManualClock: Sendable {
    package var now: Instant

    package init(now: Instant = Instant(milliseconds: 1_000_000)) {
        self.now = now
    }

    /// Advances the clock and returns the new time.
    @discardableResult
    package mutating func advance(by duration: Duration) -> Instant {
        now += duration
        return now
    }
}
