package import Domain

/// One advertising report of a device.
package struct ScanResult: Equatable, Sendable {
    package var address: LEAddress
    package var name: SanitizedText?
    /// The signal strength in dBm, -127 to 20.
    package var rssi: Int?
    package var services: [AttributeUUID]

    /// The largest number of services that are kept for one device.
    package static let serviceLimit = 16

    package init(
        address: LEAddress, name: SanitizedText? = nil, rssi: Int? = nil, services: [AttributeUUID] = []
    ) {
        self.address = address
        self.name = name
        self.rssi = rssi
        self.services = Array(services.prefix(Self.serviceLimit))
    }

    /// Returns this report completed by an earlier one of the device: its name and services may come separately.
    func completed(by earlier: ScanResult) -> ScanResult {
        let missing = earlier.services.filter { !services.contains($0) }
        return ScanResult(
            address: address, name: name ?? earlier.name, rssi: rssi ?? earlier.rssi, services: services + missing)
    }
}
