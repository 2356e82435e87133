package import Domain

/// What a power meter can measure and do: the Cycling Power Feature characteristic (UUID 0x2A65).
///
/// Source: Bluetooth SIG, Cycling Power Service 1.1, section 3.1.
package struct CyclingPowerFeatures: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let balance = Self(rawValue: 1 << 0)
    package static let accumulatedTorque = Self(rawValue: 1 << 1)
    package static let wheel = Self(rawValue: 1 << 2)
    package static let crank = Self(rawValue: 1 << 3)
    /// The largest and smallest force or torque.
    package static let extremes = Self(rawValue: 1 << 4)
    package static let extremeAngles = Self(rawValue: 1 << 5)
    package static let deadSpotAngles = Self(rawValue: 1 << 6)
    package static let accumulatedEnergy = Self(rawValue: 1 << 7)
    /// The meter reports when it needs a zero offset.
    package static let offsetCompensationIndicator = Self(rawValue: 1 << 8)
    /// The control point accepts Start Offset Compensation.
    package static let offsetCompensation = Self(rawValue: 1 << 9)
    /// The meter measures torque; without this bit, force. It is the unit of a ``ZeroOffset``.
    package static let measuresTorque = Self(rawValue: 1 << 16)

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError`` if a byte is missing.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        rawValue = try value.uint32(at: 0)
    }
}
