package import Domain
package import Linux
package import Sensors

/// The Bluetooth backend that uses bluetoothd: one bus connection for adapters and discovery, another one
/// for each link.
///
/// ``BlueZAdapterSession`` keeps an adapter ready, ``StrapSelector`` selects the strap, and ``StrapLink``
/// decides when to act. This class performs their actions. If bluetoothd exits or does not reply, its state
/// is discarded and read again.
package final class BluetoothdStrapBackend {
    var session: BlueZAdapterSession
    var link: StrapLink
    var choice: StrapSelector
    var failurePolicy = ConnectionFailurePolicy()
    /// The user chose to use no strap.
    var isOff = false

    let address: String
    let loop: EventLoop
    private let management: () throws(SystemError) -> FileDescriptor
    let report: (Input) -> Void
    let describe: (DeviceInformation) -> Void
    let remember: ([KnownStrap]) -> Void
    var timer: TimerSource?

    private var watch: BusNameWatcher?
    /// The unique bus name of the running bluetoothd.
    private(set) var owner: String?
    private var channel: BlueZClient?
    /// Whether this bluetoothd reports why links end. It is known from the first such signal.
    private(set) var reportsReasons = false

    /// The strap to connect to as soon as a connection may start.
    var wanted: LEAddress?
    var connection: BlueZStrapConnection?
    var currentStrap = CurrentStrap()
    /// Whether ``StrapLink`` needs a scan.
    private(set) var isSearching = false
    var scan: StrapScan?
    var pairing: BlueZPairing?
    /// The object path of the device that was just paired and is still linked.
    var justPaired: String?

    /// The connection defaults sent to the kernel for the adapter in use.
    private(set) var defaults: ConnectionDefaults?

    var news: StrapStatusReporter

    /// - Parameters:
    ///   - ours: the straps that the setting or the option names. If empty, discovered and known straps are used.
    ///   - remembered: the known straps from earlier starts, which have sent a beat.
    ///   - reason: why this backend is in use, if the user did not choose it.
    ///   - address: the bus, such as ``Bus/systemAddress``.
    ///   - management: opens a socket of the kernel's mgmt channel, for ``ConnectionDefaults``.
    ///   - report: receives measurements, battery levels, changes of link and adapter, and faults.
    ///   - describe: receives the strap's device information, once per connection.
    ///   - remember: receives the known straps whenever they change.
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
        // Completes pending requests and disconnects the strap.
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
        reportsReasons = false
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

    /// Discards all state that depends on the running bluetoothd.
    private func drop() {
        defaults = nil
        if connection?.isConnected ?? false { choice.lost(at: Clock.now()) }
        connection = nil
        channel = nil
        endPairing(.refused)
    }

    /// Handles a bluetoothd that does not reply: discards its state. The session reconnects after a delay.
    func giveUp(at now: Instant) {
        session.unanswered(at: now)
        drop()
    }

    private func received(_ signal: BlueZClient.Signal, at now: Instant) {
        switch signal {
        case .updated(let part, let isNew):
            let wasReady = session.isReady
            perform(session.received(part, isNew: isNew, at: now), at: now)
            changed(part.path, part, isNew: isNew, at: now)
            becameReady(wasReady, at: now)
            if part.properties["Connected"] != nil, link.isScanning { considerConnected(at: now) }
        case .removed(let interface, let path):
            perform(session.removed(interface, of: path, at: now), at: now)
            changed(path, nil, isNew: false, at: now)
        case .disconnected(let reason, let path):
            reportsReasons = true
            if path == connection?.device { connection?.disconnected(reason, at: now) }
        case .ended: giveUp(at: now)
        }
        reconcile(at: now)
    }

    private func changed(_ path: String, _ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        if let connection, path.hasPrefix(connection.device) { connection.received(part, isNew: isNew, at: now) }
    }

    /// Starts what had to wait for the adapter.
    private func becameReady(_ wasReady: Bool, at now: Instant) {
        guard !wasReady, session.isReady else { return }
        // bluetoothd has already sent its own defaults to the kernel, so these override them.
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

    /// A strap that is still linked from an earlier use does not advertise. It counts as found.
    private func considerConnected(at now: Instant) {
        for device in session.connectedDevices where device.path != connection?.device {
            if let sighting = device.sighting { choice.received(sighting, at: now) }
        }
        consider(at: now)
    }

    private func consider(at now: Instant) {
        guard link.isScanning || link.asleep != nil else { return }
        var verdict = choice.verdict(at: now, asleep: link.asleep)
        // bluetoothd may have dropped the device since it was found. It must be found again then.
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
            // bluetoothd may drop a temporary device when discovery stops, unless it is connecting to it.
            if scan == nil, pairing == nil, !failurePolicy.isCautious {
                perform(session.stopDiscovery(at: now), at: now)
            } else {
                setScanning(false, at: now)
            }
            wanted = strap
            currentStrap.change(to: strap)
        case .connect(nil): break
        case .subscribe: connection?.subscribe(at: now)
        case .resubscribe: connection?.resubscribe(at: now)
        case .disconnect: hangUp(at: now)
        case .widen(let strap): if choice.widened(strap) { save() }
        case nil: break
        }
    }

    /// Searches for our strap by the fastest available method.
    private func search(at now: Instant) {
        considerConnected(at: now)
        guard link.isScanning else { return }
        // bluetoothd can connect only to a device that it knows.
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
        // While bluetoothd pairs, it suspends discovery and does not reply to calls about it.
        perform(session.search(pairing?.isSearching ?? (isSearching || scan != nil), at: now), at: now)
    }

    /// Disconnects the strap, or cancels the connection attempt.
    func hangUp(at now: Instant) {
        wanted = nil
        guard let connection else { return }
        if connection.isConnected { choice.lost(at: now) }
        connection.disconnect(at: now)
    }
}
