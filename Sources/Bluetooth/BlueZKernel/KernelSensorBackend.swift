import Domain
import Glibc
package import Linux
package import Sensors

/// The Bluetooth backend that uses the kernel: the mgmt channel for adapters and scans, L2CAP for the sensors.
///
/// ``MgmtAdapterSession`` keeps an adapter ready, and ``SensorDriver`` serves the sensors. This class performs their
/// actions. A connection starts only while we do not scan: both at once can take down a board's Wi-Fi. A connected
/// sensor does not need the mgmt channel and continues if that fails.
@safe
package final class KernelSensorBackend: DrivenSensorBackend {
    let shell: SensorDriverShell
    private let channel: ManagementChannel
    private let sockets: BluetoothSockets
    private let loop: EventLoop
    /// The sockets of one link of the shell.driver.
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
    ///   - keys: the long-term keys of paired sensors.
    ///   - keep: receives the keys of all paired sensors whenever they change.
    package init(
        adapter: AdapterChoice, _ shell: SensorDriverShell, keys: [LongTermKey] = [],
        sockets: BluetoothSockets = .bluez, loop: EventLoop, keep: @escaping ([LongTermKey]) -> Void = { _ in }
    ) throws(SystemError) {
        let now = Clock.now()
        self.shell = shell
        self.sockets = sockets
        self.loop = loop
        channel = ManagementChannel(adapter, keys: keys, open: sockets.management, loop: loop, at: now)
        channel.happened = { [unowned self] in received($0, at: $1) }
        channel.kept = keep
        channel.paired = { [unowned self] in
            shell.driver.pairingEnded($0, at: $1, into: &shell.actions)
            performActions(at: $1)
        }
        try startTimer(in: loop, at: now)
    }

    deinit {
        // Completes pending requests, and leaves no state behind for the next user of the adapter.
        let now = Clock.now()
        let connected = links.indices.filter { links[$0].connection != nil }.compactMap(shell.driver.sensor)
        links = []
        channel.part(from: connected, at: now)
        release(at: now)
    }

    // MARK: Events

    private func received(_ result: ScanResult?, at now: Instant) {
        if let result { shell.driver.found(result, at: now, into: &shell.actions) }
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
                shell.driver.connected(link: link, at: now, into: &shell.actions)
            } catch {
                shell.driver.ended(.unreachable, link: link, at: now, into: &shell.actions)
            }
        case .failed(let cause): shell.driver.ended(cause, link: link, at: now, into: &shell.actions)
        }
        performActions(at: now)
    }

    private func received(_ event: SensorConnection.Event, link: Int, at now: Instant) {
        switch event {
        case .reported(let report): shell.driver.received(report, link: link, at: now, into: &shell.actions)
        case .rescheduled: break
        case .ended(let cause):
            links[link].connection = nil
            let handle = links[link].handle
            shell.driver.ended(disconnectCause(cause, of: handle), link: link, at: now, into: &shell.actions)
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

    func tick(at now: Instant) {
        channel.tick(at: now)
        for link in links { link.connection?.tick(at: now) }
        shell.driver.tick(at: now, into: &shell.actions)
    }

    func deadlines(at now: Instant) -> [Instant?] {
        [channel.deadline] + links.map { $0.connection?.deadline }
    }

    func settle(at now: Instant) {}

    func preparePairing(at now: Instant) {}

    func forgetKeys(of pattern: SensorMatcher?, at now: Instant) {
        channel.forgetKeys(of: { pattern?.matches($0, name: shell.driver.name(of: $0)) ?? true }, at: now)
    }

    func perform(_ action: SensorDriver.Action, at now: Instant) {
        switch action {
        case .search: shell.driver.search(at: now, into: &shell.actions)
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
            shell.driver.suspendAttempts(into: &shell.actions)
            shell.driver.identified(shell.driver.knownStrap(matching: pattern, at: now), at: now, into: &shell.actions)
        case .pair(let sensor, let until, let replacesKey):
            if channel.session.isPaired(sensor), !replacesKey {
                shell.driver.pairingEnded(.pairedAlready, at: now, into: &shell.actions)
            } else {
                channel.pair(sensor, until: until, at: now)
            }
        case .stopPairing: channel.stopPairing(at: now)
        case .report, .describe, .remember, .finishScan, .finishPairing, .finishCompensation: break
        }
    }

    private func connect(_ sensor: LEAddress, _ kinds: [SensorKind], link: Int, at now: Instant) {
        guard let adapter = channel.session.address else {
            return shell.driver.ended(.unreachable, link: link, at: now, into: &shell.actions)
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
            shell.driver.ended(cause, link: link, at: now, into: &shell.actions)
        }
    }

    /// Opens the monitor of disconnect reasons for the adapter in use.
    private func watchDisconnectReasons() {
        guard let index = channel.session.index, reasons?.index != index else { return }
        reasons = nil
        if let socket = try? sockets.disconnections(index) { reasons = (index, HCIDisconnectMonitor(over: socket)) }
    }

    // MARK: Host

    func host(at now: Instant) -> SensorDriver.Host {
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
