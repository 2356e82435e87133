/// One notification of a power meter: the Cycling Power Measurement characteristic, decoded by `Sensors`.
///
/// A meter may spread its optional fields over several notifications. A field that is nil is not zero.
package struct CyclingPowerMeasurement: Equatable, Sendable {
    /// The largest and the smallest value within one revolution of the crank.
    package struct Extremes: Equatable, Sendable {
        package var maximum: Int16
        package var minimum: Int16

        package init(maximum: Int16, minimum: Int16) {
            self.maximum = maximum
            self.minimum = minimum
        }
    }

    /// Power in watts. A meter that measures one leg only may send that leg's power.
    package var watts: Int16

    /// The reference pedal's part of the power, in units of 1/2 %: 0 to 200. The reference is the left pedal, or
    /// unknown.
    package var balance: UInt8?
    /// Whether ``balance`` is the left pedal's part.
    package var isBalanceOfLeft = false

    /// Sum of the torque since the connection, in units of 1/32 Nm. It wraps, and may decrease.
    package var accumulatedTorque: UInt16?
    /// Whether ``accumulatedTorque`` is measured at the crank, not at the wheel.
    package var isTorqueOfCrank = false

    /// Wheel revolutions, at units of 1/2048 s.
    package var wheel: RevolutionCount?
    /// Crank revolutions, at units of 1/1024 s.
    package var crank: RevolutionCount?

    /// Newtons.
    package var force: Extremes?
    /// Units of 1/32 Nm.
    package var torque: Extremes?
    /// Degrees of the crank at the largest and the smallest force or torque: 0 to 4095.
    package var angle: Extremes?
    /// Degrees of the crank where the power becomes positive, and where it becomes negative.
    package var topDeadSpotAngle: UInt16?
    package var bottomDeadSpotAngle: UInt16?

    /// Energy since the connection, in kilojoules.
    package var energyKilojoules: UInt16?

    /// Whether the meter asks for a zero offset.
    package var needsOffsetCompensation = false

    package init(watts: Int16) {
        self.watts = watts
    }
}
