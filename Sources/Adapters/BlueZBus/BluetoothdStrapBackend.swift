package import Domain
package import Linux
package import Sensors

/// The heart-rate strap through bluetoothd: adapters and searches on one connection to the bus, each link to the strap on another.
///
/// ``BlueZAdapterSession`` keeps an adapter ready, ``StrapSelector`` says which strap is ours, ``StrapLink`` when to do what; here it is done.
/// When bluetoothd goes, or does not answer, all that it has said is dropped, and begun anew.
package final class BluetoothdStrapBackend {
    var session: BlueZAdapterSession
    var link: StrapLink
    var choice: StrapSelector
    var mishaps = ConnectionFailurePolicy()
    /// People have said that no strap is to be used.
    var isOff = false

    let address: String
    let loop: EventLoop
    private let management: () throws(SystemError) -> FileDescriptor
    let report: (Input) -> Void
    let describe: (DeviceInformation) -> Void
    let remember: ([KnownStrap]) -> Void
    var timer: TimerSource?

    private var watch: BusNameWatcher?
    /// The unique name of the present bluetoothd.
    private(set) var owner: String?
    private var channel: BlueZClient?
    /// Whether this bluetoothd says why links end.
    private(set) var tellsReasons = false

    /// Whom to connect to as soon as that may be begun.
    var wanted: LEAddress?
    var connection: BlueZStrapConnection?
    var atHand = CurrentStrap()
    /// Whether the link wants the air to be searched.
    private(set) var isSearching = false
    var scan: StrapScan?
    var pairing: BlueZPairing?
    /// The path of the device that was paired a moment ago, whose link stands.
    var justPaired: String?

    /// What the kernel was told for the adapter in use.
    private(set) var defaults: ConnectionDefaults?

    var news: StrapStatusReporter

    /// - Parameters:
    ///   - ours: the straps that are ours, as the setting or the option says; none leaves it to what is heard and remembered.
    ///   - remembered: the straps that gave a beat, of earlier starts.
    ///   - reason: why Bluetooth is used in this way, where nobody has said so.
    ///   - address: the bus, as ``Bus/systemAddress``.
    ///   - management: opens a socket of the kernel's management channel, for ``ConnectionDefaults``.
    ///   - report: takes measurements, battery levels, each change of the link and of the adapter, and faults.
    ///   - describe: takes what the strap says of itself, once a connection.
    ///   - remember: takes what is to be remembered, whenever that changes.
    package init(
        adapter: AdapterChoice, ours: [StrapMatcher], remembered: [KnownStrap], reason: SanitizedText? = nil,
        address: String = Bus.systemAddress,
        management: @escaping () throws(SystemError) -> FileDescriptor = BluetoothSockets.bluez.management,
        loop: EventLoop, report: @escaping (Input) -> Void, describe: @escaping (DeviceInformation) -> Void,
        remember: @escaping ([KnownStrap]) -> Void
    ) throws(SystemError) {
        let now = Clock.now()
        self.address = address
        self.management = management
        self.loop = loop
        self.report = report
        self.describe = describe
        self.remember = remember
        session = BlueZAdapterSession(adapter)
        link = StrapLink(at: now)
        news = StrapStatusReporter(way: .bluetoothd, reason: reason)
        choice = StrapSelector(ours: ours, remembered: remembered)
        timer = try loop.timer { [unowned self] in onTimer() }
        watch = try BusNameWatcher(of: "org.bluez", at: address, loop: loop) { [unowned self] in owned(by: $0) }
        timer?.arm(at: now)
    }

    deinit {
        // What was asked for is answered, and the strap is left.
        connection = nil
        pairing?.finished(pairing?.isSearching ?? true ? .absent : .refused)
        scan?.finished(choice.sightings(at: Clock.now()))
    }

    // MARK: bluetoothd

    private func owned(by owner: String?) {
        let now = Clock.now()
        drop()
        session.went()
        self.owner = owner
        tellsReasons = false
        if owner != nil { reconnect(at: now) }
        reconcile(at: now)
    }

    private func reconnect(at now: Instant) {
        guard let owner else { return }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [unowned self] in received($0, at: $1) }
            self.channel = channel
            try channel.listen { [unowned self] in received($0, at: $1) }
            perform(session.came(at: now), at: now)
        } catch {
            drop()
            session.unanswered(at: now)
        }
    }

    /// Lets go of all that stands on the present bluetoothd.
    private func drop() {
        defaults = nil
        if connection?.isConnected ?? false { choice.lost(at: Clock.now()) }
        connection = nil
        channel = nil
        endPairing(.refused)
    }

    /// bluetoothd does not answer: everything is begun anew after a rest.
    func giveUp(at now: Instant) {
        session.unanswered(at: now)
        drop()
    }

    private func received(_ signal: BlueZClient.Signal, at now: Instant) {
        switch signal {
        case .told(let part, let isNew):
            let wasReady = session.isReady
            perform(session.received(part, isNew: isNew, at: now), at: now)
            changed(part.path, part, isNew: isNew, at: now)
            becameReady(wasReady, at: now)
            if part.properties["Connected"] != nil, link.isScanning { considerConnected(at: now) }
        case .removed(let interface, let path):
            perform(session.removed(interface, of: path, at: now), at: now)
            changed(path, nil, isNew: false, at: now)
        case .disconnected(let reason, let path):
            tellsReasons = true
            if path == connection?.device { connection?.disconnected(reason, at: now) }
        case .ended: giveUp(at: now)
        }
        reconcile(at: now)
    }

    private func changed(_ path: String, _ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        if let connection, path.hasPrefix(connection.device) { connection.received(part, isNew: isNew, at: now) }
    }

    /// What could not be done until now is.
    private func becameReady(_ wasReady: Bool, at now: Instant) {
        guard !wasReady, session.isReady else { return }
        // bluetoothd has told the kernel its own ones before.
        defaults = session.adapter?.index.map { ConnectionDefaults(index: $0, open: management, loop: loop) }
        if link.isScanning { search(at: now) }
    }

    private func answered(_ call: BlueZMethodCall, _ result: Result<[BusValue], BlueZError>, at now: Instant) {
        let wasReady = session.isReady
        var error: BlueZError? = if case .failure(let error) = result { error } else { nil }
        if call == .getObjects, case .success(let values) = result {
            if let parts = BlueZClient.objects(values) {
                perform(session.listed(parts, at: now), at: now)
            } else {
                error = BlueZError("org.freedesktop.DBus.Error.InconsistentMessage")
            }
        }
        if call != .getObjects || error != nil { perform(session.answered(call, error, at: now), at: now) }
        if error?.meaning == .unanswered, session.isSilent { drop() }
        becameReady(wasReady, at: now)
        reconcile(at: now)
    }

    func perform(_ actions: [BlueZAdapterSession.Action], at now: Instant) {
        for action in actions {
            switch action {
            case .call(let call): channel?.call(call) { [unowned self] in answered(call, $0, at: $1) }
            case .found(let sighting): received(sighting, at: now)
            case .reconnect:
                drop()
                reconnect(at: now)
            }
        }
    }

    // MARK: The strap

    private func onTimer() {
        let now = Clock.now()
        perform(session.tick(at: now), at: now)
        connection?.tick(at: now)
        endScan(at: now)
        if let pairing, now >= pairing.endsAt { endPairing(pairing.device == nil ? .absent : .refused) }
        if link.isScanning { considerConnected(at: now) }
        perform(link.tick(at: now), at: now)
        reconcile(at: now)
    }

    private func received(_ sighting: ScanResult, at now: Instant) {
        if pairing != nil, let device = session.device(sighting.address) { mayPair(with: device) }
        choice.received(sighting, at: now)
        perform(link.received(sighting.address, at: now), at: now)
        consider(at: now)
    }

    /// A strap whose link somebody has left behind does not advertise: it counts as heard.
    private func considerConnected(at now: Instant) {
        for device in session.connectedDevices where device.path != connection?.device {
            if let sighting = device.sighting { choice.received(sighting, at: now) }
        }
        consider(at: now)
    }

    private func consider(at now: Instant) {
        guard link.isScanning || link.asleep != nil else { return }
        var verdict = choice.verdict(at: now, asleep: link.asleep)
        // bluetoothd may have forgotten whom it heard a moment ago: it has to hear that one again.
        if case .connect(let strap) = verdict, session.device(strap) == nil { verdict = .wait }
        perform(link.considered(verdict, at: now), at: now)
    }

    func perform(_ action: StrapLink.Action?, at now: Instant) {
        switch action {
        case .search: search(at: now)
        case .listen: setScanning(true, at: now)
        case .stopScan: setScanning(false, at: now)
        case .connect(let strap?):
            isSearching = false
            // bluetoothd may forget a device when a search ends, unless it connects to it.
            if scan == nil, pairing == nil, !mishaps.isCautious {
                perform(session.stopDiscovery(at: now), at: now)
            } else {
                setScanning(false, at: now)
            }
            wanted = strap
            atHand.change(to: strap)
        case .connect(nil): break
        case .subscribe: connection?.subscribe(at: now)
        case .resubscribe: connection?.resubscribe(at: now)
        case .disconnect: hangUp(at: now)
        case .widen(let strap): if choice.widened(strap) { save() }
        case nil: break
        }
    }

    /// Looks for ours in the way that finds it soonest.
    private func search(at now: Instant) {
        considerConnected(at: now)
        guard link.isScanning else { return }
        // Only a device that bluetoothd knows can be waited for.
        if case .connect(let strap, let limit) = choice.search(mayListen: true, at: now), session.device(strap) != nil {
            perform(link.expected(strap, within: limit, at: now), at: now)
        } else {
            setScanning(true, at: now)
        }
    }

    func setScanning(_ isSearching: Bool, at now: Instant) {
        self.isSearching = isSearching
        searchAsWanted(at: now)
    }

    func searchAsWanted(at now: Instant) {
        // While it pairs, bluetoothd holds discoveries, and does not answer what is asked of them.
        perform(session.search(pairing?.isSearching ?? (isSearching || scan != nil), at: now), at: now)
    }

    /// Leaves the strap, or stops waiting for it.
    func hangUp(at now: Instant) {
        wanted = nil
        guard let connection else { return }
        if connection.isConnected { choice.lost(at: now) }
        connection.disconnect(at: now)
    }
}
