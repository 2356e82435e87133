package import Domain

/// Serves the sensors of a Bluetooth backend: searches, selects, connects and pairs them, scans on request, and reports.
///
///                          report                                  StrapSelector   which strap
///     backend ──event──▶ SensorDriver ──▶ actions ──▶ backend     SensorLink      when to connect, retry, sleep
///        ▲                                            │
///        └──────────── host, after each turn ─────────┘
///
/// The machine does no input or output. The backend reports events with their time, performs the appended ``Action``s in
/// order, and then calls ``reconcile(with:at:into:)`` until it appends nothing. It calls ``tick(isKnown:at:into:)`` no
/// later than ``deadline(at:)``.
package struct SensorDriver: Sendable {
    /// The largest number of links, one of them the strap's.
    package static let linkLimit = 8

    /// The strap's link comes first.
    private(set) var slots: [SensorSlot]
    /// Scans for sensors of the setting that were never heard. It connects none.
    private var seeker: SensorLink
    private var isSeeking = false
    private var radio = RadioSchedule()
    private(set) var selector: StrapSelector
    private var others: SensorSelector
    private var reporter: SensorStatusReporter
    private var host = Host()

    /// The user chose to use no sensor.
    private var isOff = false
    /// No strap can be found without a scan, and scanning is not permitted.
    private var isHelpless = false
    /// When the requested scan ends.
    private var scanEndsAt: Instant?
    private var pairing: RequestedPairing?
    var compensation: RequestedCompensation?

    /// - Parameters:
    ///   - reason: why the backend is in use, if the user did not choose it.
    ///   - kernel: the kernel's release, as in `uname -r`.
    ///   - ours: the setting `sensors`. If it names no strap, discovered and known straps are used.
    ///   - remembered: the known sensors from earlier starts, which have sent a measurement.
    package init(
        over backend: BluetoothStatus.Backend, reason: SanitizedText?, kernel: String, ours: [SensorMatcher],
        remembered: [KnownSensor], at now: Instant
    ) {
        slots = [SensorSlot(SensorLink(.strap, at: now))]
        seeker = .off(.other, at: now)
        others = SensorSelector(ours, remembered: remembered)
        selector = StrapSelector(ours: others.strapEntries, remembered: remembered.filter(\.isStrap))
        reporter = SensorStatusReporter(backend: backend, reason: reason, kernel: kernel)
        var none: [Action] = []
        assignLinks(at: now, into: &none)
    }

    // MARK: State

    /// Whether a link searches for its sensor.
    package var isScanning: Bool { seeker.isScanning || slots.contains { $0.link.isScanning } }

    /// Whether a requested pairing is in progress.
    package var isPairing: Bool { pairing != nil }

    /// The sensor that a link uses, or used last.
    package func sensor(of link: Int) -> LEAddress? { slots[link].current.address }

    /// Why a scan or a pairing cannot start now.
    package var rejection: SensorRequestError? {
        scanEndsAt != nil || isPairing ? .busy : requestObstacle.map { .unavailable($0) }
    }

    /// The name of a sensor from its scan results or the remembered sensors.
    package func name(of address: LEAddress) -> SanitizedText? {
        selector.name(of: address) ?? others.name(of: address)
    }

    /// The next time to call ``tick(isKnown:at:into:)`` if nothing happens before.
    package func deadline(at now: Instant) -> Instant? {
        let selection = slots[0].link.isScanning || slots[0].link.asleep != nil ? selector.deadline(at: now) : nil
        let others = [scanEndsAt, pairing?.deadline, compensation?.endsAt, selection, radio.deadline(at: now)]
        return (slots.map(\.link.deadline) + others + [seeker.deadline]).compactMap { $0 }.min()
    }

    private func obstacle(of link: Int) -> LinkReason? {
        isOff ? .off : host.obstacle ?? (link == 0 && isHelpless && !host.canScan ? .noPermission : nil)
    }

    /// The strap's own search finds the other sensors too.
    private var seekerObstacle: LinkReason? {
        isSeeking && (radio.isConnected(0) || slots[0].link.asleep != nil) ? requestObstacle : .off
    }

    private var requestObstacle: LinkReason? { obstacle(of: 0) ?? (host.canScan ? nil : .noPermission) }

    // MARK: Requests

    /// Receives the start or end of a run. During a run the sensors are searched for more often.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        radio.runIsActive = isActive
        for index in slots.indices { slots[index].link.runChanged(isActive: isActive, at: now) }
        seeker.runChanged(isActive: isActive, at: now)
    }

    /// Selects our sensors, and wakes a strap that is off-body.
    package mutating func select(_ sensors: [SensorMatcher], at now: Instant, into actions: inout [Action]) {
        (isOff, isHelpless) = (false, false)
        others.select(sensors)
        selector.select(others.strapEntries)
        perform(slots[0].link.wanted(keepsSensor: keepsStrap, at: now), of: 0, at: now, into: &actions)
        assignLinks(at: now, into: &actions)
    }

    /// Uses no sensor until ``select(_:at:into:)``.
    package mutating func stop() { isOff = true }

    /// Forgets the known sensors that the pattern matches, or all if it is nil. `ours` is the remaining setting.
    package mutating func forget(
        _ pattern: SensorMatcher?, ours: [SensorMatcher], at now: Instant, into actions: inout [Action]
    ) {
        let hasForgotten = others.forget(pattern)
        others.select(ours)
        selector.select(others.strapEntries)
        if selector.forget(pattern) || hasForgotten { remember(into: &actions) }
        if !keepsStrap { leaveStrap(at: now, into: &actions) }
        assignLinks(at: now, into: &actions)
    }

    /// Starts a scan. Not while ``rejection`` is set.
    package mutating func scan(for duration: Duration, at now: Instant, into actions: inout [Action]) {
        scanEndsAt = now + duration
        updateScan(into: &actions)
    }

    /// Requests a pairing. Not while ``rejection`` is set.
    package mutating func pair(_ pattern: SensorMatcher, at now: Instant) {
        pairing = RequestedPairing(pattern: pattern, endsAt: now + PairingResult.limit)
    }

    /// Completes pending requests, because the backend is released.
    package mutating func release(at now: Instant, into actions: inout [Action]) {
        if let pairing { actions.append(.finishPairing(pairing.resultIfCancelled)) }
        if compensation != nil { finishCompensation(.unanswered, into: &actions) }
        if scanEndsAt != nil {
            actions.append(.finishScan(selector.scanResults(at: now) + others.scanResults(at: now)))
        }
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
            actions.append(.finishScan(selector.scanResults(at: now) + others.scanResults(at: now)))
        }
        if let pairing, now >= pairing.endsAt {
            pairingEnded(pairing.resultIfCancelled, at: now, into: &actions)
        } else if let pairing, pairing.phase == .requested {
            self.pairing?.phase = .searching
            actions.append(.identify(pairing.pattern))
        }
        if let compensation, now >= compensation.endsAt { finishCompensation(.unanswered, into: &actions) }
        if slots[0].link.isScanning { consider(isKnown: isKnown, at: now, into: &actions) }
        for index in slots.indices { perform(slots[index].link.tick(at: now), of: index, at: now, into: &actions) }
        perform(seeker.tick(at: now), of: Self.linkLimit, at: now, into: &actions)
    }

    /// Receives a device that has advertised.
    package mutating func found(
        _ result: ScanResult, isKnown: (LEAddress) -> Bool = { _ in true }, at now: Instant,
        into actions: inout [Action]
    ) {
        receive(result, at: now, into: &actions)
        if let pairing, pairing.phase == .searching, pairing.pattern.matches(result.address, name: result.name) {
            startPairing(with: result.address, into: &actions)
        }
        perform(slots[0].link.received(result.address, at: now), of: 0, at: now, into: &actions)
        consider(isKnown: isKnown, at: now, into: &actions)
        guard let link = slots.firstIndex(where: { $0.address == result.address }), isKnown(result.address) else {
            return
        }
        if slots[link].link.heard(at: now) {
            radio.heard(link: link)
            radio.pauseScan(into: &actions)
        }
        perform(slots[link].link.found(result.address, at: now), of: link, at: now, into: &actions)
    }

    private mutating func receive(_ result: ScanResult, at now: Instant, into actions: inout [Action]) {
        selector.received(result, at: now)
        let chosen = others.chosen
        others.received(result, at: now)
        if others.chosen == chosen { return }
        selector.select(others.strapEntries)
        assignLinks(at: now, into: &actions)
    }

    /// Receives devices that are linked from an earlier use. They do not advertise, but count as found.
    package mutating func foundLinked(
        _ results: [ScanResult], isKnown: (LEAddress) -> Bool, at now: Instant, into actions: inout [Action]
    ) {
        for result in results { receive(result, at: now, into: &actions) }
        consider(isKnown: isKnown, at: now, into: &actions)
    }

    /// Searches by the fastest method: waits for a sensor if it is the only possible one and known to the backend, else
    /// scans.
    package mutating func search(
        isKnown: (LEAddress) -> Bool = { _ in true }, at now: Instant, into actions: inout [Action]
    ) {
        for (index, slot) in slots.enumerated() {
            guard let sensor = slot.address, slot.link.isScanning else { continue }
            if isKnown(sensor) {
                let limit = SensorLink.connectionLimit
                perform(slots[index].link.expected(sensor, within: limit, at: now), of: index, at: now, into: &actions)
            } else if host.canScan {
                setScanning(true, of: index, into: &actions)
            }
        }
        if seeker.isScanning, host.canScan { setScanning(true, of: Self.linkLimit, into: &actions) }
        guard slots[0].link.isScanning else { return }
        switch selector.search(mayListen: host.canScan, at: now) {
        case .connect(let strap, let limit) where isKnown(strap):
            perform(slots[0].link.expected(strap, within: limit, at: now), of: 0, at: now, into: &actions)
        case .listen, .connect: setScanning(true, of: 0, into: &actions)
        case nil: isHelpless = true
        }
    }

    /// Records that a sensor is connected. It is disconnected until the end of a pairing, if there is one.
    package mutating func connected(link: Int, at now: Instant, into actions: inout [Action]) {
        radio.connected(link: link)
        slots[link].found = []
        if link == 0, let strap = sensor(of: 0) { selector.connected(strap, at: now) }
        updateSeeker()
        if isPairing {
            leaveForPairing(link: link, at: now, into: &actions)
        } else {
            perform(slots[link].link.connected(at: now), of: link, at: now, into: &actions)
            radio.resumeScan(into: &actions)
        }
    }

    /// Disconnects a sensor whose subscription waits for the pairing: possibly neither of the two would ever end.
    package mutating func leaveForPairing(link: Int, at now: Instant, into actions: inout [Action]) {
        actions.append(.disconnect(sensor(of: link), link: link))
        ended(.pairingNeeded, link: link, at: now, into: &actions)
    }

    /// Records that the connection of a link has ended or could not be made.
    package mutating func ended(
        _ cause: DisconnectCause, link: Int, at now: Instant, into actions: inout [Action]
    ) {
        leave(link, at: now)
        perform(slots[link].link.lost(cause, at: now), of: link, at: now, into: &actions)
        radio.resumeScan(into: &actions)
    }

    private mutating func leave(_ link: Int, at now: Instant) {
        if link == 0, radio.isConnected(0) { selector.lost(at: now) }
        radio.ended(link: link)
        if compensation?.link == link { compensation?.endsAt = now }
    }

    /// Records that the backend has lost its own state with all connections. ``Host/obstacle`` has the reason.
    package mutating func dropped(at now: Instant) {
        if radio.isConnected(0) { selector.lost(at: now) }
        for index in slots.indices { radio.dropped(link: index) }
        compensation?.endsAt = now
    }

    /// Receives a report of a connected sensor.
    package mutating func received(
        _ report: SensorSession.Report, link: Int, at now: Instant, into actions: inout [Action]
    ) {
        switch report {
        case .subscribed: slots[link].link.subscribed(at: now)
        case .found(let kinds): found(kinds, link: link, at: now, into: &actions)
        case .measured(.heartRate(let measurement)):
            // The strap's link has the only heart rate.
            guard link == 0 else { break }
            slots[0].link.received(isInUse: measurement.isSignOfWearing, at: now)
            if let strap = sensor(of: 0), selector.received(measurement, from: strap, at: now) {
                remember(into: &actions)
            }
            reportStatus(at: now, into: &actions)
            actions.append(.report(.heart(measurement)))
        case .measured(let measurement): measured(measurement, link: link, at: now, into: &actions)
        case .battery(let level):
            slots[link].current.batteryPercent = level.percent
            if link == 0 { actions.append(.report(.battery(percent: level.percent))) }
        case .described(let information): described(information, link: link, at: now, into: &actions)
        case .compensated(let result): if compensation?.link == link { finishCompensation(result, into: &actions) }
        }
    }

    private mutating func measured(
        _ measurement: SensorMeasurement, link: Int, at now: Instant, into actions: inout [Action]
    ) {
        guard let sensor = sensor(of: link) else { return }
        if link > 0 {
            slots[link].link.received(isInUse: true, at: now)
            if others.measured([measurement.kind], from: sensor) { remember(into: &actions) }
        }
        reportStatus(at: now, into: &actions)
        actions.append(.report(.measurement(.bluetooth(sensor), measurement)))
    }

    /// Receives the services of a connection. A device that is no strap leaves the strap's link: for another link if it
    /// is one of our sensors.
    private mutating func found(
        _ kinds: Set<SensorKind>, link: Int, at now: Instant, into actions: inout [Action]
    ) {
        slots[link].found.formUnion(kinds)
        slots[link].current.add(kinds)
        guard link == 0, !slots[0].found.contains(.heartRate), let sensor = sensor(of: 0) else { return }
        let result = ScanResult(address: sensor, name: name(of: sensor), services: kinds.compactMap(\.service))
        receive(result, at: now, into: &actions)
        if others.chosen.contains(sensor) { return leaveStrap(at: now, into: &actions) }
        actions.append(.disconnect(sensor, link: 0))
        ended(.unsupported, link: 0, at: now, into: &actions)
    }

    /// Receives the sensor that ``Action/identify(_:)`` has found at hand, or nil. Without one, a scan searches for it.
    package mutating func identified(_ sensor: LEAddress?, at now: Instant, into actions: inout [Action]) {
        guard pairing?.phase == .searching else { return }
        if let sensor { startPairing(with: sensor, into: &actions) } else { updateScan(into: &actions) }
    }

    /// Records the end of the pairing. If the sensor is ours, it is connected again at once.
    package mutating func pairingEnded(_ result: PairingResult, at now: Instant, into actions: inout [Action]) {
        guard isPairing else { return }
        pairing = nil
        actions.append(.stopPairing)
        updateScan(into: &actions)
        perform(slots[0].link.wanted(keepsSensor: keepsStrap, at: now), of: 0, at: now, into: &actions)
        reportStatus(at: now, into: &actions)
        actions.append(.finishPairing(result))
    }

    /// Receives the state of the host after each turn: starts what is possible now, and reports what has changed.
    package mutating func reconcile(with host: Host, at now: Instant, into actions: inout [Action]) {
        self.host = host
        slots[0].link.canListen = host.canScan
        // The lack of permission to scan is known only after the first attempt.
        for index in slots.indices where radio.isSearching(index) && slots[index].link.isScanning && !host.canScan {
            radio.search(false, link: index)
            if !actions.contains(.search) { actions.append(.search) }
        }
        for index in slots.indices {
            let reason = index > 0 && slots[index].address == nil ? .off : obstacle(of: index)
            perform(slots[index].link.obstructed(by: reason, at: now), of: index, at: now, into: &actions)
        }
        perform(seeker.obstructed(by: seekerObstacle, at: now), of: Self.linkLimit, at: now, into: &actions)
        if let pairing, pairing.phase != .requested, requestObstacle != nil {
            pairingEnded(.refused, at: now, into: &actions)
        }
        if !isPairing { radio.startAttempts(of: kinds, host, at: now, into: &actions) }
        reportStatus(at: now, into: &actions)
    }

    // MARK: Selection

    private mutating func leaveStrap(at now: Instant, into actions: inout [Action]) {
        perform(slots[0].link.wanted(keepsSensor: false, at: now), of: 0, at: now, into: &actions)
    }

    private var keepsStrap: Bool { sensor(of: 0).map(selector.mayKeep) ?? true }

    private mutating func consider(
        isKnown: (LEAddress) -> Bool, at now: Instant, into actions: inout [Action]
    ) {
        let link = slots[0].link
        guard link.isScanning || link.asleep != nil else { return }
        var decision = selector.decision(at: now, asleep: link.asleep)
        // The backend may have dropped the device since it was found. It must be found again then.
        if case .connect(let strap) = decision, !isKnown(strap) || others.chosen.contains(strap) { decision = .wait }
        perform(slots[0].link.considered(decision, at: now), of: 0, at: now, into: &actions)
    }

    /// Gives each chosen sensor a link, and frees the links of the others.
    private mutating func assignLinks(at now: Instant, into actions: inout [Action]) {
        let chosen = others.chosen
        for index in slots.indices.dropFirst() {
            guard let sensor = slots[index].address, !chosen.contains(sensor) else { continue }
            perform(slots[index].link.obstructed(by: .off, at: now), of: index, at: now, into: &actions)
            slots[index].free()
        }
        for sensor in chosen where !slots.contains(where: { $0.address == sensor }) {
            slots.serve(sensor, others.kinds(of: sensor), isActive: radio.runIsActive, at: now)
        }
        updateSeeker()
    }

    private mutating func updateSeeker() {
        let strap = sensor(of: 0).map { [KnownSensor(address: $0, name: name(of: $0))] } ?? []
        isSeeking = !others.isComplete(with: selector.remembered + strap)
    }

    private func remember(into actions: inout [Action]) {
        actions.append(.remember(selector.remembered + others.remembered))
    }

    private mutating func described(
        _ information: DeviceInformation, link: Int, at now: Instant, into actions: inout [Action]
    ) {
        if link == 0, let strap = sensor(of: 0) {
            switch selector.described(information, of: strap) {
            case .ours(let hasChanged): if hasChanged { remember(into: &actions) }
            case .stranger: return leaveStrap(at: now, into: &actions)
            }
        }
        let named = slots[link].current.described(information)
        reportStatus(at: now, into: &actions)
        actions.append(.describe(named))
    }

    private mutating func startPairing(with sensor: LEAddress, into actions: inout [Action]) {
        guard let pairing else { return }
        self.pairing?.phase = .pairing(sensor)
        // A sensor that has lost its key refuses the link although we hold ours.
        let isRefused = slots.contains {
            $0.current.address == sensor && $0.link.faults.contains(.needsPairing)
        }
        actions.append(.pair(sensor, until: pairing.endsAt, replacesKey: isRefused))
        updateScan(into: &actions)
    }

    private mutating func reportStatus(at now: Instant, into actions: inout [Action]) {
        let status = slots[0].current.status(of: slots[0].link, selector, at: now)
        reporter.update(
            adapter: host.adapter, faults: slots[0].link.faults.union(host.faults), status, into: &actions)
        slots.report(named: others.name, into: &actions)
    }

    // MARK: Links

    private mutating func perform(
        _ linkActions: [SensorLink.Action], of index: Int, at now: Instant, into actions: inout [Action]
    ) {
        for action in linkActions {
            switch action {
            case .search: actions.append(.search)
            case .listen: setScanning(true, of: index, into: &actions)
            case .stopScan: setScanning(false, of: index, into: &actions)
            case .connect(let sensor?):
                slots[index].current.change(to: sensor)
                if index == 0 { slots[0].current.add(selector.kinds(of: sensor)) }
                radio.want(sensor, isHeard: slots[index].link.isMeeting, link: index)
                tune(into: &actions)
                radio.pauseScan(into: &actions)
            case .connect(nil): break
            case .subscribe: actions.append(.subscribe(link: index))
            case .resubscribe: actions.append(.resubscribe(link: index))
            case .disconnect:
                leave(index, at: now)
                actions.append(.disconnect(sensor(of: index), link: index))
                radio.resumeScan(into: &actions)
            case .widen(let sensor): if selector.widened(sensor) { remember(into: &actions) }
            }
        }
    }

    /// The kinds of measurements that a link reads.
    private func kinds(of link: Int) -> [SensorKind] { SensorKind.ofBluetooth.filter { link == 0 || $0 != .heartRate } }

    private mutating func setScanning(_ isSearching: Bool, of index: Int, into actions: inout [Action]) {
        radio.search(isSearching, link: index)
        tune(into: &actions)
        radio.updateScan(into: &actions)
    }

    /// Sets the connection parameters of the sensors that wait for a connection, and the longest of their duties.
    private func tune(into actions: inout [Action]) {
        let wanted = radio.wanted.map { ($0, selector.isWide($0)) }
        let links = slots.indices.filter(radio.isUsed).map { slots[$0].link }
        let duties = (links + (radio.isUsed(by: Self.linkLimit) ? [seeker] : [])).compactMap(\.duty)
        let duty: ScanDutyPolicy.Duty = duties.isEmpty || duties.contains(.full) ? .full : .sparing
        actions.append(.tune(Dictionary(wanted) { $0 || $1 }, duty))
    }

    /// Starts or stops the scan as a requested scan or a pairing needs it.
    private mutating func updateScan(into actions: inout [Action]) {
        radio.request =
            switch pairing?.phase {
            case .searching: .scan
            case .pairing: .pairing
            case .requested, nil: scanEndsAt == nil ? .nothing : .scan
            }
        radio.updateScan(into: &actions)
    }

    package mutating func suspendAttempts(into actions: inout [Action]) { radio.suspendAttempts(into: &actions) }
}
