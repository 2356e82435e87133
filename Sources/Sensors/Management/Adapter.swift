package import Domain

/// A Bluetooth adapter of the management interface.
///
/// Layout of the return value of Read Controller Information, little-endian, 280 bytes of which the first 17 are read:
/// address 6 bytes, version u8, manufacturer u16, supported settings u32, current settings u32.
///
/// Source: BlueZ, doc/mgmt-api.txt.
package struct Adapter: Equatable, Sendable {
    /// The adapter's index; it changes when the adapter is unplugged and plugged in again.
    var index: UInt16
    var address: BluetoothAddress
    package var supported: AdapterSettings
    package var settings: AdapterSettings

    package init(index: UInt16, _ bytes: Span<UInt8>) throws(ParseError) {
        self.index = index
        address = try bytes.deviceAddress(at: 0)
        supported = AdapterSettings(rawValue: try bytes.uint32(at: 9))
        settings = AdapterSettings(rawValue: try bytes.uint32(at: 13))
    }

    var isReady: Bool {
        settings.isSuperset(of: [.powered, .lowEnergy])
    }
}

/// The configured adapter.
package enum AdapterChoice: Equatable, Sendable {
    /// The first one with Low Energy; another one replaces it when it is removed.
    case any
    /// The one with this address; indexes change.
    case address(BluetoothAddress)
    /// The one that first has this index; from then on it is recognised by its address.
    case index(UInt16)
}

/// The state of the adapter.
package enum AdapterStatus: Equatable, Sendable {
    /// The kernel has not listed its adapters yet.
    case unknown
    case absent
    /// It, or its Low Energy, is switched off.
    case off
    /// It is blocked by rfkill.
    case blocked
    /// Its Low Energy is off, and this process may not switch it on.
    case forbidden
    case ready
}
