package import Domain

/// State machine of the adapter and its discovery through bluetoothd: keeps one adapter on, and reports devices.
///
///               started             listed, one chosen         on
///     (absent) ────────▶ unlisted ─────────────────────▶ off ──────▶ ready
///         ▲                 │ no answer in time            ▲ switched off │
///         │ stopped         ▼                              └──────────────┘
///         └─────────── reconnect, after a rest
///
/// One call is under way at a time. The next call corrects the first deviation from the wanted state; a failed call is
/// retried after a rest. If bluetoothd does not answer, its state is discarded and the bus connected again.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s,
/// and calls ``tick(at:)`` no later than ``deadline``.
package struct BlueZAdapterSession: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        /// Report a device that advertised.
        case found(ScanResult)
        /// Connect to the bus again; messages of the old connection are discarded.
        case reconnect
    }

    /// The rest after a failed call, and after one that found the adapter blocked.
    package static let failureRetryDelay = Duration.seconds(2)
    package static let blockedRetryDelay = Duration.seconds(5)

    /// The rest after another program has switched the adapter off, so that two programs do not fight over the switch.
    package static let politeness = Duration.seconds(1)

    /// The rests before a reconnect to a bluetoothd that does not answer; the last one repeats.
    package static let rests: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5)]

    /// The minimum time between two power cycles of a stuck adapter.
    package static let powerCycleInterval = Duration.seconds(300)

    package private(set) var objects: BlueZObjects

    private let choice: AdapterChoice
    private let service: AttributeUUID
    /// The address of the last chosen adapter, which may be unplugged.
    private var taken: BluetoothAddress?
    private var isThere = false
    private var isListed = false
    private var isForbidden = false
    private var isBlocked = false
    /// Why the adapter's state is unknown; nil at the start.
    private var absenceReason: LinkReason?
    private var discovery: BlueZDiscovery
    private var flight: BlueZMethodCall?
    /// A call without an answer that need not be bluetoothd's fault, and its error; a ping decides.
    private var doubt: (call: BlueZMethodCall, error: BlueZError)?
    private var restUntil: Instant?
    private var reconnectAt: Instant?
    private var silences = 0
    private var removals: [String] = []
    private var cycledAt: Instant?
    private var isCycling = false

    /// - Parameter service: the service of the wanted devices. Devices that do not advertise it are reported too.
    package init(_ choice: AdapterChoice, service: AttributeUUID) {
        self.choice = choice
        self.service = service
        objects = BlueZObjects(preferring: service)
        discovery = BlueZDiscovery(for: service)
    }

    /// The adapter in use; nil while it is absent.
    package var adapter: BlueZAdapter? {
        isListed ? taken.flatMap { taken in objects.adapters.values.first { $0.address == taken } } : nil
    }

    /// Whether the adapter is on and not in a power cycle.
    package var isReady: Bool {
        adapter?.isPowered ?? false && !isCycling
    }

    /// Whether no discovery of ours runs or is wanted, and no call is under way.
    package var isQuiet: Bool {
        isReady && flight == nil && !discovery.isWanted && !discovery.isOn
    }

    /// What prevents a connection; nil if the adapter is on.
    package var obstacle: LinkReason? {
        if isForbidden { return .noPermission }
        guard isListed else { return absenceReason }
        guard let adapter else { return .noAdapter }
        if adapter.isPowered { return nil }
        return isBlocked ? .adapterBlocked : .adapterOff
    }

    /// The next time to call ``tick(at:)`` if nothing happens before; nil while a call is under way.
    package var deadline: Instant? {
        guard isThere, flight == nil else { return nil }
        return reconnectAt ?? restUntil ?? discovery.deadline
    }

    /// The adapter's device with this address.
    package func device(_ address: LEAddress) -> BlueZDevice? {
        adapter.flatMap { objects.device(address, of: $0.path) }
    }

    /// The adapter's connected devices, whichever program connected them.
    package var connectedDevices: [BlueZDevice] {
        adapter.map { objects.connectedDevices(of: $0.path) } ?? []
    }
}

// MARK: Events

extension BlueZAdapterSession {
    /// Starts with a bluetoothd that owns its name on the bus. What was known of an earlier one is discarded.
    package mutating func serviceStarted(at now: Instant) -> [Action] {
        reset()
        isThere = true
        return advance(at: now)
    }

    /// Records that bluetoothd, or the bus, is gone.
    package mutating func serviceStopped() {
        reset()
        isThere = false
        silences = 0
        absenceReason = .noBluetooth
    }

    private mutating func reset() {
        objects = BlueZObjects(preferring: service)
        isListed = false
        isForbidden = false
        isBlocked = false
        isCycling = false
        discovery.reset()
        flight = nil
        doubt = nil
        restUntil = nil
        reconnectAt = nil
        removals = []
    }

    /// Records a timeout of bluetoothd, here or in a call about a device, and schedules a reconnect.
    package mutating func timedOut(at now: Instant) {
        guard isThere, reconnectAt == nil else { return }
        reset()
        absenceReason = .noBluetooth
        reconnectAt = now + Self.rests[min(silences, Self.rests.count - 1)]
        silences += 1
    }

    /// Whether bluetoothd timed out and a reconnect is scheduled.
    package var isSilent: Bool { reconnectAt != nil }

    /// Records a device's connection state that the reply to a call implies (``BlueZConnection/isLinked(after:_:)``).
    package mutating func linked(_ device: String, _ isLinked: Bool) {
        objects.apply(BlueZInterfaceUpdate(device, .device, ["Connected": .flag(isLinked)]), isNew: false)
    }

    /// Receives the reply to GetManagedObjects.
    package mutating func listed(_ parts: [BlueZInterfaceUpdate], at now: Instant) -> [Action] {
        guard flight == .getObjects else { return [] }
        flight = nil
        // The reply includes the changes that signals reported meanwhile.
        objects = BlueZObjects(preferring: service)
        for part in parts { objects.apply(part, isNew: true) }
        isListed = true
        isForbidden = false
        silences = 0
        absenceReason = nil
        choose()
        return parts.compactMap(scanResult).map { .found($0) } + advance(at: now)
    }

    /// Receives the reply to any other call, with its error if it failed.
    package mutating func answered(_ call: BlueZMethodCall, _ error: BlueZError?, at now: Instant) -> [Action] {
        guard flight == call else { return [] }
        flight = nil
        switch error?.meaning {
        case .unanswered:
            if let error, call.waitsForPairings {
                doubt = (call, error)
                flight = .ping
                return [.call(.ping)]
            }
            timedOut(at: now)
            return []
        case .forbidden:
            isForbidden = true
            restUntil = now + Self.blockedRetryDelay
            return []
        default: isForbidden = false
        }
        switch call {
        case .ping:
            if let doubt { discovery.answered(doubt.call, doubt.error, at: now) }
            doubt = nil
        case .getObjects: restUntil = now + Self.failureRetryDelay
        case .setPowered(_, let isOn): switched(isOn, error, at: now)
        case .removeDevice(let device, _): removals.removeAll { $0 == device }
        default:
            discovery.answered(call, error, at: now)
            if discovery.refusals >= BlueZDiscovery.stuckLimit { beginCycle(at: now) }
        }
        return advance(at: now)
    }

    /// Receives InterfacesAdded (`isNew`) or PropertiesChanged.
    package mutating func received(_ part: BlueZInterfaceUpdate, isNew: Bool, at now: Instant) -> [Action] {
        guard isListed else { return [] }
        let wasReady = isReady
        objects.apply(part, isNew: isNew)
        if part.interface == .adapter { adapterChanged(wasReady: wasReady, at: now) }
        return (scanResult(part).map { [.found($0)] } ?? []) + advance(at: now)
    }

    /// Receives InterfacesRemoved.
    package mutating func removed(_ interface: BlueZInterface, of path: String, at now: Instant) -> [Action] {
        objects.remove(interface, of: path)
        if interface == .adapter, adapter == nil { discovery.reset() }
        return advance(at: now)
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        if let at = reconnectAt, now >= at {
            reconnectAt = nil
            return [.reconnect]
        }
        if let until = restUntil, now >= until { restUntil = nil }
        discovery.tick(at: now)
        return advance(at: now)
    }

    // MARK: Requests

    /// Starts or stops the discovery.
    package mutating func search(_ isWanted: Bool, at now: Instant) -> [Action] {
        discovery.want(isWanted, at: now)
        return advance(at: now)
    }

    /// Stops the discovery after ``BlueZDiscovery/farewell``, because a device is being connected.
    package mutating func stopDiscovery(at now: Instant) -> [Action] {
        discovery.stopDiscovery(at: now)
        return advance(at: now)
    }

    /// Makes bluetoothd forget a device with its cached services, unless it is paired.
    package mutating func remove(_ device: BlueZDevice, at now: Instant) -> [Action] {
        if !device.isPaired, !removals.contains(device.path), objects.device(at: device.path) != nil {
            removals.append(device.path)
        }
        return advance(at: now)
    }

    /// Switches the adapter off and on; not while a device is connected, or within ``powerCycleInterval``.
    package mutating func powerCycle(at now: Instant) -> [Action] {
        beginCycle(at: now)
        return advance(at: now)
    }

    private mutating func beginCycle(at now: Instant) {
        discovery.relieved()
        guard let adapter, connectedDevices.isEmpty, cycledAt.map({ now - $0 >= Self.powerCycleInterval }) ?? true
        else { return }
        cycledAt = now
        isCycling = adapter.isPowered
    }
}

// MARK: Next call

extension BlueZAdapterSession {
    private mutating func advance(at now: Instant) -> [Action] {
        guard let call = next(at: now) else { return [] }
        flight = call
        return [.call(call)]
    }

    /// Returns the call that corrects the first deviation from the wanted state.
    private mutating func next(at now: Instant) -> BlueZMethodCall? {
        guard isThere, reconnectAt == nil, flight == nil, restUntil == nil else { return nil }
        if !isListed { return .getObjects }
        choose()
        guard let adapter else { return nil }
        if isCycling { return .setPowered(adapter: adapter.path, false) }
        if !adapter.isPowered { return .setPowered(adapter: adapter.path, true) }
        if let device = removals.first { return .removeDevice(device, adapter: adapter.path) }
        return discovery.call(adapter: adapter.path, at: now)
    }

    /// Chooses an adapter if none is in use, one that is on if possible. A configured adapter is never replaced.
    private mutating func choose() {
        guard adapter == nil else { return }
        let there = objects.adapters.values.sorted { ($0.isPowered ? 0 : 1, $0.path) < ($1.isPowered ? 0 : 1, $1.path) }
        let other = there.first { adapter in
            switch choice {
            case .any: adapter.address != nil
            case .address(let address): adapter.address == address
            case .index(let index): taken == nil && adapter.index == index
            }
        }
        if let other { taken = other.address }
    }

    private mutating func adapterChanged(wasReady: Bool, at now: Instant) {
        guard let adapter, !adapter.isPowered else {
            isBlocked = false
            // The adapter came on, by bluetoothd or another program, so the rest is over.
            if !wasReady, adapter != nil { restUntil = nil }
            return
        }
        discovery.reset()
        if wasReady { restUntil = now + Self.politeness }
    }

    private mutating func switched(_ isOn: Bool, _ error: BlueZError?, at now: Instant) {
        isCycling = false
        isBlocked = isOn && error?.meaning == .blocked
        if error != nil {
            restUntil = now + (isBlocked ? Self.blockedRetryDelay : Self.failureRetryDelay)
        } else if let adapter {
            // The signal for the property may come after the reply.
            objects.apply(BlueZInterfaceUpdate(adapter.path, .adapter, ["Powered": .flag(isOn)]), isNew: false)
            if !isOn { discovery.reset() }
        }
    }

    /// Returns the scan result of a device of the adapter. An update with RSSI shows that the device is heard now.
    private func scanResult(_ part: BlueZInterfaceUpdate) -> ScanResult? {
        guard part.interface == .device, part.properties["RSSI"] != nil, let adapter,
            part.path.hasPrefix(adapter.path + "/"), let device = objects.device(at: part.path), !device.isConnected
        else { return nil }
        return device.scanResult
    }
}
