package import Domain

/// A strap that has sent a beat, as `straps.json` keeps it across restarts of the daemon.
///
/// A strap with a stable address is recognised by the address and its type. A strap whose address rotates (a watch, a
/// phone) is recognised by its name, and by its serial number once that is known.
package struct KnownStrap: Equatable, Sendable {
    /// Its last address.
    package var address: LEAddress
    package var name: SanitizedText?
    package var serialNumber: SanitizedText?
    /// The strap leaves hosts with fast connection parameters: it gets an interval of 30 to 500 ms and 6 s.
    package var isWide: Bool

    package init(
        address: LEAddress, name: SanitizedText? = nil, serialNumber: SanitizedText? = nil, isWide: Bool = false
    ) {
        self.address = address
        self.name = name
        self.serialNumber = serialNumber
        self.isWide = isWide
    }

    /// Whether an advertiser with this address and name is this strap, as far as advertisements show.
    package func matches(_ address: LEAddress, name: SanitizedText?) -> Bool {
        if self.address == address { return true }
        return !self.address.isStable && !address.isStable && self.name != nil && self.name == name
    }
}
