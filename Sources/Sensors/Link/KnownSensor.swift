package import Domain

/// A sensor that has sent a measurement (a strap: a beat), as `straps.json` keeps it across restarts of the daemon.
///
/// A sensor with a stable address is recognised by the address and its type. One whose address rotates (a watch, a
/// phone) is recognised by its name, and by its serial number once that is known.
package struct KnownSensor: Equatable, Sendable {
    /// Its last address.
    package var address: LEAddress
    package var name: SanitizedText?
    package var serialNumber: SanitizedText?
    /// The sensor leaves hosts with fast connection parameters: it gets an interval of 30 to 500 ms and 6 s.
    package var isWide: Bool
    /// What the sensor measures.
    package var kinds: Set<SensorKind>

    package init(
        address: LEAddress, name: SanitizedText? = nil, serialNumber: SanitizedText? = nil, isWide: Bool = false,
        kinds: Set<SensorKind> = [.heartRate]
    ) {
        self.address = address
        self.name = name
        self.serialNumber = serialNumber
        self.isWide = isWide
        self.kinds = kinds
    }

    package var isStrap: Bool {
        kinds.contains(.heartRate)
    }

    /// Whether an advertiser with this address and name is this sensor, as far as advertisements show.
    package func matches(_ address: LEAddress, name: SanitizedText?) -> Bool {
        if self.address == address { return true }
        return !self.address.isStable && !address.isStable && self.name != nil && self.name == name
    }
}
