package import Domain
import Glibc
package import Linux
package import Sensors

/// The heart-rate strap over the kernel's own Bluetooth, without bluetoothd: adapters and searches over the management channel, the
/// strap over L2CAP.
///
/// ``MgmtAdapterSession`` keeps an adapter ready, ``StrapSelector`` says which strap is ours, ``StrapLink`` when to do what; here it is done.
/// A connection is begun only when nothing of ours searches: both at a time can take a board's Wi-Fi away. A strap that streams does not
/// need the management channel, and goes on when that fails.
@safe
package final class KernelStrapBackend {
    let channel: ManagementChannel
    var link: StrapLink
    var choice: StrapSelector
    /// People have said that no strap is to be used.
    var isOff = false

    private let sockets: BluetoothSockets
    private let loop: EventLoop
    let report: (Input) -> Void
    let describe: (DeviceInformation) -> Void
    let remember: ([KnownStrap]) -> Void
    var timer: TimerSource?

    /// Whom to connect to as soon as nothing is on the air.
    private var wanted: LEAddress?
    var pending: LEConnectionAttempt?
    private var connection: StrapConnection?
    var atHand = CurrentStrap()
    /// The kernel's handle of the connection.
    private var handle: UInt16?
    private var reasons: (index: UInt16, told: HCIDisconnectMonitor)?
    /// Whether the link wants the air to be searched.
    var isSearching = false
    /// Nothing can be found without searching, which is not permitted.
    var isHelpless = false
    var scan: StrapScan?
    var pairing: Pairing?

    private var news: StrapStatusReporter

    /// - Parameters:
    ///   - ours: the straps that are ours, as the setting or the option says; none leaves it to what is heard and remembered.
    ///   - remembered: the straps that gave a beat, of earlier starts.
    ///   - keys: those of straps that have paired.
    ///   - reason: why Bluetooth is used in this way, where nobody has said so.
    ///   - report: takes measurements, battery levels, each change of the link and of the adapter, and faults.
    ///   - describe: takes what the strap says of itself, once a connection.
    ///   - remember: takes what is to be remembered, whenever that changes.
    ///   - keep: takes all keys of straps that have paired, whenever they change.
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
        // What was asked for is answered, and nothing of ours is left behind for whoever uses the adapter next.
        let now = Clock.now()
        pending = nil
        channel.part(from: connection == nil ? nil : atHand.address, at: now)
        connection = nil
        pairing?.finished(pairing?.strap == nil ? .absent : .refused)
        scan?.finished(choice.sightings(at: now))
    }

    // MARK: What happens

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

    /// Leaves the strap, or stops waiting for it.
    private func hangUp(at now: Instant) {
        wanted = nil
        pending = nil
        guard connection != nil else { return }
        connection = nil
        choice.lost(at: now)
        // The kernel would keep the link for 2 s, and the next connection would be the same link.
        if let strap = atHand.address { channel.disconnect(strap, at: now) }
    }

    // MARK: The connection

    /// Begins the connection that is wanted, once nothing of ours is on the air.
    private func connect(at now: Instant) {
        guard let strap = wanted, pending == nil, scan == nil, pairing == nil, channel.session.isQuiet,
            let adapter = channel.session.address
        else { return }
        readyReasons()
        do throws(SystemError) {
            let socket = try sockets.attribute(adapter, strap, channel.session.isPaired(strap))
            // Its owner may be released while it reports.
            pending = try LEConnectionAttempt(over: socket, loop: loop, at: now) { [weak self] in
                self?.decided($0, at: $1)
            }
        } catch {
            lost(StrapLink.DisconnectCause(connecting: error, after: .zero), at: now)
        }
    }

    /// Has the adapter tell why connections end, from now on.
    private func readyReasons() {
        guard let index = channel.session.index else { return }
        if reasons?.index != index {
            reasons = nil
            if let socket = try? sockets.disconnections(index) { reasons = (index, HCIDisconnectMonitor(over: socket)) }
        }
        _ = reasons?.told.popReason(nil)
    }

    private func decided(_ outcome: consuming LEConnectionAttempt.Outcome, at now: Instant) {
        pending = nil
        wanted = nil
        switch consume outcome {
        case .connected(let socket):
            handle = sockets.handle(socket)
            do throws(SystemError) {
                connection = try StrapConnection(over: socket, loop: loop) { [weak self] in self?.happened($0, at: $1) }
                if let strap = atHand.address { choice.connected(strap, at: now) }
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

    /// The adapter's own word for the end of a connection, where the socket's is vaguer.
    private func why(_ loss: StrapLink.DisconnectCause) -> StrapLink.DisconnectCause {
        switch loss {
        case .ended, .remoteTerminated, .supervisionTimeout:
            guard let handle, let reason = reasons?.told.popReason(handle) else { return loss }
            return StrapLink.DisconnectCause(disconnectReason: reason)
        default: return loss
        }
    }

    // MARK: What is told

    func reconcile(at now: Instant) {
        link.canListen = channel.session.isPermitted
        // That searching is not permitted is known only once it was tried.
        if isSearching, link.isScanning, !channel.session.isPermitted { search(at: now) }
        perform(link.hindered(by: hindrance, at: now), at: now)
        connect(at: now)
        for input in news.update(
            adapter: channel.session.address, link.faults, atHand.status(of: link, choice, at: now))
        { report(input) }
        let deadlines = [
            link.deadline, channel.deadline, connection?.deadline, scan?.endsAt, pairing?.deadline,
            link.isScanning || link.asleep != nil ? choice.deadline(at: now) : nil,
        ]
        timer?.arm(at: deadlines.compactMap { $0 }.min())
    }

    /// What of the host keeps the strap away.
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
