package import Domain

/// A sensor's description of itself. Properties that the sensor lacks are nil.
///
/// Source: Bluetooth SIG, Device Information Service 1.1, section 3; Core Specification 5.4, volume 3, part C, section
/// 12.1.
package struct DeviceInformation: Equatable, Sendable {
    package var name: SanitizedText?
    package var manufacturer: SanitizedText?
    package var model: SanitizedText?
    package var serialNumber: SanitizedText?
    package var firmware: SanitizedText?
    package var hardware: SanitizedText?
    package var software: SanitizedText?
    package var location: BodySensorLocation?

    package init() {}

    /// The types of the characteristics to read, the most useful first.
    static let types: [AttributeUUID] = [
        .bodySensorLocation, .manufacturerName, .modelNumber, .serialNumber, .firmwareRevision, .hardwareRevision,
        .softwareRevision, .deviceName,
    ]

    /// Sets the property of one of the ``types`` from a characteristic value.
    package mutating func set(_ value: [UInt8], of type: AttributeUUID) {
        switch type {
        case .bodySensorLocation: location = try? BodySensorLocation(value.span)
        case .manufacturerName: manufacturer = Self.text(value)
        case .modelNumber: model = Self.text(value)
        case .serialNumber: serialNumber = Self.text(value)
        case .firmwareRevision: firmware = Self.text(value)
        case .hardwareRevision: hardware = Self.text(value)
        case .softwareRevision: software = Self.text(value)
        case .deviceName: name = Self.text(value)
        default: break
        }
    }

    /// Returns the text without the spaces and NULs with which some sensors pad it at either end.
    private static func text(_ value: [UInt8]) -> SanitizedText? {
        let isPadding = { (byte: UInt8) in byte == 0 || byte == UInt8(ascii: " ") }
        guard let first = value.firstIndex(where: { !isPadding($0) }),
            let last = value.lastIndex(where: { !isPadding($0) })
        else { return nil }
        return SanitizedText(value[first...last])
    }
}

extension AttributeUUID {
    static let bodySensorLocation = AttributeUUID(0x2A38)
    package static let manufacturerName = AttributeUUID(0x2A29)
    package static let modelNumber = AttributeUUID(0x2A24)
    package static let serialNumber = AttributeUUID(0x2A25)
    static let firmwareRevision = AttributeUUID(0x2A26)
    static let hardwareRevision = AttributeUUID(0x2A27)
    static let softwareRevision = AttributeUUID(0x2A28)
    package static let deviceName = AttributeUUID(0x2A00)
}
