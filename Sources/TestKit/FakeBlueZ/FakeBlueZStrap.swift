import Domain
import Glibc
import Linux

/// A strap in range of a ``FakeBlueZ``, with bluetoothd's state of it.
package struct FakeBlueZStrap {
    /// When the services appear after the connection.
    package enum Services: Sendable {
        /// Objects first, then ServicesResolved.
        case usual
        /// ServicesResolved first, the objects after this delay.
        case late(Duration)
        /// ServicesResolved, but no objects.
        case absent
        /// Neither ServicesResolved nor objects.
        case unresolved
    }

    /// The kind of file descriptor that `AcquireNotify` returns.
    package enum Channel: Sendable {
        case socket
        /// A stream socket, which does not preserve the bounds of values.
        case stream
        case pipe
        case file
        case null
        /// The method does not exist.
        case none
    }

    package var address = "A0:9E:1A:00:00:01"
    package var addressType = "public"
    package var name = "Polar H10 9AD13824"
    package var rssi: Int16 = -61
    package var isAdvertising = true
    /// Whether it advertises the Heart Rate Service.
    package var advertisesService = true
    /// Whether it sends values only to a paired host.
    package var needsPairing = false
    package var isPaired = false
    /// Whether its connection outlived the client that made it.
    package var isLeftConnected = false
    /// Whether a connection is reported by Connected. BlueZ 5.66 sometimes omits that under load.
    package var isToldConnected = true
    package var services = Services.usual
    package var channel = Channel.socket
    /// Whether it confirms the subscription. Without that bluetoothd does not
    /// answer; the channel of `AcquireNotify` then stays reserved without an owner.
    package var agrees = true
    /// The number of values after a subscription; nil means no limit.
    package var silentAfter: Int?
    package var beatsPerMinute: UInt8 = 67
    /// The value of the characteristic's Value property: an old beat.
    package var cachedValue: [UInt8] = [0x06, 222]
    package var battery: UInt8? = 87
    package var model: String? = "H10"

    package internal(set) var isConnected = false
    /// The number of connections until now.
    package internal(set) var connections = 0
    /// The number of values sent on this connection.
    package internal(set) var sent = 0

    /// The peer with the notify socket, and the strap's end of it.
    var acquired: (peer: String, end: Int32)?
    /// Whether the notifications stay reserved without an owner.
    var isKept = false
    /// The peers that have called StartNotify.
    var subscribers: Set<String> = []
    /// The number of the connection; beats of an earlier one stop.
    var link = 0

    package init() {}

    package var path: String {
        FakeBlueZ.adapter + "/dev_" + address.replacing(":", with: "_")
    }

    package var service: String { path + "/service0013" }
    package var heartRate: String { service + "/char0014" }
    package var location: String { service + "/char0017" }
    package var batteryService: String { path + "/service001a" }
    package var batteryLevel: String { batteryService + "/char001b" }
    package var information: String { path + "/service001e" }

    /// Ends the connection and all subscriptions.
    mutating func disconnect() {
        link += 1
        isConnected = false
        sent = 0
        subscribers = []
        if let acquired { close(acquired.end) }
        acquired = nil
    }

    mutating func reset() {
        disconnect()
        isKept = false
    }
}

/// A 16-bit UUID of the Bluetooth SIG in BlueZ's format.
package func bluetoothUUID(_ number: String) -> String {
    "0000\(number)-0000-1000-8000-00805f9b34fb"
}
