package import Domain

/// Tells whether the clock of the wall is plausible: it has gone with the clock of the machine for an hour. A board without a
/// battery for its clock may start years off, and a wrong server of time may move the clock.
package struct PlausibleClock: Equatable {
    /// A time of the wall, and whether it can be believed.
    package struct Reading: Equatable {
        package var time: UTC
        package var isPlausible: Bool

        package init(_ time: UTC, isPlausible: Bool) {
            self.time = time
            self.isPlausible = isPlausible
        }
    }

    private static let proof = Duration.seconds(3600)
    /// How far the clocks may part at once. Beyond that, a clock that is being corrected gains or loses a thousandth at most.
    private static let step: Int64 = 60_000

    private var start: Instant
    /// Milliseconds of the wall at the zero of the machine.
    private var offset: Int64

    package init(_ time: UTC, at now: Instant) {
        start = now
        offset = Self.offset(time, now)
    }

    package mutating func read(_ time: UTC, at now: Instant) -> Reading {
        let age = now - start
        let offset = Self.offset(time, now)
        if abs(offset - self.offset) > Self.step + age.wholeMilliseconds / 1000 {
            self = PlausibleClock(time, at: now)
            return Reading(time, isPlausible: false)
        }
        return Reading(time, isPlausible: age >= Self.proof && time >= Release.date)
    }

    private static func offset(_ time: UTC, _ now: Instant) -> Int64 {
        time.milliseconds - now.nanoseconds / 1_000_000
    }
}
