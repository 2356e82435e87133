/// A moment of the boot clock (`CLOCK_BOOTTIME`), which never steps and counts the time that the board slept.
///
/// Order and durations come from instants only; the time of day (``UTC``) is kept beside them.
package struct Instant: Hashable, Sendable {
    /// Nanoseconds since boot.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package init(milliseconds: Int64) {
        nanoseconds = milliseconds * 1_000_000
    }

    /// Whole milliseconds since boot, rounded down.
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
    /// The quotient, rounded towards negative infinity: a moment before an epoch falls into the right unit.
    package func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
