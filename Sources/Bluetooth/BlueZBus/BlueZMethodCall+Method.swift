import Linux
import Sensors

extension BlueZMethodCall {
    /// Object path, interface, member and arguments of the call.
    var method: (path: String, interface: String, member: String, arguments: [BusValue]) {
        let device = BlueZInterface.device.rawValue
        let adapter = BlueZInterface.adapter.rawValue
        let characteristic = BlueZInterface.characteristic.rawValue
        let options = BusValue.properties([:])
        return switch self {
        case .ping: ("/", "org.freedesktop.DBus.Peer", "Ping", [])
        case .getObjects: ("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [])
        case .setPowered(let path, let isOn):
            (
                path, "org.freedesktop.DBus.Properties", "Set",
                [.string(adapter), .string("Powered"), .variant(.bool(isOn))]
            )
        case .setFilter(let path, let service): (path, adapter, "SetDiscoveryFilter", [Self.filter(service)])
        case .startDiscovery(let path): (path, adapter, "StartDiscovery", [])
        case .stopDiscovery(let path): (path, adapter, "StopDiscovery", [])
        case .removeDevice(let path, let adapterPath): (adapterPath, adapter, "RemoveDevice", [.objectPath(path)])
        case .connect(let path): (path, device, "Connect", [])
        case .disconnect(let path): (path, device, "Disconnect", [])
        case .acquireNotify(let path): (path, characteristic, "AcquireNotify", [options])
        case .startNotify(let path): (path, characteristic, "StartNotify", [])
        case .stopNotify(let path): (path, characteristic, "StopNotify", [])
        case .read(let path): (path, characteristic, "ReadValue", [options])
        case .write(let path, let value):
            (path, characteristic, "WriteValue", [.bytes(value), .properties(["type": .string("request")])])
        case .registerAgent:
            (
                "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent",
                [.objectPath(BlueZAgent.path), .string(BlueZAgent.capability)]
            )
        case .unregisterAgent:
            ("/org/bluez", "org.bluez.AgentManager1", "UnregisterAgent", [.objectPath(BlueZAgent.path)])
        case .pair(let path): (path, device, "Pair", [])
        }
    }

    private static func filter(_ service: AttributeUUID?) -> BusValue {
        guard let service else { return .properties(["Transport": .string("le"), "DuplicateData": .bool(false)]) }
        return .properties([
            "Transport": .string("le"), "DuplicateData": .bool(false),
            "UUIDs": .array(of: "s", [.string(service.text)]),
        ])
    }
}

extension BlueZError {
    init(_ error: BusError) {
        self.init(error.name, error.message)
    }
}
