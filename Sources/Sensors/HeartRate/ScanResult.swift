package import Domain

/// What was heard of a strap at one moment: of a device that advertises heart rate, or that may be ours.
package struct ScanResult: Equatable, Sendable {
    package var address: LEAddress
    package var name: SanitizedText?
    /// How strongly it was heard, in dBm, -127 to 20.
    package var rssi: Int?
    package var services: [AttributeUUID]

    /// The most services that are kept of one device.
    package static let serviceLimit = 16

    package init(
        address: LEAddress, name: SanitizedText? = nil, rssi: Int? = nil, services: [AttributeUUID] = []
    ) {
        self.address = address
        self.name = name
        self.rssi = rssi
        self.services = Array(services.prefix(Self.serviceLimit))
    }

    /// Whether it says that it gives heart rate.
    package var advertisesHeartRate: Bool {
        services.contains(.heartRateService)
    }

    /// This sighting with what an earlier one of the same device knew besides: a name and services may come in
    /// different datagrams.
    func completed(by earlier: ScanResult) -> ScanResult {
        let unsaid = earlier.services.filter { !services.contains($0) }
        return ScanResult(
            address: address, name: name ?? earlier.name, rssi: rssi ?? earlier.rssi, services: services + unsaid)
    }
}
