package import Domain

/// What is left in a sensor's battery, as the Battery Level characteristic (UUID 0x2A19) tells it. Coarse in chest straps.
///
/// Source: Bluetooth SIG, Battery Service 1.0, section 3.1.
package struct BatteryLevel: Equatable, Sendable {
    /// 0 to 100.
    package var percent: Int

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError``, also for what is more than full.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        guard !value.isEmpty, value[0] <= 100 else { throw ParseError(at: 0, expected: "a level from 0 to 100") }
        percent = Int(value[0])
    }
}
