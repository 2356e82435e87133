package import Domain

/// Serves one strap over a Bluetooth backend: searches, selects, connects and pairs it, scans on request, and reports.
///
///                          report                             StrapSelector  which strap
///     backend ──event──▶ StrapDriver ──▶ actions ──▶ backend     StrapLink      when to connect, retry, sleep
///        ▲                                            │
///        └──────────── host, after each turn ─────────┘
///
/// The machine does no input or output. The backend reports events with their time, performs the appended
/// ``Action``s in order, and then calls ``reconcile(with:at:into:)`` until it appends nothing. It calls
/// ``tick(isKnown:at:into:)`` no later than ``deadline(at:)``. An event that arrives while an action is performed is
/// reported at once; its actions are performed after those that are waiting.
package struct StrapDriver: Sendable {
    /// The state of a backend and its adapter, as far as the strap depends on it.
    package struct Host: Equatable, Sendable {
        /// The adapter in use; nil while it is absent.
        package var adapter: BluetoothAddress?
        /// What prevents a connection: no-bluetooth, no-adapter, adapter-off, adapter-blocked or no-permission.
        package var obstacle: LinkReason?
        /// Whether this process may scan.
        package var canScan: Bool
        /// Whether a connection may start now.
        package var canConnect: Bool
        /// The faults of the strap that the backend has found.
        package var faults: Set<StrapFault>

        package init(
            adapter: BluetoothAddress? = nil, obstacle: LinkReason? = nil, canScan: Bool = true,
            canConnect: Bool = false, faults: Set<StrapFault> = []
        ) {
            self.adapter = adapter
            self.obstacle = obstacle
            self.canScan = canScan
            self.canConnect = canConnect
            self.faults = faults
        }
    }

    package enum Action: Equatable, Sendable {
        /// Report linked devices, then call ``search(isKnown:at:into:)``.
        case search
        case startScan
        /// Stop the scan. `isConnecting`: because a strap was found and will be connected.
        case stopScan(isConnecting: Bool)
        /// Set the duty of scans, and the connection parameters of a strap.
        case tune(LEAddress?, isWide: Bool, ScanDutyPolicy.Duty)
        /// Connect, and report ``connected(at:into:)`` or ``ended(_:at:into:)``.
        case connect(LEAddress)
        /// Cancel the connection attempt: the adapter cannot scan meanwhile. It is repeated later.
        case suspendAttempt
        /// Turn notifications on.
        case subscribe
        /// Repeat the subscription.
        case resubscribe
        /// Close the connection to this strap, or cancel the attempt, without reporting its end.
        case disconnect(LEAddress?)
        /// Look for a strap to pair among the devices at hand, and report ``identified(_:at:into:)``.
        case identify(StrapMatcher)
        /// Pair, and report ``pairingEnded(_:at:into:)``. `replacesKey`: an existing key is of no use.
        case pair(LEAddress, until: Instant, replacesKey: Bool)
        /// Cancel the pairing, if it has not ended, without reporting its end.
        case stopPairing
        case report(Input)
        /// Report the strap's device information, once a connection.
        case describe(DeviceInformation)
        /// Store these straps instead of all earlier ones.
        case remember([KnownStrap])
        /// Complete the requested scan.
        case finishScan([ScanResult])
        /// Complete the requested pairing.
        case finishPairing(PairingResult)
    }

    /// A requested pairing.
    private struct Pairing {
        enum Phase: Equatable {
            /// It starts at the next tick, so that it never ends before the request returns.
            case requested
            case searching
            case pairing(LEAddress)
        }

        let pattern: StrapMatcher
        let endsAt: Instant
        var phase = Phase.requested

        var deadline: Instant {
            phase == .requested ? endsAt - PairingResult.limit : endsAt
        }

        /// The result if it ends without one: the strap was not found, or did not agree in time.
        var resultIfCancelled: PairingResult {
            if case .pairing = phase { .refused } else { .absent }
        }
    }

    private var link: StrapLink
    private var selector: StrapSelector
    private var reporter: StrapStatusReporter
    private var host = Host()

    /// The strap in use, or the last one.
    private var current = CurrentStrap()
    /// The strap to connect as soon as the host can.
    private var wanted: LEAddress?
    private var isConnecting = false
    private var isConnected = false

    /// Whether the link needs a scan.
    private var isSearching = false
    /// The user chose to use no strap.
    private var isOff = false
    /// No strap can be found without a scan, and scanning is not permitted.
    private var isHelpless = false
    /// When the requested scan ends.
    private var scanEndsAt: Instant?
    private var pairing: Pairing?

    /// - Parameters:
    ///   - reason: why the backend is in use, if the user did not choose it.
    ///   - kernel: the kernel's release, as in `uname -r`.
    ///   - ours: the straps of the setting. If empty, discovered and known straps are used.
    ///   - remembered: the known straps from earlier starts, which have sent a beat.
    package init(
        over backend: BluetoothStatus.Backend, reason: SanitizedText?, kernel: String, ours: [StrapMatcher],
        remembered: [KnownStrap], at now: Instant
    ) {
        link = StrapLink(at: now)
        selector = StrapSelector(ours: ours, remembered: remembered)
        reporter = StrapStatusReporter(backend: backend, reason: reason, kernel: kernel)
    }

    // MARK: State

    /// Whether the link searches for a strap.
    package var isScanning: Bool {
        link.isScanning
    }

    /// Whether a requested pairing is in progress.
    package var isPairing: Bool {
        pairing != nil
    }

    /// The strap in use, or the last one.
    package var strap: LEAddress? {
        current.address
    }

    /// Why a scan or a pairing cannot start now.
    package var rejection: StrapRequestError? {
        if scanEndsAt != nil || isPairing { return .busy }
        return requestObstacle.map { .unavailable($0) }
    }

    /// The name of a strap from its scan results or the remembered straps.
    package func name(of address: LEAddress) -> SanitizedText? {
        selector.name(of: address)
    }

    /// The known strap that a pattern means.
    package func knownStrap(matching pattern: StrapMatcher, at now: Instant) -> LEAddress? {
        if let known = selector.meant(by: pattern, at: now) { return known }
        return current.address.flatMap { pattern.matches($0, name: name(of: $0)) ? $0 : nil }
    }

    /// The next time to call ``tick(isKnown:at:into:)`` if nothing happens before.
    package func deadline(at now: Instant) -> Instant? {
        let selection = link.isScanning || link.asleep != nil ? selector.deadline(at: now) : nil
        return [link.deadline, scanEndsAt, pairing?.deadline, selection].compactMap { $0 }.min()
    }

    private var obstacle: LinkReason? {
        if isOff { return .off }
        return host.obstacle ?? (isHelpless && !host.canScan ? .noPermission : nil)
    }

    private var requestObstacle: LinkReason? {
        obstacle ?? (host.canScan ? nil : .noPermission)
    }

    // MARK: Requests

    /// Receives the start or end of a run. During a run the strap is searched for more often.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        link.runChanged(isActive: isActive, at: now)
    }

    /// Selects our straps, and wakes a strap that is off-body.
    package mutating func use(_ ours: [StrapMatcher], at now: Instant, into actions: inout [Action]) {
        isOff = false
        isHelpless = false
        selector.select(ours)
        want(at: now, into: &actions)
    }

    /// Uses no strap until ``use(_:at:into:)``.
    package mutating func stop() {
        isOff = true
    }

    /// Forgets the known straps that the pattern matches, or all if it is nil. `ours` is the remaining setting.
    package mutating func forget(
        _ pattern: StrapMatcher?, ours: [StrapMatcher], at now: Instant, into actions: inout [Action]
    ) {
        selector.select(ours)
        if selector.forget(pattern) { actions.append(.remember(selector.remembered)) }
        if !keepsStrap { perform(link.wanted(keepsStrap: false, at: now), at: now, into: &actions) }
    }

    /// Starts a scan. Not while ``rejection`` is set.
    package mutating func scan(for duration: Duration, at now: Instant, into actions: inout [Action]) {
        scanEndsAt = now + duration
        suspendAttempt(into: &actions)
        updateScan(into: &actions)
    }

    /// Requests a pairing. Not while ``rejection`` is set.
    package mutating func pair(_ pattern: StrapMatcher, at now: Instant) {
        pairing = Pairing(pattern: pattern, endsAt: now + PairingResult.limit)
    }

    /// Completes pending requests, because the backend is released.
    package mutating func release(at now: Instant, into actions: inout [Action]) {
        if let pairing { actions.append(.finishPairing(pairing.resultIfCancelled)) }
        if scanEndsAt != nil { actions.append(.finishScan(selector.scanResults(at: now))) }
        pairing = nil
        scanEndsAt = nil
    }

    // MARK: Events

    /// Advances timers to `now`.
    ///
    /// - Parameter isKnown: whether the backend can connect to a device. For all devices by default.
    package mutating func tick(
        isKnown: (LEAddress) -> Bool = { _ in true }, at now: Instant, into actions: inout [Action]
    ) {
        if let scanEndsAt, now >= scanEndsAt {
            self.scanEndsAt = nil
            updateScan(into: &actions)
            actions.append(.finishScan(selector.scanResults(at: now)))
        }
        if let pairing, now >= pairing.endsAt {
            pairingEnded(pairing.resultIfCancelled, at: now, into: &actions)
        } else if let pairing, pairing.phase == .requested {
            self.pairing?.phase = .searching
            actions.append(.identify(pairing.pattern))
        }
        if link.isScanning { consider(isKnown: isKnown, at: now, into: &actions) }
        perform(link.tick(at: now), at: now, into: &actions)
    }

    /// Receives a device that has advertised.
    package mutating func found(
        _ result: ScanResult, isKnown: (LEAddress) -> Bool = { _ in true }, at now: Instant,
        into actions: inout [Action]
    ) {
        selector.received(result, at: now)
        if let pairing, pairing.phase == .searching, pairing.pattern.matches(result.address, name: result.name) {
            startPairing(with: result.address, into: &actions)
        }
        perform(link.received(result.address, at: now), at: now, into: &actions)
        consider(isKnown: isKnown, at: now, into: &actions)
    }

    /// Receives devices that are linked from an earlier use. They do not advertise, but count as found.
    package mutating func foundLinked(
        _ results: [ScanResult], isKnown: (LEAddress) -> Bool, at now: Instant, into actions: inout [Action]
    ) {
        for result in results { selector.received(result, at: now) }
        consider(isKnown: isKnown, at: now, into: &actions)
    }

    /// Searches by the fastest method: waits for the only possible strap if it is known to the backend, else scans.
    package mutating func search(
        isKnown: (LEAddress) -> Bool = { _ in true }, at now: Instant, into actions: inout [Action]
    ) {
        guard link.isScanning else { return }
        switch selector.search(mayListen: host.canScan, at: now) {
        case .connect(let strap, let limit) where isKnown(strap):
            perform(link.expected(strap, within: limit, at: now), at: now, into: &actions)
        case .listen, .connect: setScanning(true, into: &actions)
        case nil: isHelpless = true
        }
    }

    /// Records that the strap is connected. A strap that is being paired is disconnected until the pairing has ended.
    package mutating func connected(at now: Instant, into actions: inout [Action]) {
        isConnecting = false
        wanted = nil
        isConnected = true
        if let strap { selector.connected(strap, at: now) }
        if isPairing {
            leaveForPairing(at: now, into: &actions)
        } else {
            perform(link.connected(at: now), at: now, into: &actions)
        }
    }

    /// Disconnects a strap whose subscription waits for the pairing: possibly neither of the two would ever end.
    package mutating func leaveForPairing(at now: Instant, into actions: inout [Action]) {
        actions.append(.disconnect(strap))
        ended(.pairingNeeded, at: now, into: &actions)
    }

    /// Records that the connection has ended or could not be made.
    package mutating func ended(
        _ cause: DisconnectCause, at now: Instant, into actions: inout [Action]
    ) {
        dropped(at: now)
        wanted = nil
        perform(link.lost(cause, at: now), at: now, into: &actions)
    }

    /// Records that the backend has lost its own state with the connection. ``Host/obstacle`` has the reason.
    package mutating func dropped(at now: Instant) {
        if isConnected { selector.lost(at: now) }
        isConnecting = false
        isConnected = false
    }

    /// Receives a report of the connected strap.
    package mutating func received(
        _ report: HeartRateSession.Report, at now: Instant, into actions: inout [Action]
    ) {
        switch report {
        case .subscribed: link.subscribed(at: now)
        case .measured(let measurement):
            link.received(measurement, at: now)
            if let strap, selector.received(measurement, from: strap, at: now) {
                actions.append(.remember(selector.remembered))
            }
            reportStatus(at: now, into: &actions)
            actions.append(.report(.heart(measurement)))
        case .battery(let level): actions.append(.report(.battery(percent: level.percent)))
        case .described(let information): described(information, at: now, into: &actions)
        }
    }

    /// Receives the strap that ``Action/identify(_:)`` has found at hand, or nil. Without one, a scan searches for it.
    package mutating func identified(_ strap: LEAddress?, at now: Instant, into actions: inout [Action]) {
        guard pairing?.phase == .searching else { return }
        if let strap { return startPairing(with: strap, into: &actions) }
        suspendAttempt(into: &actions)
        updateScan(into: &actions)
    }

    /// Records the end of the pairing. If the strap is ours, it is connected again at once.
    package mutating func pairingEnded(_ result: PairingResult, at now: Instant, into actions: inout [Action]) {
        guard isPairing else { return }
        pairing = nil
        actions.append(.stopPairing)
        updateScan(into: &actions)
        want(at: now, into: &actions)
        reportStatus(at: now, into: &actions)
        actions.append(.finishPairing(result))
    }

    /// Receives the state of the host after each turn: starts what has become possible, and reports what has changed.
    package mutating func reconcile(with host: Host, at now: Instant, into actions: inout [Action]) {
        self.host = host
        link.canListen = host.canScan
        // The lack of permission to scan is known only after the first attempt.
        if isSearching, link.isScanning, !host.canScan {
            isSearching = false
            actions.append(.search)
        }
        perform(link.obstructed(by: obstacle, at: now), at: now, into: &actions)
        if let pairing, pairing.phase != .requested, requestObstacle != nil {
            pairingEnded(.refused, at: now, into: &actions)
        }
        if let wanted, host.canConnect, !isConnecting, !isConnected, scanEndsAt == nil, !isPairing {
            isConnecting = true
            actions.append(.connect(wanted))
        }
        reportStatus(at: now, into: &actions)
    }

    // MARK: Selection

    /// Applies a changed choice of straps: keeps the strap, or switches to another one.
    private mutating func want(at now: Instant, into actions: inout [Action]) {
        perform(link.wanted(keepsStrap: keepsStrap, at: now), at: now, into: &actions)
    }

    private var keepsStrap: Bool {
        strap.map(selector.mayKeep) ?? true
    }

    private mutating func consider(
        isKnown: (LEAddress) -> Bool, at now: Instant, into actions: inout [Action]
    ) {
        guard link.isScanning || link.asleep != nil else { return }
        var decision = selector.decision(at: now, asleep: link.asleep)
        // The backend may have dropped the device since it was found. It must be found again then.
        if case .connect(let strap) = decision, !isKnown(strap) { decision = .wait }
        perform(link.considered(decision, at: now), at: now, into: &actions)
    }

    private mutating func described(
        _ information: DeviceInformation, at now: Instant, into actions: inout [Action]
    ) {
        if let strap {
            switch selector.described(information, of: strap) {
            case .ours(let hasChanged): if hasChanged { actions.append(.remember(selector.remembered)) }
            case .stranger:
                return perform(link.wanted(keepsStrap: false, at: now), at: now, into: &actions)
            }
        }
        current.described(information)
        reportStatus(at: now, into: &actions)
        actions.append(.describe(information))
    }

    // MARK: Link

    private mutating func perform(
        _ linkActions: [StrapLink.Action], at now: Instant, into actions: inout [Action]
    ) {
        for action in linkActions {
            switch action {
            case .search: actions.append(.search)
            case .listen: setScanning(true, into: &actions)
            case .stopScan: setScanning(false, into: &actions)
            case .connect(let strap?): startConnecting(to: strap, into: &actions)
            case .connect(nil): break
            case .subscribe: actions.append(.subscribe)
            case .resubscribe: actions.append(.resubscribe)
            case .disconnect:
                dropped(at: now)
                wanted = nil
                actions.append(.disconnect(strap))
            case .widen(let strap): if selector.widened(strap) { actions.append(.remember(selector.remembered)) }
            }
        }
    }

    private mutating func startConnecting(to strap: LEAddress, into actions: inout [Action]) {
        isSearching = false
        wanted = strap
        current.change(to: strap)
        tune(strap, into: &actions)
        if scanEndsAt == nil, !isPairing {
            actions.append(.stopScan(isConnecting: true))
        } else {
            updateScan(into: &actions)
        }
    }

    private mutating func setScanning(_ isSearching: Bool, into actions: inout [Action]) {
        self.isSearching = isSearching
        tune(nil, into: &actions)
        updateScan(into: &actions)
    }

    private func tune(_ strap: LEAddress?, into actions: inout [Action]) {
        actions.append(.tune(strap, isWide: strap.map(selector.isWide) ?? false, link.duty ?? .full))
    }

    /// Starts or stops the scan, as the link, a requested scan or a pairing needs it.
    private func updateScan(into actions: inout [Action]) {
        let isNeeded =
            switch pairing?.phase {
            case .searching: true
            // bluetoothd suspends discovery while it pairs, and does not reply to calls about it.
            case .pairing: false
            case .requested, nil: isSearching || scanEndsAt != nil
            }
        actions.append(isNeeded ? .startScan : .stopScan(isConnecting: false))
    }

    /// Cancels a connection attempt. It is repeated when no scan and no pairing is in progress.
    package mutating func suspendAttempt(into actions: inout [Action]) {
        guard isConnecting else { return }
        isConnecting = false
        actions.append(.suspendAttempt)
    }

    private mutating func startPairing(with strap: LEAddress, into actions: inout [Action]) {
        guard let pairing else { return }
        self.pairing?.phase = .pairing(strap)
        // A strap that has lost its key refuses the link although we hold ours.
        let isRefused = strap == self.strap && link.faults.contains(.needsPairing)
        actions.append(.pair(strap, until: pairing.endsAt, replacesKey: isRefused))
        updateScan(into: &actions)
    }

    private mutating func reportStatus(at now: Instant, into actions: inout [Action]) {
        let status = current.status(of: link, selector, at: now)
        reporter.update(
            adapter: host.adapter, faults: link.faults.union(host.faults), status, into: &actions)
    }
}
