/// A value and the moment of its measurement, so that its age is always known.
package struct Timestamped<Value: Sendable>: Sendable {
    package var value: Value
    package var measuredAt: Instant

    package init(_ value: Value, at measuredAt: Instant) {
        self.value = value
        self.measuredAt = measuredAt
    }

    /// Age of the value at `now`; never negative.
    package func age(at now: Instant) -> Duration {
        max(now - measuredAt, .zero)
    }
}

extension Timestamped: Equatable where Value: Equatable {}
