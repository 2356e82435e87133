/// The sun at the place of the receiver: the block `sun` of STATE.
///
/// The times are those of one solar day, from 12 h before the sun's transit to 12 h after it; nil if the sun does not
/// cross that altitude then. Source: docs/behaviour.md, "The sun".
package struct SunStatus: Equatable, Sendable {
    package enum Phase: String, CaseIterable, Sendable {
        /// The upper limb is above the horizon.
        case day
        /// Civil twilight: the sun is down, and its centre is not more than 6° below the horizon.
        case twilight
        case night
        /// Day, and the sun does not set in this solar day.
        case polarDay = "polar-day"
        /// Night, and the sun does not rise in this solar day.
        case polarNight = "polar-night"

        /// Whether the sun is down.
        package var isDark: Bool { self != .day && self != .polarDay }
    }

    package var phase: Phase
    /// Civil twilight begins, and the sun rises.
    package var dawn: UTC?
    package var rise: UTC?
    /// The sun sets, and civil twilight ends.
    package var set: UTC?
    package var dusk: UTC?
    /// Seconds to the end of civil twilight; 0 in the dark; nil if it does not get dark in this solar day.
    package var lightLeft: Double?

    package init(
        phase: Phase, dawn: UTC? = nil, rise: UTC? = nil, set: UTC? = nil, dusk: UTC? = nil, lightLeft: Double? = nil
    ) {
        self.phase = phase
        self.dawn = dawn
        self.rise = rise
        self.set = set
        self.dusk = dusk
        self.lightLeft = lightLeft
    }
}
