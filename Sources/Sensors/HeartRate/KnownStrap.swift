package import Domain

/// A strap that has given a beat, as it is remembered from one start of the daemon to the next.
///
/// A strap that keeps its address is known by that with its type. One whose address rotates (a watch, a telephone) is
/// known by its name, and by its serial number once that is known.
package struct KnownStrap: Equatable, Sendable {
    /// The address that it had last.
    package var address: LEAddress
    package var name: SanitizedText?
    package var serialNumber: SanitizedText?
    /// It leaves hosts that do not let it choose slow connection parameters: it gets 30 to 500 ms and 6 s.
    package var isWide: Bool

    package init(
        address: LEAddress, name: SanitizedText? = nil, serialNumber: SanitizedText? = nil, isWide: Bool = false
    ) {
        self.address = address
        self.name = name
        self.serialNumber = serialNumber
        self.isWide = isWide
    }

    /// Whether a strap of this address and this name is this one, as far as the air tells.
    package func matches(_ address: LEAddress, name: SanitizedText?) -> Bool {
        if self.address == address { return true }
        return !self.address.isStable && !address.isStable && self.name != nil && self.name == name
    }
}
