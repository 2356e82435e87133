import Domain
import Linux
import Sensors

/// A bus connection for calls to bluetoothd. bluetoothd keeps discovery filters, discoveries, notifications
/// and agents per connection, and drops them when the connection ends.
///
/// Releasing the client closes the connection and cancels its pending calls.
final class BlueZClient {
    enum Signal {
        case updated(BlueZInterfaceUpdate, isNew: Bool)
        case removed(BlueZInterface, of: String)
        /// The reason why the link of a device ended (`org.bluez.Device1.Disconnected`).
        case disconnected(String, of: String)
        /// The bus connection ended.
        case ended
    }

    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    let bus: Bus
    /// The unique bus name of the bluetoothd in use. A restarted bluetoothd has another one.
    let owner: String
    private var matches: [BusSlot] = []
    private var calls: [Int: BusSlot] = [:]
    private var count = 0

    /// - Parameters:
    ///   - address: the bus, such as ``Bus/systemAddress``.
    ///   - happened: receives ``Signal/ended``, from the loop.
    init(
        to owner: String, at address: String, loop: EventLoop, happened: @escaping (Signal, Instant) -> Void
    ) throws(SystemError) {
        self.owner = owner
        bus = try Bus(at: address, loop: loop) { if $0 == .ended { happened(.ended, Clock.now()) } }
    }

    /// Subscribes to the signals of added, removed and changed objects.
    func listen(_ happened: @escaping (Signal, Instant) -> Void) throws(SystemError) {
        let from = "type='signal',sender='\(owner)',interface="
        let interfaces: [BlueZInterface] = [.adapter, .device, .characteristic, .battery]
        let rules =
            ["\(from)'\(Self.objectManager)'", "\(from)'\(BlueZInterface.device.rawValue)',member='Disconnected'"]
            + interfaces.map { "\(from)'\(Self.properties)',member='PropertiesChanged',arg0='\($0.rawValue)'" }
        for rule in rules {
            let match = try bus.match(rule) { error in
                if error != nil { happened(.ended, Clock.now()) }
            } received: { [unowned self] message in
                let now = Clock.now()
                for signal in signals(message) { happened(signal, now) }
            }
            matches.append(match)
        }
    }

    func call(_ call: BlueZMethodCall, answered: @escaping (Result<[BusValue], BlueZError>, Instant) -> Void) {
        let method = call.method
        let number = count
        count += 1
        calls[number] = bus.call(
            owner, method.path, method.interface, method.member, method.arguments, timeout: call.limit
        ) { [weak self] result in
            // The callback may release the owner of this client, and so the client.
            self?.calls[number] = nil
            answered(result.mapError { BlueZError($0) }, Clock.now())
        }
    }

    /// Calls a method without waiting for its reply.
    func send(_ call: BlueZMethodCall) {
        let method = call.method
        bus.send(owner, method.path, method.interface, method.member, method.arguments)
    }

    // MARK: Received signals

    private func signals(_ message: BusMessage) -> [Signal] {
        guard message.sender == owner else { return [] }
        let arguments = message.arguments
        switch (message.member, arguments.count) {
        case ("InterfacesAdded", 2...):
            guard let path = arguments[0].text else { return [] }
            return Self.parts(of: path, arguments[1]).map { .updated($0, isNew: true) }
        case ("InterfacesRemoved", 2...):
            guard let path = arguments[0].text else { return [] }
            return arguments[1].elements.compactMap { $0.text.flatMap { BlueZInterface(rawValue: $0) } }
                .map { .removed($0, of: path) }
        case ("PropertiesChanged", 2...):
            guard let interface = arguments[0].text.flatMap({ BlueZInterface(rawValue: $0) }) else { return [] }
            let invalidated = arguments.count > 2 ? arguments[2].elements.compactMap(\.text) : []
            let part = BlueZInterfaceUpdate(
                message.path, interface, Self.properties(arguments[1]), invalidated: invalidated)
            return [.updated(part, isNew: false)]
        case ("Disconnected", 1...):
            return arguments[0].text.map { [.disconnected($0, of: message.path)] } ?? []
        default: return []
        }
    }

    /// The objects in a reply of `GetManagedObjects`. Nil if the reply has another signature.
    static func objects(_ answer: [BusValue]) -> [BlueZInterfaceUpdate]? {
        guard let first = answer.first, first.signature == "a{oa{sa{sv}}}" else { return nil }
        return first.entries.flatMap { parts(of: $0.key, $0.value) }
    }

    private static func parts(of path: String, _ interfaces: BusValue) -> [BlueZInterfaceUpdate] {
        interfaces.entries.compactMap { name, value in
            BlueZInterface(rawValue: name).map { BlueZInterfaceUpdate(path, $0, properties(value)) }
        }
    }

    private static func properties(_ value: BusValue) -> [String: BlueZValue] {
        Dictionary(
            value.entries.compactMap { name, value in BlueZValue(value).map { (name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}

extension BlueZValue {
    /// Nil for types that no property in use has.
    init?(_ value: BusValue) {
        let content = value.content
        if let flag = content.bool {
            self = .flag(flag)
        } else if let number = content.integer {
            self = .number(number)
        } else if let text = content.text {
            self = .text(text)
        } else if let bytes = content.bytes {
            self = .bytes(bytes)
        } else if case .array(of: "s", let elements) = content {
            self = .texts(elements.compactMap(\.text))
        } else {
            return nil
        }
    }
}
