package import Domain

/// A secret key from the pairing of two devices; it encrypts their later connections.
///
/// Layout in the kernel's events and commands after the device's address, 29 bytes, little-endian:
///
///     offset  size  field
///     0       1     type: 0 to 3; bit 0 authenticated, bit 1 made by Secure Connections
///     1       1     1 if the host is the central
///     2       1     size of the key, 7 to 16 bytes
///     3       2     diversifier
///     5       8     random number
///     13      16    value
///
/// Source: BlueZ, doc/mgmt-api.txt, Load Long Term Keys and New Long Term Key.
package struct LongTermKey: Equatable, Sendable {
    package static let size = 29

    /// The largest number of keys; a new key replaces the oldest.
    package static let limit = 32

    /// The host's own address: a key belongs to two devices.
    package var adapter: BluetoothAddress
    package var device: LEAddress
    package var bytes: [UInt8]

    /// Nil if the bytes are no key, or a debug key that is public.
    package init?(adapter: BluetoothAddress, device: LEAddress, _ bytes: [UInt8]) {
        guard bytes.count == Self.size, bytes[0] <= 3, bytes[1] <= 1, (7...16).contains(bytes[2]) else { return nil }
        self.adapter = adapter
        self.device = device
        self.bytes = bytes
    }

    /// Whether both keys belong to the same two devices in the same roles.
    func replaces(_ other: LongTermKey) -> Bool {
        adapter == other.adapter && device == other.device && bytes[1] == other.bytes[1]
    }
}
