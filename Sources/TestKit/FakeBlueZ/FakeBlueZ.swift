import Domain
package import Linux

/// A scripted bluetoothd on the loop of the client under test, behind a real dbus-daemon.
///
/// It keeps the state of the real one (objects, discovering peers, subscribers of values), answers
/// at once and simulates a few milliseconds of radio latency. ``script`` changes its answers.
package final class FakeBlueZ {
    package static let adapter = "/org/bluez/hci0"
    package static let adapterAddress = "00:1A:7D:DA:71:13"

    /// The answer to a call.
    package enum Reply {
        case usual
        case fails(BusError)
        /// These values, of whatever types.
        case values([BusValue])
        case late(Duration)
        case never
    }

    /// The answers to the next calls of a method, by name, in order; then the usual ones.
    package var script: [String: [Reply]] = [:]
    /// The answer to all calls of a method that ``script`` does not answer; `*` is any method.
    package var always: [String: Reply] = [:]
    /// Called with each call before it is answered.
    package var called: (BusMessage) -> Void = { _ in }
    /// The received calls.
    package private(set) var calls: [BusMessage] = []

    /// From the start of a discovery to the first advertisement, and between two.
    package var airTime = Duration.milliseconds(20)
    /// The interval of values. More than 20 a second are a flood.
    package var beatPeriod = Duration.milliseconds(100)
    /// Whether rfkill blocks the adapter.
    package var isBlocked = false
    package var isPoweredAtStart = true
    /// Whether a connection left by an earlier client reports its services as resolved.
    package var leavesResolved = true
    /// How often it was started.
    package private(set) var starts = 0

    package internal(set) var straps: [FakeBlueZStrap]

    let loop: EventLoop
    private let address: String
    private(set) var bus: Bus?
    private var slots: [String: BusSlot] = [:]
    private var unanswered: [BusRequest] = []
    private var timers: [Int: TimerSource] = [:]
    private var timerCount = 0

    typealias Properties = [String: BusValue]
    /// The exported properties, by path and interface.
    private(set) var objects: [String: [String: Properties]] = [:]
    /// The discovering peers with the service UUIDs of their filters; an empty list means all.
    var discoverers: [String: [String]] = [:]
    var filters: [String: [String]] = [:]
    /// The agent's path of each peer that has one.
    var agents: [String: String] = [:]
    /// The peers that have called RequestDefaultAgent.
    package internal(set) var defaultAgents: [String] = []

    /// The number of requests to agents.
    var requestCount = 0

    /// Requests the bus name in later turns of the loop; without `isThere` the name is absent until ``start()``.
    package init(
        at address: String, loop: EventLoop, straps: [FakeBlueZStrap] = [FakeBlueZStrap()], isThere: Bool = true
    ) throws {
        self.address = address
        self.loop = loop
        self.straps = straps
        if isThere { try start() }
    }

    /// Starts, also after ``stop()`` or an outage of the bus. Straps are
    /// disconnected, except with ``FakeBlueZStrap/isLeftConnected``.
    package func start() throws {
        stop()
        let bus = try Bus(at: address, loop: loop) { _ in }
        self.bus = bus
        starts += 1
        slots["left"] = try bus.match("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'") {
            [unowned self] signal in
            if signal.arguments.last?.text == "", let peer = signal.arguments.first?.text { left(peer) }
        }
        addRoot()
        addAdapter()
        for index in straps.indices { straps[index].reset() }
        for index in straps.indices where straps[index].isLeftConnected {
            add(index)
            connected(index)
        }
        slots["name"] = bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("org.bluez"), .uint32(4)], timeout: .seconds(30)
        ) { _ in }
    }

    /// Ends as if it were killed.
    package func stop() {
        timers = [:]
        slots = [:]
        bus = nil
        unanswered = []
        objects = [:]
        discoverers = [:]
        filters = [:]
        agents = [:]
        for index in straps.indices { straps[index].reset() }
    }

    /// The number of calls of a method.
    package func count(of member: String) -> Int {
        calls.count { $0.member == member }
    }

    func keep(_ slot: BusSlot, as name: String) {
        slots[name] = slot
    }

    // MARK: Calls

    private func received(_ request: BusRequest) {
        let message = request.message
        calls.append(message)
        called(message)
        // Read after `called`, which may change the script.
        var answer = always["*"] ?? always[message.member] ?? .usual
        if let next = script[message.member]?.first {
            answer = next
            script[message.member]?.removeFirst()
        }
        switch answer {
        case .usual: perform(request)
        case .fails(let error): request.fail(error)
        case .values(let values): try? request.reply(values)
        case .late(let delay): after(delay) { [unowned self] in perform(request) }
        case .never: leave(request)
        }
    }

    /// Keeps the request without an answer.
    func leave(_ request: BusRequest) {
        unanswered.append(request)
    }

    private func perform(_ request: BusRequest) {
        let message = request.message
        guard let object = objects[message.path] else {
            return request.fail(BusError("org.freedesktop.DBus.Error.UnknownObject", "No such object"))
        }
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"): try? request.reply([managed])
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            let properties = object[message.arguments.first?.text ?? ""] ?? [:]
            try? request.reply([Self.dictionary(properties)])
        case ("org.freedesktop.DBus.Properties", "Get"):
            let properties = object[message.arguments.first?.text ?? ""] ?? [:]
            guard let value = properties[message.arguments.last?.text ?? ""] else {
                return request.fail(BusError(BusError.invalidArguments, "No such property"))
            }
            try? request.reply([.variant(value)])
        case ("org.freedesktop.DBus.Properties", "Set"): set(request)
        case ("org.bluez.Adapter1", _): adapterCalled(request)
        case ("org.bluez.AgentManager1", _): agentManagerCalled(request)
        case ("org.bluez.Device1", _): deviceCalled(request)
        case ("org.bluez.GattCharacteristic1", _): characteristicCalled(request)
        default: request.fail(BusError(BusError.unknownMethod, "No such method"))
        }
    }

    /// Releases the resources of a peer that has disconnected.
    private func left(_ peer: String) {
        agents[peer] = nil
        filters[peer] = nil
        if discoverers.removeValue(forKey: peer) != nil { discoveryChanged() }
        for index in straps.indices { release(index, of: peer) }
    }

    // MARK: Objects

    private var managed: BusValue {
        .array(
            of: "{oa{sa{sv}}}",
            objects.keys.sorted().filter { $0 != "/" }.map { path in
                .entry(.objectPath(path), Self.interfaces(objects[path] ?? [:]))
            })
    }

    static func dictionary(_ properties: Properties) -> BusValue {
        .array(
            of: "{sv}", properties.keys.sorted().map { .entry(.string($0), .variant(properties[$0] ?? .bool(false))) })
    }

    private static func interfaces(_ interfaces: [String: Properties]) -> BusValue {
        .array(
            of: "{sa{sv}}",
            interfaces.keys.sorted().map { .entry(.string($0), dictionary(interfaces[$0] ?? [:])) })
    }

    private func addRoot() {
        objects["/"] = [:]
        serve("/")
        objects["/org/bluez"] = ["org.bluez.AgentManager1": [:]]
        serve("/org/bluez")
    }

    private func serve(_ path: String) {
        slots[path] = try? bus?.serve(path) { [unowned self] in received($0) }
    }

    /// Adds an interface to an object and emits InterfacesAdded.
    func add(_ path: String, _ interface: String, _ properties: Properties) {
        if objects[path] == nil { serve(path) }
        objects[path, default: [:]][interface] = properties
        emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
            [.objectPath(path), Self.interfaces([interface: properties])])
    }

    /// Removes an object with its children and emits InterfacesRemoved.
    func remove(_ path: String) {
        for gone in objects.keys.sorted(by: >) where gone == path || gone.hasPrefix(path + "/") {
            let interfaces = objects.removeValue(forKey: gone) ?? [:]
            // Delayed, because this may run in a call of the same object.
            after(.zero) { [unowned self] in if objects[gone] == nil { slots[gone] = nil } }
            emit(
                "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                [.objectPath(gone), .array(of: "s", interfaces.keys.sorted().map { .string($0) })])
        }
    }

    /// Changes properties and emits PropertiesChanged.
    func change(_ path: String, _ interface: String, _ properties: Properties) {
        guard objects[path]?[interface] != nil else { return }
        objects[path]?[interface]?.merge(properties) { $1 }
        emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), Self.dictionary(properties), .array(of: "s", [])])
    }

    func property(_ name: String, of path: String, _ interface: String) -> BusValue? {
        objects[path]?[interface]?[name]
    }

    /// Emits a signal, valid or not.
    package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        try? bus?.emit(path, interface, member, arguments)
    }

    /// Calls `body` later, unless ``stop()`` comes first.
    package func after(_ delay: Duration, _ body: @escaping () -> Void) {
        timerCount += 1
        let number = timerCount
        let timer = try? loop.timer { [unowned self] in
            timers[number] = nil
            body()
        }
        timer?.arm(at: Clock.now() + delay)
        timers[number] = timer
    }
}
