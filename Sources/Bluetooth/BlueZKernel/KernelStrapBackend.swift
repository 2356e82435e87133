package import Domain
import Glibc
package import Linux
package import Sensors

/// The Bluetooth backend that uses the kernel: the mgmt channel for adapters and scans, L2CAP for the strap.
///
/// ``MgmtAdapterSession`` keeps an adapter ready, ``StrapSelector`` selects the strap, and ``StrapLink`` decides
/// when to act. This class performs their actions. A connection starts only while we do not scan: both at once
/// can take down a board's Wi-Fi. A connected strap does not need the mgmt channel and continues if that fails.
@safe
package final class KernelStrapBackend {
    let channel: ManagementChannel
    var link: StrapLink
    var choice: StrapSelector
    /// The user chose to use no strap.
    var isOff = false

    private let sockets: BluetoothSockets
    private let loop: EventLoop
    let report: (Input) -> Void
    let describe: (DeviceInformation) -> Void
    let remember: ([KnownStrap]) -> Void
    var timer: TimerSource?

    /// The strap to connect to as soon as no scan runs.
    private var wanted: LEAddress?
    var pending: LEConnectionAttempt?
    private var connection: StrapConnection?
    var currentStrap = CurrentStrap()
    /// The kernel's handle of the connection.
    private var handle: UInt16?
    private var reasons: (index: UInt16, monitor: HCIDisconnectMonitor)?
    /// Whether ``StrapLink`` needs a scan.
    var isSearching = false
    /// No strap can be found without a scan, and scanning is not permitted.
    var isHelpless = false
    var scan: StrapScan?
    var pairing: Pairing?

    private var news: StrapStatusReporter

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
        adapter: AdapterChoice, ours: [StrapMatcher], remembered: [KnownStrap], keys: [LongTermKey] = [],
        reason: SanitizedText? = nil, sockets: BluetoothSockets = .bluez, loop: EventLoop,
        report: @escaping (Input) -> Void,
        describe: @escaping (DeviceInformation) -> Void, remember: @escaping ([KnownStrap]) -> Void,
        keep: @escaping ([LongTermKey]) -> Void = { _ in }
    ) throws(SystemError) {
        let now = Clock.now()
        self.sockets = sockets
        self.loop = loop
        self.report = report
        self.describe = describe
        self.remember = remember
        link = StrapLink(at: now)
        news = StrapStatusReporter(way: .kernel, reason: reason)
        choice = StrapSelector(ours: ours, remembered: remembered)
        channel = ManagementChannel(adapter, keys: keys, open: sockets.management, loop: loop, at: now)
        timer = try loop.timer { [unowned self] in onTimer() }
        channel.happened = { [unowned self] in received($0, at: $1) }
        channel.kept = keep
        channel.paired = { [unowned self] in endPairing($0, at: $1) }
        timer?.arm(at: now)
    }

    deinit {
        // Completes pending requests, and leaves no state behind for the next user of the adapter.
        let now = Clock.now()
        pending = nil
        channel.part(from: connection == nil ? nil : currentStrap.address, at: now)
        connection = nil
        pairing?.finished(pairing?.strap == nil ? .absent : .refused)
        scan?.finished(choice.sightings(at: now))
    }

    // MARK: Events

    private func onTimer() {
        let now = Clock.now()
        channel.tick(at: now)
        connection?.tick(at: now)
        endScan(at: now)
        pursuePairing(at: now)
        if link.isScanning { consider(at: now) }
        perform(link.tick(at: now), at: now)
        reconcile(at: now)
    }

    private func received(_ sighting: ScanResult?, at now: Instant) {
        guard let sighting else { return reconcile(at: now) }
        choice.received(sighting, at: now)
        considerPairing(with: sighting, at: now)
        perform(link.received(sighting.address, at: now), at: now)
        consider(at: now)
    }

    private func consider(at now: Instant) {
        let verdict = choice.verdict(at: now, asleep: link.asleep)
        perform(link.considered(verdict, at: now), at: now)
    }

    func perform(_ action: StrapLink.Action?, at now: Instant) {
        switch action {
        case .search: search(at: now)
        case .listen: setScanning(true, for: nil, at: now)
        case .stopScan: setScanning(false, for: nil, at: now)
        case .connect(let strap?):
            setScanning(false, for: strap, at: now)
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
        switch choice.search(mayListen: channel.session.isPermitted, at: now) {
        case .listen: setScanning(true, for: nil, at: now)
        case .connect(let strap, let limit): perform(link.expected(strap, within: limit, at: now), at: now)
        case nil: isHelpless = true
        }
    }

    private func setScanning(_ isSearching: Bool, for strap: LEAddress?, at now: Instant) {
        self.isSearching = isSearching
        let isWide = strap.map(choice.isWide) ?? false
        let tuning = MgmtAdapterSession.ScanParameters(
            parameters: isWide ? .wide : .usual, duty: link.duty ?? .full, strap: strap)
        channel.tune(tuning, at: now)
        searchAsWanted(at: now)
    }

    /// Disconnects the strap, or cancels the connection attempt.
    private func hangUp(at now: Instant) {
        wanted = nil
        pending = nil
        guard connection != nil else { return }
        connection = nil
        choice.lost(at: now)
        // The kernel would keep the link for 2 s, and the next connection would reuse it.
        if let strap = currentStrap.address { channel.disconnect(strap, at: now) }
    }

    // MARK: The connection

    /// Starts the wanted connection once our scan has stopped.
    private func connect(at now: Instant) {
        guard let strap = wanted, pending == nil, scan == nil, pairing == nil, channel.session.isQuiet,
            let adapter = channel.session.address
        else { return }
        readyReasons()
        do throws(SystemError) {
            let socket = try sockets.attribute(adapter, strap, channel.session.isPaired(strap))
            // The callback may release the owner.
            pending = try LEConnectionAttempt(over: socket, loop: loop, at: now) { [weak self] in
                self?.decided($0, at: $1)
            }
        } catch {
            lost(StrapLink.DisconnectCause(connecting: error, after: .zero), at: now)
        }
    }

    /// Opens the monitor of disconnect reasons for the adapter in use, and discards old events.
    private func readyReasons() {
        guard let index = channel.session.index else { return }
        if reasons?.index != index {
            reasons = nil
            if let socket = try? sockets.disconnections(index) { reasons = (index, HCIDisconnectMonitor(over: socket)) }
        }
        _ = reasons?.monitor.popReason(nil)
    }

    private func decided(_ outcome: consuming LEConnectionAttempt.Outcome, at now: Instant) {
        pending = nil
        wanted = nil
        switch consume outcome {
        case .connected(let socket):
            handle = sockets.handle(socket)
            do throws(SystemError) {
                connection = try StrapConnection(over: socket, loop: loop) { [weak self] in self?.happened($0, at: $1) }
                if let strap = currentStrap.address { choice.connected(strap, at: now) }
                perform(link.connected(at: now), at: now)
            } catch {
                lost(.unreachable, at: now)
            }
        case .failed(let loss): lost(loss, at: now)
        }
        reconcile(at: now)
    }

    private func happened(_ event: StrapConnection.Event, at now: Instant) {
        switch event {
        case .reported(let said): return received(said, at: now)
        case .rescheduled: break
        case .ended(let loss):
            connection = nil
            choice.lost(at: now)
            lost(why(loss), at: now)
        }
        reconcile(at: now)
    }

    private func lost(_ loss: StrapLink.DisconnectCause, at now: Instant) {
        wanted = nil
        perform(link.lost(loss, at: now), at: now)
    }

    /// The adapter's disconnect reason, if it is more precise than the socket's error.
    private func why(_ loss: StrapLink.DisconnectCause) -> StrapLink.DisconnectCause {
        switch loss {
        case .ended, .remoteTerminated, .supervisionTimeout:
            guard let handle, let reason = reasons?.monitor.popReason(handle) else { return loss }
            return StrapLink.DisconnectCause(disconnectReason: reason)
        default: return loss
        }
    }

    // MARK: Status

    func reconcile(at now: Instant) {
        link.canListen = channel.session.isPermitted
        // The lack of permission to scan is known only after the first attempt.
        if isSearching, link.isScanning, !channel.session.isPermitted { search(at: now) }
        perform(link.hindered(by: hindrance, at: now), at: now)
        connect(at: now)
        for input in news.update(
            adapter: channel.session.address, link.faults, currentStrap.status(of: link, choice, at: now))
        { report(input) }
        let deadlines = [
            link.deadline, channel.deadline, connection?.deadline, scan?.endsAt, pairing?.deadline,
            link.isScanning || link.asleep != nil ? choice.deadline(at: now) : nil,
        ]
        timer?.arm(at: deadlines.compactMap { $0 }.min())
    }

    /// The condition of this host that prevents a connection to the strap.
    var hindrance: LinkReason? {
        if isOff { return .off }
        if channel.isWithoutBluetooth { return .noBluetooth }
        switch channel.session.status {
        case .absent: return .noAdapter
        case .off: return .adapterOff
        case .blocked: return .adapterBlocked
        case .forbidden: return .noPermission
        case .ready: return isHelpless && !channel.session.isPermitted ? .noPermission : nil
        case .unknown: return channel.failure?.code == EPERM || channel.failure?.code == EACCES ? .noPermission : nil
        }
    }
}
