/// A moment on the machine's boot clock (`CLOCK_BOOTTIME`): it never steps, and it counts the time that the board slept.
///
/// Everything that orders or measures does so with instants; the time of day is kept beside them (``UTC``).
package struct Instant: Hashable, Sendable {
    /// Time since the machine booted, in nanoseconds.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package init(milliseconds: Int64) {
        nanoseconds = milliseconds * 1_000_000
    }

    /// Time since the machine booted, in whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        nanoseconds.flooredDivision(by: 1_000_000)
    }
}

extension Instant: Comparable {
    package static func < (lhs: Instant, rhs: Instant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }

    package static func + (lhs: Instant, rhs: Duration) -> Instant {
        Instant(nanoseconds: lhs.nanoseconds + rhs.wholeNanoseconds)
    }

    package static func - (lhs: Instant, rhs: Duration) -> Instant {
        Instant(nanoseconds: lhs.nanoseconds - rhs.wholeNanoseconds)
    }

    package static func - (lhs: Instant, rhs: Instant) -> Duration {
        .nanoseconds(lhs.nanoseconds - rhs.nanoseconds)
    }

    package static func += (lhs: inout Instant, rhs: Duration) {
        lhs = lhs + rhs
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero. Traps beyond 292 years.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        wholeNanoseconds / 1_000_000
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        Double(wholeNanoseconds) / 1e9
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity, so that moments before an epoch fall into the right unit.
    package func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
