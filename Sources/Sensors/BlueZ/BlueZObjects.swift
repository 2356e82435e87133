package import Domain

/// An adapter object of bluetoothd.
package struct BlueZAdapter: Equatable, Sendable {
    package let path: String
    package internal(set) var address: BluetoothAddress?
    package internal(set) var isPowered = false

    /// The adapter's index: `/org/bluez/hci0` has 0.
    package var index: UInt16? {
        path.split(separator: "/").last.flatMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }
    }

    mutating func apply(_ part: BlueZInterfaceUpdate) {
        if let change = part.change(of: "Address", \.deviceAddress) { address = change }
        if let change = part.change(of: "Powered", \.flag) { isPowered = change ?? false }
    }
}

/// A device object of bluetoothd.
package struct BlueZDevice: Equatable, Sendable {
    package let path: String
    package internal(set) var name: SanitizedText?
    package internal(set) var isConnected = false
    /// Whether the services are resolved; the characteristics may be added a little later.
    package internal(set) var isResolved = false
    package internal(set) var isPaired = false
    /// The battery level in percent if bluetoothd reads it itself.
    package internal(set) var battery: Int?
    /// The last signal strength in dBm; nil without a discovery and while the device is connected.
    var rssi: Int?
    var services: [AttributeUUID] = []
    private var deviceAddress: BluetoothAddress?
    private var kind = LEAddress.Kind.public

    init(path: String) {
        self.path = path
    }

    package var address: LEAddress? {
        deviceAddress.map { LEAddress($0, kind) }
    }

    /// The device as a scan result; nil while its address is unknown.
    package var scanResult: ScanResult? {
        address.map { ScanResult(address: $0, name: name, rssi: rssi, services: services) }
    }

    mutating func apply(_ part: BlueZInterfaceUpdate, preferring service: AttributeUUID?) {
        if let change = part.change(of: "Address", \.deviceAddress) { deviceAddress = change }
        if let change = part.change(of: "AddressType", \.text) { kind = change == "random" ? .random : .public }
        if let change = part.change(of: "Name", \.text) { name = change.flatMap { SanitizedText($0) } }
        if let change = part.change(of: "Connected", \.flag) { isConnected = change ?? false }
        if let change = part.change(of: "ServicesResolved", \.flag) { isResolved = change ?? false }
        if let change = part.change(of: "Paired", \.flag) { isPaired = change ?? false }
        if let change = part.change(of: "RSSI", { $0.number(in: -127...20) }) { rssi = change }
        if let change = part.change(of: "UUIDs", \.texts) {
            services = Self.services(change ?? [], preferring: service)
        }
    }

    /// Returns the services, the preferred one first: a watch has more services than are kept.
    private static func services(_ texts: [String], preferring service: AttributeUUID?) -> [AttributeUUID] {
        let all = texts.prefix(4 * ScanResult.serviceLimit).compactMap { AttributeUUID(text: $0) }
        return all.filter { $0 == service }.prefix(1) + all.filter { $0 != service }
    }
}

/// The objects of bluetoothd, maintained from its signals. Old characteristic values are not kept.
///
/// Every advertiser becomes an object, so their number is bounded. To make room, devices without a connection are
/// discarded, the one with the oldest update first.
package struct BlueZObjects: Sendable {
    /// The largest number of objects.
    package static let limit = 4096

    /// The number of devices that are discarded at a time.
    private static let sweep = 512

    package private(set) var adapters: [String: BlueZAdapter] = [:]
    private var devices: [String: BlueZDevice] = [:]
    private var characteristics: [String: AttributeUUID] = [:]
    /// The sequence number of each device's last update.
    private var order: [String: Int] = [:]
    private var updates = 0
    private let service: AttributeUUID?

    /// - Parameter service: the service that is always kept, however many a device has.
    package init(preferring service: AttributeUUID? = nil) {
        self.service = service
    }

    /// Adds an object, or applies a change to a known one. Changes of unknown objects are ignored.
    package mutating func apply(_ part: BlueZInterfaceUpdate, isNew: Bool) {
        let path = part.path
        switch part.interface {
        case .adapter:
            guard adapters[path] != nil || isNew && makeRoom() else { return }
            adapters[path, default: BlueZAdapter(path: path)].apply(part)
        case .device:
            guard devices[path] != nil || isNew && makeRoom() else { return }
            devices[path, default: BlueZDevice(path: path)].apply(part, preferring: service)
            updates += 1
            order[path] = updates
        case .characteristic:
            guard isNew, characteristics[path] != nil || makeRoom() else { return }
            characteristics[path] = part.properties["UUID"]?.text.flatMap { AttributeUUID(text: $0) }
        case .battery:
            guard let change = part.change(of: "Percentage", { $0.number(in: 0...100) }) else { return }
            devices[path]?.battery = change
        }
    }

    /// Removes an interface of an object.
    package mutating func remove(_ interface: BlueZInterface, of path: String) {
        switch interface {
        case .adapter: adapters[path] = nil
        case .device:
            devices[path] = nil
            order[path] = nil
        case .characteristic: characteristics[path] = nil
        case .battery: devices[path]?.battery = nil
        }
    }

    /// The number of objects.
    package var count: Int {
        adapters.count + devices.count + characteristics.count
    }

    private mutating func makeRoom() -> Bool {
        if count < Self.limit { return true }
        let idle = devices.values.filter { !$0.isConnected }.map(\.path).sorted { order[$0] ?? 0 < order[$1] ?? 0 }
        let forgotten = Set(idle.prefix(Self.sweep))
        for path in forgotten { remove(.device, of: path) }
        characteristics = characteristics.filter { path, _ in !forgotten.contains(Self.device(of: path)) }
        return !forgotten.isEmpty
    }

    /// Returns a characteristic's device: `…/dev_A0_9E_1A_00_00_01/service0013/char0014` has two elements more.
    private static func device(of characteristic: String) -> String {
        characteristic.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    }

    package func device(at path: String) -> BlueZDevice? {
        devices[path]
    }

    /// Returns the connected devices of an adapter, whichever program connected them.
    package func connectedDevices(of adapter: String) -> [BlueZDevice] {
        devices.values.filter { $0.isConnected && $0.path.hasPrefix(adapter + "/") }.sorted { $0.path < $1.path }
    }

    /// Returns the adapter's device with this address.
    package func device(_ address: LEAddress, of adapter: String) -> BlueZDevice? {
        devices.values.first { $0.address == address && $0.path.hasPrefix(adapter + "/") }
    }

    /// Returns the path of a device's first characteristic of this type.
    func characteristic(_ type: AttributeUUID, of device: String) -> String? {
        characteristics.filter { $0.value == type && $0.key.hasPrefix(device + "/") }.keys.min()
    }
}

extension AttributeUUID {
    /// Parses bluetoothd's form: `0000180d-0000-1000-8000-00805f9b34fb`.
    init?(text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32, let value = UInt128(String(decoding: digits, as: UTF8.self), radix: 16) else {
            return nil
        }
        self.init(value: value)
    }

    /// The type in bluetoothd's form.
    package var text: String {
        let digits = String(value, radix: 16)
        let padded = String(repeating: "0", count: 32 - digits.count) + digits
        return padded.enumerated().map { ([8, 12, 16, 20].contains($0) ? "-" : "") + String($1) }.joined()
    }
}
