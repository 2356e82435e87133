import Domain
import Glibc
import Linux

/// A strap within reach of a ``FakeBlueZ``, with what that knows of it.
package struct FakeBlueZStrap {
    /// What the services do once the link stands.
    package enum Services: Sendable {
        /// Objects first, then ServicesResolved.
        case usual
        /// ServicesResolved first, the objects after so long.
        case late(Duration)
        /// ServicesResolved, and never an object.
        case absent
        /// Never resolved.
        case unresolved
    }

    /// What `AcquireNotify` hands out.
    package enum Channel: Sendable {
        case socket
        /// A socket that keeps no bounds between values.
        case stream
        case pipe
        case file
        case null
        /// The method is not there.
        case none
    }

    package var address = "A0:9E:1A:00:00:01"
    package var addressType = "public"
    package var name = "Polar H10 9AD13824"
    package var rssi: Int16 = -61
    package var isAdvertising = true
    /// Whether it says in the air that it measures heart rate.
    package var advertisesService = true
    /// Whether it tells no value to a host that it is not paired with.
    package var needsPairing = false
    package var isPaired = false
    /// Whether its link outlived whoever had it made.
    package var isLeftConnected = false
    /// Whether a link is told as Connected: 5.66 forgets to at times, under load.
    package var isToldConnected = true
    package var services = Services.usual
    package var channel = Channel.socket
    /// Whether it answers when it is asked to notify. bluetoothd does not before it does; what `AcquireNotify` asked for it then keeps for
    /// nobody.
    package var agrees = true
    /// It sends so many values after it is asked to, then none; nil means no end.
    package var silentAfter: Int?
    package var beatsPerMinute: UInt8 = 67
    /// What the value's object says of itself: a beat of another day.
    package var cachedValue: [UInt8] = [0x06, 222]
    package var battery: UInt8? = 87
    package var model: String? = "H10"

    /// Whether the link stands.
    package internal(set) var isConnected = false
    /// The link has come so often.
    package internal(set) var connections = 0
    /// Values that were sent so far over the present link.
    package internal(set) var sent = 0

    /// Who has the notify socket, and our end of it.
    var acquired: (peer: String, end: Int32)?
    /// Whether the notifications are kept for nobody.
    var isKept = false
    /// Who asked for notifications as signals.
    var subscribers: Set<String> = []
    /// Beats of an earlier link stop.
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

    /// The link is gone, with who was told values over it.
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

/// The 16-bit number of the Bluetooth SIG as BlueZ writes it.
package func bluetoothUUID(_ number: String) -> String {
    "0000\(number)-0000-1000-8000-00805f9b34fb"
}
