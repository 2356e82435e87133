/// How the way to a device stands.
package enum LinkState: String, CaseIterable, Sendable {
    case disconnected, connecting, connected
}

/// Why a link is not connected. New reasons may come; clients show what they do not know as it is.
package enum LinkReason: String, CaseIterable, Sendable {
    case off
    // Of the strap.
    case noBluetooth = "no-bluetooth"
    case noAdapter = "no-adapter"
    case adapterOff = "adapter-off"
    case adapterBlocked = "adapter-blocked"
    case noPermission = "no-permission"
    case searching
    /// Several straps are heard, and none of them is known to be ours.
    case ambiguous
    case outOfRange = "out-of-range"
    /// The strap is not worn: it is left alone until it is.
    case offBody = "off-body"
    /// The strap floods: the next attempt is made later.
    case backoff
    case silent
    case parametersRefused = "parameters-refused"
    /// Something else holds the strap.
    case inUse = "in-use"
    case needsPairing = "needs-pairing"
    // Of gpsd; `off` and `silent` too.
    case notRunning = "not-running"
    case refused
    case noDevice = "no-device"
    case noFix = "no-fix"
}

/// A link, why it is not connected, and to whom it goes.
package struct LinkStatus: Equatable, Sendable {
    package var state: LinkState
    /// Absent when connected.
    package var reason: LinkReason?
    /// The strap's address; gpsd has none.
    package var address: BluetoothAddress?
    /// The strap's name, or gpsd's receiver.
    package var name: SanitizedText?

    package init(
        _ state: LinkState, reason: LinkReason? = nil, address: BluetoothAddress? = nil, name: SanitizedText? = nil
    ) {
        self.state = state
        self.reason = reason
        self.address = address
        self.name = name
    }
}

/// The way in which straps are reached.
package struct BluetoothStatus: Equatable, Sendable {
    package enum Backend: String, CaseIterable, Sendable {
        case off, unix, kernel, bluetoothd
    }

    package var way: Backend
    package var adapter: BluetoothAddress?
    /// Why `auto` chose the way.
    package var reason: SanitizedText?

    package init(way: Backend, adapter: BluetoothAddress? = nil, reason: SanitizedText? = nil) {
        self.way = way
        self.adapter = adapter
        self.reason = reason
    }
}
