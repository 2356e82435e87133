import Domain

/// A method call to bluetoothd.
///
/// Source: BlueZ, doc/adapter-api.txt, doc/device-api.txt, doc/gatt-api.txt, doc/agent-api.txt.
package enum BlueZMethodCall: Hashable, Sendable {
    /// Checks whether bluetoothd answers at all.
    case ping
    case getObjects
    case setPowered(adapter: String, Bool)
    /// Restricts discoveries to the devices with a service; nil for all devices.
    case setFilter(adapter: String, AttributeUUID?)
    case startDiscovery(adapter: String)
    case stopDiscovery(adapter: String)
    case removeDevice(String, adapter: String)
    case connect(device: String)
    case disconnect(device: String)
    case acquireNotify(characteristic: String)
    case startNotify(characteristic: String)
    case stopNotify(characteristic: String)
    case read(characteristic: String)
    case write(characteristic: String, [UInt8])
    case registerAgent
    case unregisterAgent
    case pair(device: String)

    /// The time limit for the reply.
    package var limit: Duration {
        switch self {
        // The kernel waits 40 s for a device, which is longer than the bus would.
        case .connect: .seconds(45)
        case .pair: .seconds(60)
        // The kernel gives an adapter 10 s to switch on.
        case .setPowered: .seconds(15)
        // The device has 30 s to answer.
        case .acquireNotify, .startNotify, .stopNotify, .read, .write: .seconds(35)
        case .ping: .seconds(2)
        default: .seconds(5)
        }
    }

    /// Whether bluetoothd delays the reply while any device pairs: it suspends discoveries then.
    ///
    /// Source: BlueZ 5.66, src/adapter.c, `resume_discovery`, which resumes them after 5 s.
    var waitsForPairings: Bool {
        switch self {
        case .startDiscovery, .stopDiscovery: true
        default: false
        }
    }

    /// Whether a timeout of the call means that bluetoothd itself does not answer.
    package var isAnsweredByItself: Bool {
        switch self {
        case .connect, .pair: false
        default: true
        }
    }
}
