/// State of the connection to a device or to gpsd.
package enum LinkState: String, CaseIterable, Sendable {
    case disconnected, connecting, connected
}

/// Why a link is not connected. Later versions may add reasons; clients show an unknown one unchanged.
package enum LinkReason: String, CaseIterable, Sendable {
    case off
    // Reasons of a sensor.
    case noBluetooth = "no-bluetooth"
    case noAdapter = "no-adapter"
    case adapterOff = "adapter-off"
    case adapterBlocked = "adapter-blocked"
    case noPermission = "no-permission"
    case searching
    /// Several straps advertise, and none of them is known or chosen.
    case ambiguous
    case outOfRange = "out-of-range"
    /// The strap is not worn; it is not connected until it is worn again.
    case offBody = "off-body"
    /// The sensor sends too much; the next attempt is made later.
    case backoff
    case silent
    case parametersRefused = "parameters-refused"
    /// Another program or device is connected to the sensor.
    case inUse = "in-use"
    case needsPairing = "needs-pairing"
    /// The Bluetooth adapter holds as many connections as it can.
    case adapterFull = "adapter-full"
    // Reasons of gpsd, which also uses `off` and `silent`.
    case notRunning = "not-running"
    case refused
    case noDevice = "no-device"
    case noFix = "no-fix"
}

/// State of a link, the reason if it is not connected, and the peer.
package struct LinkStatus: Equatable, Sendable {
    package var state: LinkState
    /// Nil if connected.
    package var reason: LinkReason?
    /// The sensor's address; nil for gpsd.
    package var address: BluetoothAddress?
    /// The sensor's name, or the path of gpsd's receiver.
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

/// The Bluetooth backend in use.
package struct BluetoothStatus: Equatable, Sendable {
    package enum Backend: String, CaseIterable, Sendable {
        case off, unix, kernel, bluetoothd
    }

    package var backend: Backend
    package var adapter: BluetoothAddress?
    /// Why `auto` chose the backend.
    package var reason: SanitizedText?

    package init(backend: Backend, adapter: BluetoothAddress? = nil, reason: SanitizedText? = nil) {
        self.backend = backend
        self.adapter = adapter
        self.reason = reason
    }
}
