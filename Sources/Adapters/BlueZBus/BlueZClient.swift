import Domain
import Linux
import Sensors

/// A connection to the bus on which bluetoothd is spoken to. bluetoothd remembers filters, searches, notifications and agents for each
/// connection, and forgets them when it ends.
///
/// Released, it is closed, and nothing comes of what was asked.
final class BlueZClient {
    enum Signal {
        case told(BlueZInterfaceUpdate, isNew: Bool)
        case removed(BlueZInterface, of: String)
        /// Why the link of a device has ended.
        case disconnected(String, of: String)
        /// The connection to the bus is no more.
        case ended
    }

    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    let bus: Bus
    /// The unique name of the bluetoothd that is meant: another one is not spoken to by mistake.
    let owner: String
    private var matches: [BusSlot] = []
    private var calls: [Int: BusSlot] = [:]
    private var count = 0

    /// - Parameters:
    ///   - address: the bus, as ``Bus/systemAddress``.
    ///   - happened: called from the loop.
    init(
        to owner: String, at address: String, loop: EventLoop, happened: @escaping (Signal, Instant) -> Void
    ) throws(SystemError) {
        self.owner = owner
        bus = try Bus(at: address, loop: loop) { if $0 == .ended { happened(.ended, Clock.now()) } }
    }

    /// Hears what objects come, go and change from now on.
    func listen(_ happened: @escaping (Signal, Instant) -> Void) throws(SystemError) {
        let from = "type='signal',sender='\(owner)',interface="
        let interfaces: [BlueZInterface] = [.adapter, .device, .characteristic, .battery]
        let rules =
            ["\(from)'\(Self.objectManager)'", "\(from)'\(BlueZInterface.device.rawValue)',member='Disconnected'"]
            + interfaces.map { "\(from)'\(Self.properties)',member='PropertiesChanged',arg0='\($0.rawValue)'" }
        for rule in rules {
            let match = try bus.match(rule) { error in
                if error != nil { happened(.ended, Clock.now()) }
            } heard: { [unowned self] message in
                let now = Clock.now()
                for signal in signals(message) { happened(signal, now) }
            }
            matches.append(match)
        }
    }

    /// Calls a method of bluetoothd.
    func call(_ call: BlueZMethodCall, answered: @escaping (Result<[BusValue], BlueZError>, Instant) -> Void) {
        let method = call.method
        let number = count
        count += 1
        calls[number] = bus.call(
            owner, method.path, method.interface, method.member, method.arguments, timeout: call.limit
        ) { [weak self] result in
            // Its owner may be released by what it is told.
            self?.calls[number] = nil
            answered(result.mapError { BlueZError($0) }, Clock.now())
        }
    }

    /// Calls a method whose answer nobody waits for.
    func send(_ call: BlueZMethodCall) {
        let method = call.method
        bus.send(owner, method.path, method.interface, method.member, method.arguments)
    }

    // MARK: What is heard

    private func signals(_ message: BusMessage) -> [Signal] {
        guard message.sender == owner else { return [] }
        let arguments = message.arguments
        switch (message.member, arguments.count) {
        case ("InterfacesAdded", 2...):
            guard let path = arguments[0].text else { return [] }
            return Self.parts(of: path, arguments[1]).map { .told($0, isNew: true) }
        case ("InterfacesRemoved", 2...):
            guard let path = arguments[0].text else { return [] }
            return arguments[1].elements.compactMap { $0.text.flatMap { BlueZInterface(rawValue: $0) } }
                .map { .removed($0, of: path) }
        case ("PropertiesChanged", 2...):
            guard let interface = arguments[0].text.flatMap({ BlueZInterface(rawValue: $0) }) else { return [] }
            let invalidated = arguments.count > 2 ? arguments[2].elements.compactMap(\.text) : []
            let part = BlueZInterfaceUpdate(
                message.path, interface, Self.properties(arguments[1]), invalidated: invalidated)
            return [.told(part, isNew: false)]
        case ("Disconnected", 1...):
            return arguments[0].text.map { [.disconnected($0, of: message.path)] } ?? []
        default: return []
        }
    }

    /// What `GetManagedObjects` has answered; nil when it is nonsense.
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
    /// Nil for what no property that is used here is.
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
