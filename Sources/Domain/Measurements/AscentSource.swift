/// What measures the altitudes that ascent and descent are counted from.
package enum AscentSource: String, CaseIterable, Sendable {
    /// The air pressure at the board or at a sensor, or the altitudes of a device with a barometer.
    case barometer
    /// The altitude of the GNSS receiver.
    case receiver
}

/// The climb of a run up to a second, as a recording states it.
package struct StatedClimb: Equatable, Sendable {
    /// Metres from the start.
    package var ascent: Double
    package var descent: Double
    package var source: AscentSource
    /// Percent.
    package var grade: Double?
    /// Metres per second, positive upwards.
    package var verticalSpeed: Double?

    package init(
        ascent: Double, descent: Double, source: AscentSource, grade: Double? = nil, verticalSpeed: Double? = nil
    ) {
        self.ascent = ascent
        self.descent = descent
        self.source = source
        self.grade = grade
        self.verticalSpeed = verticalSpeed
    }
}
