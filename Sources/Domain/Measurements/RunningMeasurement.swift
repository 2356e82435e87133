/// One notification of a foot pod: the RSC Measurement characteristic, decoded by `Sensors`.
package struct RunningMeasurement: Equatable, Sendable {
    /// Speed in units of 1/256 m/s.
    package var rawSpeed: UInt16

    /// Steps per minute. Some pods count one foot only.
    package var cadence: UInt8

    /// Length of a stride in centimetres.
    package var strideCentimetres: UInt16?

    /// Distance since an unknown moment, in units of 0.1 m.
    package var totalDecimetres: UInt32?

    /// Whether the pod regards the movement as running, not walking.
    package var isRunning: Bool

    /// Whether the sensor measures a speed. One of another program may know the steps only, and measures no distance then.
    package var hasSpeed = true

    package init(
        rawSpeed: UInt16, cadence: UInt8, strideCentimetres: UInt16? = nil, totalDecimetres: UInt32? = nil,
        isRunning: Bool = false
    ) {
        self.rawSpeed = rawSpeed
        self.cadence = cadence
        self.strideCentimetres = strideCentimetres
        self.totalDecimetres = totalDecimetres
        self.isRunning = isRunning
    }

    /// Metres per second, 0 to 255.996.
    package var speed: Double {
        Double(rawSpeed) / 256
    }
}
