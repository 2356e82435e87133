import Domain
package import Linux
package import Sensors

/// The Bluetooth backend that uses bluetoothd: one bus connection for adapters and discovery, another one
/// for each link.
///
/// ``BlueZAdapterSession`` keeps an adapter ready, and ``SensorDriver`` serves the sensors. This class performs their
/// actions. If bluetoothd exits or does not reply, its state is discarded and read again.
package final class BluetoothdSensorBackend: DrivenSensorBackend {
    private var session: BlueZAdapterSession
    let shell: SensorDriverShell

    private let address: String
    private let loop: EventLoop
    private let management: () throws(SystemError) -> FileDescriptor
    private var watch: BusNameWatcher?
    /// The unique bus name of the running bluetoothd.
    private var owner: String?
    private var channel: BlueZClient?
    /// Whether this bluetoothd reports why links end. It is known from the first such signal.
    private var reportsReasons = false

    /// The connection of one link of the driver, and its recent failures.
    private struct Link {
        var connection: BlueZSensorConnection?
        var failures = ConnectionFailurePolicy()
    }

    private var links = (0..<SensorDriver.linkLimit).map { _ in Link() }
    private var pairing: BlueZPairing?
    /// The object path of the device that was just paired and is still linked.
    private var justPaired: String?

    /// The connection defaults sent to the kernel for the adapter in use.
    private var defaults: ConnectionDefaults?

    /// - Parameters:
    ///   - address: the bus, such as ``Bus/systemAddress``.
    ///   - management: opens a socket of the kernel's mgmt channel, for ``ConnectionDefaults``.
    package init(
        adapter: AdapterChoice, _ shell: SensorDriverShell, address: String = Bus.systemAddress,
        management: @escaping () throws(SystemError) -> FileDescriptor = BluetoothSockets.bluez.management,
        loop: EventLoop
    ) throws(SystemError) {
        self.shell = shell
        self.address = address
        self.management = management
        self.loop = loop
        session = BlueZAdapterSession(adapter, service: .heartRateService)
        watch = try BusNameWatcher(of: "org.bluez", at: address, loop: loop) { [unowned self] in ownerChanged($0) }
        try startTimer(in: loop, at: Clock.now())
    }

    deinit {
        // Completes pending requests and disconnects the sensors.
        let now = Clock.now()
        links = []
        release(at: now)
    }

    // MARK: bluetoothd

    private func ownerChanged(_ owner: String?) {
        let now = Clock.now()
        drop(at: now)
        session.serviceStopped()
        self.owner = owner
        reportsReasons = false
        if owner != nil { reconnect(at: now) }
        performActions(at: now)
    }

    private func reconnect(at now: Instant) {
        guard let owner else { return }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [unowned self] in received($0, at: $1) }
            self.channel = channel
            try channel.listen { [unowned self] in received($0, at: $1) }
            perform(session.serviceStarted(at: now), at: now)
        } catch {
            drop(at: now)
            session.timedOut(at: now)
        }
    }

    /// Discards all state that depends on the running bluetoothd.
    private func drop(at now: Instant) {
        defaults = nil
        for link in links.indices { links[link].connection = nil }
        channel = nil
        shell.driver.dropped(at: now)
        shell.driver.pairingEnded(.refused, at: now, into: &shell.actions)
    }

    /// Handles a bluetoothd that does not reply: discards its state. The session reconnects after a delay.
    private func giveUp(at now: Instant) {
        session.timedOut(at: now)
        drop(at: now)
    }

    private func received(_ signal: BlueZClient.Signal, at now: Instant) {
        switch signal {
        case .updated(let part, let isNew):
            let wasReady = session.isReady
            perform(session.received(part, isNew: isNew, at: now), at: now)
            changed(part.path, part, isNew: isNew, at: now)
            becameReady(wasReady, at: now)
            if part.properties["Connected"] != nil, shell.driver.isScanning { findLinked(at: now) }
        case .removed(let interface, let path):
            perform(session.removed(interface, of: path, at: now), at: now)
            changed(path, nil, isNew: false, at: now)
        case .disconnected(let reason, let path):
            reportsReasons = true
            for (_, connection) in connections where path == connection.device {
                connection.disconnected(reason, at: now)
            }
        case .ended: giveUp(at: now)
        }
        performActions(at: now)
    }

    private func changed(_ path: String, _ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        for (_, connection) in connections where path.hasPrefix(connection.device) {
            connection.received(part, isNew: isNew, at: now)
        }
    }

    /// Starts what had to wait for the adapter.
    private func becameReady(_ wasReady: Bool, at now: Instant) {
        guard !wasReady, session.isReady else { return }
        // bluetoothd has already sent its own defaults to the kernel, so these override them.
        defaults = session.adapter?.index.map { ConnectionDefaults(index: $0, open: management, loop: loop) }
        if shell.driver.isScanning { search(at: now) }
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
        if error?.meaning == .unanswered, session.isSilent { drop(at: now) }
        becameReady(wasReady, at: now)
        performActions(at: now)
    }

    private func perform(_ actions: [BlueZAdapterSession.Action], at now: Instant) {
        for action in actions {
            switch action {
            case .call(let call): channel?.call(call) { [unowned self] in answered(call, $0, at: $1) }
            case .found(let result):
                shell.driver.found(result, isKnown: isKnown, at: now, into: &shell.actions)
            case .reconnect:
                drop(at: now)
                reconnect(at: now)
            }
        }
    }

    // MARK: The sensors

    private var connections: [(link: Int, connection: BlueZSensorConnection)] {
        links.indices.compactMap { link in links[link].connection.map { (link, $0) } }
    }

    private func received(_ event: BlueZSensorConnection.Event, link: Int, at now: Instant) {
        switch event {
        case .linked(let isLinked):
            if let connection = links[link].connection { session.linked(connection.device, isLinked) }
            return
        case .connected:
            links[link].failures.connected()
            shell.driver.connected(link: link, at: now, into: &shell.actions)
        case .reported(let report): shell.driver.received(report, link: link, at: now, into: &shell.actions)
        case .ended(let cause): ended(cause, link: link, at: now)
        case .unanswered: giveUp(at: now)
        case .advanced: break
        }
        performActions(at: now)
    }

    /// Whether bluetoothd has the device, so that it can connect to it.
    private func isKnown(_ sensor: LEAddress) -> Bool {
        session.device(sensor) != nil
    }

    private func findLinked(at now: Instant) {
        let ours = connections.map(\.connection.device)
        let linked = session.connectedDevices.filter { !ours.contains($0.path) }.compactMap(\.scanResult)
        shell.driver.foundLinked(linked, isKnown: isKnown, at: now, into: &shell.actions)
    }

    private func search(at now: Instant) {
        findLinked(at: now)
        shell.driver.search(isKnown: isKnown, at: now, into: &shell.actions)
    }

    private func ended(_ cause: DisconnectCause, link: Int, at now: Instant) {
        let sensor = shell.driver.sensor(of: link)
        let wasConnected = links[link].connection?.isConnected ?? false
        switch links[link].failures.lost(cause, of: sensor, wasConnected: wasConnected, at: now) {
        case .removeDevice:
            if let device = sensor.flatMap(session.device) { perform(session.remove(device, at: now), at: now) }
        // The other sensors would lose their links.
        case .powerCycle where connections.contains { $0.link != link && $0.connection.isConnected }: break
        case .powerCycle: perform(session.powerCycle(at: now), at: now)
        case nil: break
        }
        shell.driver.ended(cause, link: link, at: now, into: &shell.actions)
    }

    // MARK: Actions

    func tick(at now: Instant) {
        perform(session.tick(at: now), at: now)
        for (_, connection) in connections { connection.tick(at: now) }
        if shell.driver.isScanning { findLinked(at: now) }
        shell.driver.tick(isKnown: isKnown, at: now, into: &shell.actions)
    }

    func deadlines(at now: Instant) -> [Instant?] {
        links.flatMap { [$0.connection?.deadline, $0.failures.deadline(at: now)] } + [session.deadline]
    }

    func settle(at now: Instant) {
        for (link, connection) in connections where connection.isOver { links[link].connection = nil }
        pairIfPossible(at: now)
    }

    func preparePairing(at now: Instant) {
        // bluetoothd may never complete a subscription and a pairing that wait for each other.
        for (link, connection) in connections
        where connection.isConnected && !connection.isSubscribed && !connection.isLeaving {
            shell.driver.leaveForPairing(link: link, at: now, into: &shell.actions)
        }
    }

    /// bluetoothd keeps the keys.
    func forgetKeys(of pattern: SensorMatcher?, at now: Instant) {}

    func perform(_ action: SensorDriver.Action, at now: Instant) {
        switch action {
        case .search: search(at: now)
        case .startScan: perform(session.search(true, at: now), at: now)
        case .stopScan(isConnecting: true) where !isCautious:
            // bluetoothd may drop a temporary device when discovery stops, unless it is connecting to it.
            perform(session.stopDiscovery(at: now), at: now)
        case .stopScan: perform(session.search(false, at: now), at: now)
        case .tune: break
        case .connect(let sensor, let kinds, let link): connect(sensor, kinds, link: link, at: now)
        case .suspendAttempt(let link), .disconnect(_, let link): links[link].connection?.disconnect(at: now)
        case .subscribe(let link): links[link].connection?.subscribe(at: now)
        case .resubscribe(let link): links[link].connection?.resubscribe(at: now)
        case .compensateOffset(let link): links[link].connection?.compensateOffset(at: now)
        case .identify(let pattern): identify(pattern, at: now)
        case .pair(let sensor, _, _):
            if let device = session.device(sensor) {
                pairing = BlueZPairing(with: device.path)
            } else {
                shell.driver.pairingEnded(.absent, at: now, into: &shell.actions)
            }
        case .stopPairing: pairing = nil
        case .report, .describe, .remember, .finishScan, .finishPairing, .finishCompensation: break
        }
    }

    private func connect(_ sensor: LEAddress, _ kinds: [SensorKind], link: Int, at now: Instant) {
        guard let device = session.device(sensor), let owner else { return ended(.unreachable, link: link, at: now) }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [weak self] _, now in
                self?.giveUp(at: now)
                self?.performActions(at: now)
            }
            let connection = BlueZSensorConnection(
                to: device.path, kinds, over: channel, loop: loop, reportsReasons: reportsReasons,
                isFresh: device.path == justPaired,
                objects: { [unowned self] in session.objects },
                happened: { [weak self] in self?.received($0, link: link, at: $1) }, at: now)
            links[link].connection = connection
            justPaired = nil
            connection.begin(at: now)
        } catch {
            giveUp(at: now)
        }
    }

    // MARK: Pairing

    /// Looks for the sensor to pair among the linked devices and those that are being connected. An attempt to connect
    /// to it continues: the kernel may complete it after a cancellation, and then no owner would use or close the link.
    private func identify(_ pattern: SensorMatcher, at now: Instant) {
        let attempted = connections.compactMap { session.objects.device(at: $0.connection.device) }
        let sensor = (session.connectedDevices + attempted).first { device in
            device.address.map { pattern.matches($0, name: device.name) } ?? false
        }
        shell.driver.identified(sensor?.address, at: now, into: &shell.actions)
    }

    /// Starts the pairing once all connections are subscribed, and no discovery runs. During a disconnect the
    /// pairing would lose its link, so it waits for the end of that.
    private func pairIfPossible(at now: Instant) {
        guard let pairing, !pairing.isUnderWay, let owner, connections.allSatisfy(\.connection.isSubscribed)
        else { return }
        guard session.objects.device(at: pairing.device).map({ !$0.isPaired }) ?? true else {
            return shell.driver.pairingEnded(.pairedAlready, at: now, into: &shell.actions)
        }
        guard session.isQuiet else { return }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [weak self] _, now in
                self?.pairingEnded(.refused, at: now)
            }
            try pairing.begin(over: channel) { [weak self] in self?.pairingEnded($0, at: $1) }
        } catch {
            shell.driver.pairingEnded(.refused, at: now, into: &shell.actions)
        }
    }

    private func pairingEnded(_ result: PairingResult, at now: Instant) {
        if result == .paired { justPaired = pairing?.device }
        shell.driver.pairingEnded(result, at: now, into: &shell.actions)
        performActions(at: now)
    }

    // MARK: Host

    func host(at now: Instant) -> SensorDriver.Host {
        let isFading = links[0].failures.isFading(at: now) && !(defaults?.areSet ?? false)
        return SensorDriver.Host(
            adapter: session.adapter?.address, obstacle: session.obstacle,
            canConnect: session.isReady && owner != nil && (!isCautious || session.isQuiet),
            closing: Set(connections.map(\.link)), faults: isFading ? [.supervisionTimeout] : [])
    }

    /// Whether to connect only while no discovery runs.
    private var isCautious: Bool {
        links.contains { $0.failures.isCautious }
    }
}
