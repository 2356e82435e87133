/// A value and the moment at which it was measured, so that nothing is shown without its age.
package struct Timestamped<Value: Sendable>: Sendable {
    package var value: Value
    package var measuredAt: Instant

    package init(_ value: Value, at measuredAt: Instant) {
        self.value = value
        self.measuredAt = measuredAt
    }

    /// How old the value is at `now`; never negative.
    package func age(at now: Instant) -> Duration {
        max(now - measuredAt, .zero)
    }
}

extension Timestamped: Equatable where Value: Equatable {}
