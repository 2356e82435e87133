/// One notification of a strap: the Heart Rate Measurement characteristic, decoded by `Sensors`.
package struct HeartRateMeasurement: Equatable, Sendable {
    /// Heart rate in beats per minute, as the strap averages it. Some straps send 0 or 255; see ``HeartRateQuality``.
    package var beatsPerMinute: UInt16

    /// Whether the strap has skin contact; nil if it does not support contact detection.
    package var contact: Bool?

    /// Energy expended since the last reset, in kilojoules; the strap holds it at 65535 once it is reached.
    package var energyKilojoules: UInt16?

    /// RR intervals, oldest first, each in units of 1/1024 s.
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

/// Whether a notification is a valid heart rate, or why it is not.
package enum HeartRateQuality: String, CaseIterable, Sendable {
    case good
    case zero
    case noContact = "no-contact"
    case outOfRange = "out-of-range"
    case frozen
}
