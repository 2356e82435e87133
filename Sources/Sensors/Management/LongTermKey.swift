package import Domain

/// A key that two devices agreed on when they paired: with it they encrypt their connections to come. It is a secret.
///
/// Layout of what the kernel tells and takes of it beside the device's address, 29 bytes, little-endian:
///
///     offset  size  field
///     0       1     type: 0 to 3, of which bit 0 says authenticated and bit 1 made by Secure Connections
///     1       1     1 where the host has made the connection
///     2       1     size of the key, 7 to 16 bytes
///     3       2     diversifier
///     5       8     random number
///     13      16    value
///
/// Source: BlueZ, doc/mgmt-api.txt, Load Long Term Keys and New Long Term Key.
package struct LongTermKey: Equatable, Sendable {
    package static let size = 29

    /// The most keys that are kept; a new one takes the place of the oldest.
    package static let limit = 32

    /// The host's own address: a key is of two devices.
    package var adapter: BluetoothAddress
    package var device: LEAddress
    package var bytes: [UInt8]

    /// Nil for what is no key, or one of the tests that everybody knows.
    package init?(adapter: BluetoothAddress, device: LEAddress, _ bytes: [UInt8]) {
        guard bytes.count == Self.size, bytes[0] <= 3, bytes[1] <= 1, (7...16).contains(bytes[2]) else { return nil }
        self.adapter = adapter
        self.device = device
        self.bytes = bytes
    }

    /// Whether both are of the same two devices, in the same roles.
    func replaces(_ other: LongTermKey) -> Bool {
        adapter == other.adapter && device == other.device && bytes[1] == other.bytes[1]
    }
}
