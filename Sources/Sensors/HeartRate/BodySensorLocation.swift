package import Domain

/// The intended place of a heart-rate sensor, from the Body Sensor Location characteristic (UUID 0x2A38).
///
/// Source: Bluetooth SIG, Heart Rate Service 1.0, section 3.2.
package enum BodySensorLocation: UInt8, Sendable {
    case other, chest, wrist, finger, hand, earLobe, foot

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError``, also for reserved numbers.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        guard !value.isEmpty, let location = BodySensorLocation(rawValue: value[0]) else {
            throw ParseError(at: 0, expected: "a location from 0 to 6")
        }
        self = location
    }
}
