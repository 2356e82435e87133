package import Domain

/// A clock that a test moves by hand.
package struct ManualClock: Sendable {
    package var now: Instant

    package init(now: Instant = Instant(milliseconds: 1_000_000)) {
        self.now = now
    }

    /// Moves the clock on, and says what it reads then.
    @discardableResult
    package mutating func advance(by duration: Duration) -> Instant {
        now += duration
        return now
    }
}
