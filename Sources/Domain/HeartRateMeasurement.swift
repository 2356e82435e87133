/// One notification of a heart-rate strap: the values of the Bluetooth Heart Rate Measurement characteristic.
///
/// `Sensors` reads it from the characteristic's bytes.
package struct HeartRateMeasurement: Equatable, Sendable {
    /// Heart rate, in beats per minute, as the strap averaged it. Straps also send 0 and 255 here: judge with ``HeartRateQuality``.
    package var beatsPerMinute: UInt16

    /// Whether the strap touches skin; nil when it cannot tell.
    package var contact: Bool?

    /// Energy expended since the last reset, in kilojoules; stays at 65535 once it gets there.
    package var energyKilojoules: UInt16?

    /// Times between heart beats, oldest first, each in units of 1/1024 s.
    package var rrIntervals: [UInt16]

    package init(
        beatsPerMinute: UInt16, contact: Bool? = nil, energyKilojoules: UInt16? = nil, rrIntervals: [UInt16] = []
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.contact = contact
        self.energyKilojoules = energyKilojoules
        self.rrIntervals = rrIntervals
    }
}

/// Whether a notification of a strap is a reading of a heart, and if not, why.
package enum HeartRateQuality: String, CaseIterable, Sendable {
    case good
    case zero
    case noContact = "no-contact"
    case outOfRange = "out-of-range"
    case frozen
}
