/// A counter of revolutions and the time of the last one. Both wrap; `RevolutionMeter` of `Pipeline` reads them.
package struct RevolutionCount: Equatable, Sendable {
    /// Revolutions since an unknown moment: of a wheel 32 bits, of a crank 16 bits.
    package var revolutions: UInt32

    /// Time of the last revolution on the sensor's own clock, in units of 1/1024 s. The wheel of a power meter has
    /// units of 1/2048 s.
    package var eventTime: UInt16

    package init(revolutions: UInt32, eventTime: UInt16) {
        self.revolutions = revolutions
        self.eventTime = eventTime
    }
}

/// One notification of a speed or cadence sensor: the CSC Measurement characteristic, decoded by `Sensors`.
package struct CyclingSpeedCadenceMeasurement: Equatable, Sendable {
    /// Wheel revolutions, at units of 1/1024 s; nil if the notification has none.
    package var wheel: RevolutionCount?

    /// Crank revolutions, at units of 1/1024 s; nil if the notification has none.
    package var crank: RevolutionCount?

    package init(wheel: RevolutionCount? = nil, crank: RevolutionCount? = nil) {
        self.wheel = wheel
        self.crank = crank
    }
}
