package import Domain
import Glibc
package import Linux
package import Sensors

/// The Bluetooth backend that uses the kernel: the mgmt channel for adapters and scans, L2CAP for the sensors.
///
/// ``MgmtAdapterSession`` keeps an adapter ready, and ``SensorDriver`` serves the sensors. This class performs their
/// actions. A connection starts only while we do not scan: both at once can take down a board's Wi-Fi. A connected
/// sensor does not need the mgmt channel and continues if that fails.
@safe
package final class KernelSensorBackend: SensorBackend {
    private var driver: SensorDriver
    private var queue = ActionQueue<SensorDriver.Action>()
    private let channel: ManagementChannel
    private let sockets: BluetoothSockets
    private let loop: EventLoop
    private var timer: TimerSource?

    private let report: (Input) -> Void
    private let describe: (DeviceInformation) -> Void
    private let remember: ([KnownSensor]) -> Void
    private var scanFinished: ([ScanResult]) -> Void = { _ in }
    private var pairingFinished: (PairingResult) -> Void = { _ in }
    private var compensationFinished: (ZeroOffsetResult) -> Void = { _ in }

    /// The sockets of one link of the driver.
    private struct Link {
        var kinds: [SensorKind] = []
        var attempt: LEConnectionAttempt?
        var connection: SensorConnection?
        /// The kernel's handle of the connection.
        var handle: UInt16?
    }

    private var links = (0..<SensorDriver.linkLimit).map { _ in Link() }
    private var reasons: (index: UInt16, monitor: HCIDisconnectMonitor)?

    /// - Parameters:
    ///   - ours: the straps that the setting or the option names. If empty, discovered and known straps are used.
    ///   - remembered: the known straps from earlier starts, which have sent a beat.
    ///   - keys: the long-term keys of paired straps.
    ///   - reason: why this backend is in use, if the user did not choose it.
    ///   - report: receives measurements, battery levels, changes of link and adapter, and faults.
    ///   - describe: receives the strap's device information, once per connection.
    ///   - remember: receives the known straps whenever they change.
    ///   - keep: receives the keys of all paired straps whenever they change.
    package init(
        adapter: AdapterChoice, ours: [SensorMatcher], remembered: [KnownSensor], keys: [LongTermKey] = [],
        reason: SanitizedText? = nil, sockets: BluetoothSockets = .bluez, loop: EventLoop,
        report: @escaping (Input) -> Void,
        describe: @escaping (DeviceInformation) -> Void, remember: @escaping ([KnownSensor]) -> Void,
        keep: @escaping ([LongTermKey]) -> Void = { _ in }
    ) throws(SystemError) {
        let now = Clock.now()
        self.sockets = sockets
        self.loop = loop
        self.report = report
        self.describe = describe
        self.remember = remember
        driver = SensorDriver(
            over: .kernel, reason: reason, kernel: Kernel.release, ours: ours, remembered: remembered, at: now)
        channel = ManagementChannel(adapter, keys: keys, open: sockets.management, loop: loop, at: now)
        timer = try loop.timer { [unowned self] in onTimer() }
        channel.happened = { [unowned self] in received($0, at: $1) }
        channel.kept = keep
        channel.paired = { [unowned self] in
            driver.pairingEnded($0, at: $1, into: &queue.actions)
            performActions(at: $1)
        }
        timer?.arm(at: now)
    }

    deinit {
        // Completes pending requests, and leaves no state behind for the next user of the adapter.
        let now = Clock.now()
        let connected = links.indices.filter { links[$0].connection != nil }.compactMap(driver.sensor)
        links = []
        channel.part(from: connected, at: now)
        driver.release(at: now, into: &queue.actions)
        while let action = queue.popFirst() { perform(action, at: now) }
    }

    // MARK: Requests

    package func runChanged(isActive: Bool) {
        let now = Clock.now()
        driver.runChanged(isActive: isActive, at: now)
        performActions(at: now)
    }

    package func use(_ ours: [SensorMatcher]) {
        let now = Clock.now()
        driver.use(ours, at: now, into: &queue.actions)
        performActions(at: now)
    }

    package func stop() {
        driver.stop()
        performActions(at: Clock.now())
    }

    package func forget(_ pattern: SensorMatcher?, remaining ours: [SensorMatcher]) {
        let now = Clock.now()
        channel.forgetKeys(of: { pattern?.matches($0, name: driver.name(of: $0)) ?? true }, at: now)
        driver.forget(pattern, ours: ours, at: now, into: &queue.actions)
        performActions(at: now)
    }

    package func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> SensorRequestError? {
        if let rejection = driver.rejection { return rejection }
        let now = Clock.now()
        scanFinished = finished
        driver.scan(for: duration, at: now, into: &queue.actions)
        performActions(at: now)
        return nil
    }

    package func pair(_ pattern: SensorMatcher, finished: @escaping (PairingResult) -> Void) -> SensorRequestError? {
        if let rejection = driver.rejection { return rejection }
        let now = Clock.now()
        pairingFinished = finished
        driver.pair(pattern, at: now)
        performActions(at: now)
        return nil
    }

    package func compensateOffset(
        _ pattern: SensorMatcher?, finished: @escaping (ZeroOffsetResult) -> Void
    ) {
        let now = Clock.now()
        if let result = driver.compensateOffset(pattern, at: now, into: &queue.actions) { return finished(result) }
        compensationFinished = finished
        performActions(at: now)
    }

    // MARK: Events

    private func onTimer() {
        let now = Clock.now()
        channel.tick(at: now)
        for link in links { link.connection?.tick(at: now) }
        driver.tick(at: now, into: &queue.actions)
        performActions(at: now)
    }

    private func received(_ result: ScanResult?, at now: Instant) {
        if let result { driver.found(result, at: now, into: &queue.actions) }
        performActions(at: now)
    }

    private func received(_ result: consuming LEConnectionAttempt.Result, link: Int, at now: Instant) {
        links[link].attempt = nil
        switch consume result {
        case .connected(let socket):
            links[link].handle = sockets.handle(socket)
            if let handle = links[link].handle { reasons?.monitor.begin(handle) }
            do throws(SystemError) {
                links[link].connection = try SensorConnection(over: socket, links[link].kinds, loop: loop) {
                    [weak self] in
                    self?.received($0, link: link, at: $1)
                }
                driver.connected(link: link, at: now, into: &queue.actions)
            } catch {
                driver.ended(.unreachable, link: link, at: now, into: &queue.actions)
            }
        case .failed(let cause): driver.ended(cause, link: link, at: now, into: &queue.actions)
        }
        performActions(at: now)
    }

    private func received(_ event: SensorConnection.Event, link: Int, at now: Instant) {
        switch event {
        case .reported(let report): driver.received(report, link: link, at: now, into: &queue.actions)
        case .rescheduled: break
        case .ended(let cause):
            links[link].connection = nil
            let handle = links[link].handle
            driver.ended(disconnectCause(cause, of: handle), link: link, at: now, into: &queue.actions)
        }
        performActions(at: now)
    }

    /// The adapter's disconnect reason, if it is more precise than the socket's error.
    private func disconnectCause(_ cause: DisconnectCause, of handle: UInt16?) -> DisconnectCause {
        switch cause {
        case .ended, .remoteTerminated, .supervisionTimeout:
            guard let handle, let reason = reasons?.monitor.popReason(handle) else { return cause }
            return DisconnectCause(disconnectReason: reason)
        default: return cause
        }
    }

    // MARK: Actions

    /// Performs the driver's actions, then arms the timer. An event that they cause is handled by this same call.
    private func performActions(at now: Instant) {
        guard queue.begin() else { return }
        repeat {
            while let action = queue.popFirst() { perform(action, at: now) }
            driver.reconcile(with: host, at: now, into: &queue.actions)
        } while !queue.actions.isEmpty
        queue.end()
        let deadlines = [driver.deadline(at: now), channel.deadline] + links.map { $0.connection?.deadline }
        timer?.arm(at: deadlines.compactMap { $0 }.min())
    }

    private func perform(_ action: SensorDriver.Action, at now: Instant) {
        switch action {
        case .search: driver.search(at: now, into: &queue.actions)
        case .startScan: channel.search(true, at: now)
        case .stopScan: channel.search(false, at: now)
        case .tune(let sensors, let duty):
            let devices = sensors.mapValues { $0 ? ConnectionParameters.wide : .usual }
            channel.tune(MgmtAdapterSession.ScanParameters(duty: duty, devices: devices), at: now)
        case .connect(let sensor, let kinds, let link): connect(sensor, kinds, link: link, at: now)
        case .suspendAttempt(let link): links[link].attempt = nil
        case .subscribe(let link): links[link].connection?.subscribe(at: now)
        case .resubscribe(let link): links[link].connection?.resubscribe(at: now)
        case .compensateOffset(let link): links[link].connection?.compensateOffset(at: now)
        case .disconnect(let sensor, let link):
            links[link].attempt = nil
            guard links[link].connection != nil else { break }
            links[link].connection = nil
            // The kernel would keep the link for 2 s, and the next connection would reuse it.
            if let sensor { channel.disconnect(sensor, at: now) }
        case .identify(let pattern):
            // The pairing makes its own connection, and one is made at a time.
            driver.suspendAttempts(into: &queue.actions)
            driver.identified(driver.knownStrap(matching: pattern, at: now), at: now, into: &queue.actions)
        case .pair(let strap, let until, let replacesKey):
            if channel.session.isPaired(strap), !replacesKey {
                driver.pairingEnded(.pairedAlready, at: now, into: &queue.actions)
            } else {
                channel.pair(strap, until: until, at: now)
            }
        case .stopPairing: channel.stopPairing(at: now)
        case .report(let input): report(input)
        case .describe(let information): describe(information)
        case .remember(let straps): remember(straps)
        case .finishScan(let results): scanFinished(results)
        case .finishPairing(let result): pairingFinished(result)
        case .finishCompensation(let result): compensationFinished(result)
        }
    }

    private func connect(_ sensor: LEAddress, _ kinds: [SensorKind], link: Int, at now: Instant) {
        guard let adapter = channel.session.address else {
            return driver.ended(.unreachable, link: link, at: now, into: &queue.actions)
        }
        watchDisconnectReasons()
        links[link].kinds = kinds
        do throws(SystemError) {
            let socket = try sockets.attribute(adapter, sensor, channel.session.isPaired(sensor))
            // The callback may release the owner.
            links[link].attempt = try LEConnectionAttempt(over: socket, loop: loop, at: now) { [weak self] in
                self?.received($0, link: link, at: $1)
            }
        } catch {
            let cause = DisconnectCause(connecting: error, after: .zero)
            driver.ended(cause, link: link, at: now, into: &queue.actions)
        }
    }

    /// Opens the monitor of disconnect reasons for the adapter in use.
    private func watchDisconnectReasons() {
        guard let index = channel.session.index, reasons?.index != index else { return }
        reasons = nil
        if let socket = try? sockets.disconnections(index) { reasons = (index, HCIDisconnectMonitor(over: socket)) }
    }

    // MARK: Host

    private var host: SensorDriver.Host {
        let session = channel.session
        return SensorDriver.Host(
            adapter: session.address, obstacle: obstacle, canScan: session.isPermitted,
            canConnect: session.isQuiet && session.address != nil)
    }

    /// The condition of this host that prevents a connection.
    private var obstacle: LinkReason? {
        if channel.isWithoutBluetooth { return .noBluetooth }
        switch channel.session.status {
        case .absent: return .noAdapter
        case .off: return .adapterOff
        case .blocked: return .adapterBlocked
        case .forbidden: return .noPermission
        case .ready: return nil
        case .unknown: return channel.failure?.code == EPERM || channel.failure?.code == EACCES ? .noPermission : nil
        }
    }
}
