package import Domain

/// One Bluetooth adapter of the machine, as the management channel tells it.
///
/// Layout of what Read Controller Information returns, little-endian, 280 bytes of which the first 17 are read: address 6 bytes, version
/// u8, manufacturer u16, supported settings u32, present settings u32.
///
/// Source: BlueZ, doc/mgmt-api.txt.
package struct Adapter: Equatable, Sendable {
    /// Its number; another one after it was unplugged and plugged in again.
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

/// Which adapter is to be used.
package enum AdapterChoice: Equatable, Sendable {
    /// The first one that knows Low Energy, and another when it goes.
    case any
    /// Known by its address: numbers change.
    case address(BluetoothAddress)
    /// The one that has this number when it is first seen, and from then on that one, whatever its number.
    case index(UInt16)
}

/// How it stands with the adapter.
package enum AdapterStatus: Equatable, Sendable {
    /// The kernel has not told yet.
    case unknown
    case absent
    /// It is switched off, or its Low Energy is.
    case off
    /// It is switched off by rfkill.
    case blocked
    /// Its Low Energy is off, and switching it on is not permitted.
    case forbidden
    case ready
}
