import Domain
package import Linux

/// A bluetoothd that does what a test tells it, on the loop of the client under test, behind a real dbus-daemon.
///
/// It keeps what the real one keeps (objects, who discovers, who is told a value), answers at once and lets the air take some
/// milliseconds. ``script`` has it answer otherwise.
package final class FakeBlueZ {
    package static let adapter = "/org/bluez/hci0"
    package static let adapterAddress = "00:1A:7D:DA:71:13"

    /// How one call is answered.
    package enum Answer {
        case usual
        case fails(BusError)
        /// Whatever it should have been.
        case says([BusValue])
        case late(Duration)
        case never
    }

    /// How the next calls of a method are answered, by its name, in turn; then as usual.
    package var script: [String: [Answer]] = [:]
    /// How all further calls of a method are answered.
    package var always: [String: Answer] = [:]
    /// Told of each call before it is answered.
    package var called: (BusMessage) -> Void = { _ in }
    /// Every call that came.
    package private(set) var calls: [BusMessage] = []

    /// From the beginning of a discovery to the first sight of a strap, and between two.
    package var airTime = Duration.milliseconds(20)
    /// Between two values; more than 20 a second are a flood.
    package var beatPeriod = Duration.milliseconds(100)
    /// Whether the adapter cannot be switched on.
    package var isBlocked = false
    package var isPoweredAtStart = true
    /// Whether the services of a link that was left are known.
    package var leavesResolved = true
    /// How often the owner of the name has come.
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
    /// What is there: properties by interface by path.
    private(set) var objects: [String: [String: Properties]] = [:]
    /// The peers that discover, with the services that they look for; none means all.
    var discoverers: [String: [String]] = [:]
    var filters: [String: [String]] = [:]
    /// The path of the agent of each peer that has one.
    var agents: [String: String] = [:]
    /// The peers that asked for their agent to serve everybody's pairings.
    package internal(set) var defaultAgents: [String] = []

    /// What agents were asked so far.
    var questions = 0

    /// It owns the name soon after, in turns of the loop; or is absent until ``start()``.
    package init(
        at address: String, loop: EventLoop, straps: [FakeBlueZStrap] = [FakeBlueZStrap()], isThere: Bool = true
    ) throws {
        self.address = address
        self.loop = loop
        self.straps = straps
        if isThere { try start() }
    }

    /// Comes, again after ``stop()`` or when the bus was away. No strap is connected then, unless it is
    /// ``FakeBlueZStrap/isLeftConnected``.
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

    /// Goes as one that is killed.
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

    /// Whether a method was called, and how often.
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
        // The answer is of what holds now: who is told may have changed it.
        var answer = always["*"] ?? always[message.member] ?? .usual
        if let next = script[message.member]?.first {
            answer = next
            script[message.member]?.removeFirst()
        }
        switch answer {
        case .usual: carryOut(request)
        case .fails(let error): request.refuse(error)
        case .says(let values): try? request.reply(values)
        case .late(let delay): after(delay) { [unowned self] in carryOut(request) }
        case .never: leave(request)
        }
    }

    /// Never answers.
    func leave(_ request: BusRequest) {
        unanswered.append(request)
    }

    private func carryOut(_ request: BusRequest) {
        let message = request.message
        guard let object = objects[message.path] else {
            return request.refuse(BusError("org.freedesktop.DBus.Error.UnknownObject", "No such object"))
        }
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"): try? request.reply([managed])
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            let properties = object[message.arguments.first?.text ?? ""] ?? [:]
            try? request.reply([Self.dictionary(properties)])
        case ("org.freedesktop.DBus.Properties", "Get"):
            let properties = object[message.arguments.first?.text ?? ""] ?? [:]
            guard let value = properties[message.arguments.last?.text ?? ""] else {
                return request.refuse(BusError(BusError.invalidArguments, "No such property"))
            }
            try? request.reply([.variant(value)])
        case ("org.freedesktop.DBus.Properties", "Set"): set(request)
        case ("org.bluez.Adapter1", _): adapterCalled(request)
        case ("org.bluez.AgentManager1", _): agentManagerCalled(request)
        case ("org.bluez.Device1", _): deviceCalled(request)
        case ("org.bluez.GattCharacteristic1", _): characteristicCalled(request)
        default: request.refuse(BusError(BusError.unknownMethod, "No such method"))
        }
    }

    /// What a peer had here is released with its connection.
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

    /// An interface of an object comes, and is announced.
    func add(_ path: String, _ interface: String, _ properties: Properties) {
        if objects[path] == nil { serve(path) }
        objects[path, default: [:]][interface] = properties
        emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
            [.objectPath(path), Self.interfaces([interface: properties])])
    }

    /// An object goes with all that is below it.
    func remove(_ path: String) {
        for gone in objects.keys.sorted(by: >) where gone == path || gone.hasPrefix(path + "/") {
            let interfaces = objects.removeValue(forKey: gone) ?? [:]
            // Later: this may be called in a call of that very object.
            after(.zero) { [unowned self] in if objects[gone] == nil { slots[gone] = nil } }
            emit(
                "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                [.objectPath(gone), .array(of: "s", interfaces.keys.sorted().map { .string($0) })])
        }
    }

    /// Properties of an object change, and that is told.
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

    /// Sends a signal, right or wrong.
    package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        try? bus?.emit(path, interface, member, arguments)
    }

    /// Does something later, unless it is stopped by then.
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
