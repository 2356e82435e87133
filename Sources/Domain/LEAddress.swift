/// The address of a Bluetooth Low Energy device with its type: the same 48 bits mean two devices, one of each type.
///
/// Source: Bluetooth Core Specification 5.4, volume 6, part B, section 1.3.
package struct LEAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable {
        /// Given by the IEEE to its maker.
        case `public`
        /// Chosen by the device.
        case random
    }

    package var address: BluetoothAddress
    package var type: Kind

    package init(_ address: BluetoothAddress, _ type: Kind) {
        self.address = address
        self.type = type
    }

    /// Whether the device keeps the address: public ones, and random ones whose two most significant bits say static.
    package var isStable: Bool {
        type == .public || address.value >> 46 == 0b11
    }

    /// As options and settings have it: `A0:9E:1A:00:00:01/public`.
    package var description: String {
        "\(address)/\(type.rawValue)"
    }
}
