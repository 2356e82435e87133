package import Domain

/// The charge of a sensor's battery from the Battery Level characteristic (UUID 0x2A19). Coarse in chest straps.
///
/// Source: Bluetooth SIG, Battery Service 1.0, section 3.1.
package struct BatteryLevel: Equatable, Sendable {
    /// 0 to 100.
    package var percent: Int

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError``, also for more than 100 %.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        guard !value.isEmpty, value[0] <= 100 else { throw ParseError(at: 0, expected: "a level from 0 to 100") }
        percent = Int(value[0])
    }
}
