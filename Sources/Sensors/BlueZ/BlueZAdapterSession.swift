package import Domain

/// The conversation with bluetoothd about adapters and searches: keeps one adapter on, has it search, and tells what it hears.
///
///                 came              listed, one chosen         on
///     (absent) ────────▶ unlisted ─────────────────────▶ off ──────▶ ready
///         ▲                 │ no answer in time            ▲ switched off │
///         │ went            ▼                              └──────────────┘
///         └─────────── begun anew, after a rest
///
/// One call is under way at a time. The next one is the first thing that is not as it is wanted; what fails is tried again after a rest.
/// A bluetoothd that does not answer is left, with all that was known of it, and spoken to anew.
///
/// The machine does no input or output. The shell reports what happened with the moment it happened, carries out the
/// returned ``Action``s, and calls ``tick(at:)`` no later than ``deadline``.
package struct BlueZAdapterSession: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        /// A device was heard.
        case found(ScanResult)
        /// Connect to the bus again: what was said on the old connection is no more.
        case reconnect
    }

    /// The rest after a call that failed, and after one that found the adapter blocked.
    package static let failureRetryDelay = Duration.seconds(2)
    package static let blockedRetryDelay = Duration.seconds(5)

    /// The rest after somebody else has switched the adapter off: two that switch against each other would not end.
    package static let politeness = Duration.seconds(1)

    /// The rests before a bluetoothd that does not answer is spoken to again, the last one repeated.
    package static let rests: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5)]

    /// The least time between two times that an adapter that is stuck is switched off and on.
    package static let powerCycleInterval = Duration.seconds(300)

    package private(set) var objects = BlueZObjects()

    private let choice: AdapterChoice
    /// The adapter that was taken last; it may be away.
    private var taken: BluetoothAddress?
    private var isThere = false
    private var isListed = false
    private var isForbidden = false
    private var isBlocked = false
    /// Why nothing can be said of the adapter; nil at the beginning, when nothing is known yet.
    private var obstacle: LinkReason?
    private var discovery = BlueZDiscovery()
    private var flight: BlueZMethodCall?
    /// What was not answered, though bluetoothd may be well: it is asked whether it is.
    private var doubt: (call: BlueZMethodCall, error: BlueZError)?
    private var restUntil: Instant?
    private var reconnectAt: Instant?
    private var silences = 0
    private var removals: [String] = []
    private var cycledAt: Instant?
    private var isCycling = false

    package init(_ choice: AdapterChoice) { self.choice = choice }

    /// The adapter in use, while it is there.
    package var adapter: BlueZAdapter? {
        isListed ? taken.flatMap { taken in objects.adapters.values.first { $0.address == taken } } : nil
    }

    /// Whether the adapter is on and bluetoothd does as it is told.
    package var isReady: Bool {
        adapter?.isPowered ?? false && !isCycling
    }

    /// Whether nothing of ours searches, nor will, and no answer is waited for.
    package var isQuiet: Bool {
        isReady && flight == nil && !discovery.isWanted && !discovery.isOn
    }

    /// What of the host keeps the strap away.
    package var hindrance: LinkReason? {
        if isForbidden { return .noPermission }
        guard isListed else { return obstacle }
        guard let adapter else { return .noAdapter }
        if adapter.isPowered { return nil }
        return isBlocked ? .adapterBlocked : .adapterOff
    }

    /// When ``tick(at:)`` has something to do, if nothing happens before. Nothing has while a call is under way.
    package var deadline: Instant? {
        guard isThere, flight == nil else { return nil }
        return reconnectAt ?? restUntil ?? discovery.deadline
    }

    /// The adapter's device of this address.
    package func device(_ address: LEAddress) -> BlueZDevice? {
        adapter.flatMap { objects.device(address, of: $0.path) }
    }

    /// The devices of the adapter that are connected, to whomever.
    package var connectedDevices: [BlueZDevice] {
        adapter.map { objects.connectedDevices(of: $0.path) } ?? []
    }
}

// MARK: What happens

extension BlueZAdapterSession {
    /// bluetoothd is there, and the shell is on the bus with it. What was known of another is forgotten.
    package mutating func came(at now: Instant) -> [Action] {
        reset()
        isThere = true
        return advance(at: now)
    }

    /// bluetoothd is there no more, or the bus.
    package mutating func went() {
        reset()
        isThere = false
        silences = 0
        obstacle = .noBluetooth
    }

    private mutating func reset() {
        objects = BlueZObjects()
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

    /// bluetoothd has not answered in time, here or to a call about a strap.
    package mutating func unanswered(at now: Instant) {
        guard isThere, reconnectAt == nil else { return }
        reset()
        obstacle = .noBluetooth
        reconnectAt = now + Self.rests[min(silences, Self.rests.count - 1)]
        silences += 1
    }

    /// Whether bluetoothd has not answered, and is let alone for a while.
    package var isSilent: Bool { reconnectAt != nil }

    /// A device has been connected or disconnected, as the answer to a call says (``BlueZConnection/isLinked(after:_:)``).
    package mutating func linked(_ device: String, _ isLinked: Bool) {
        objects.apply(BlueZInterfaceUpdate(device, .device, ["Connected": .flag(isLinked)]), isNew: false)
    }

    /// What objects there are.
    package mutating func listed(_ parts: [BlueZInterfaceUpdate], at now: Instant) -> [Action] {
        guard flight == .getObjects else { return [] }
        flight = nil
        // What was told meanwhile is told here again, as it is now.
        objects = BlueZObjects()
        for part in parts { objects.apply(part, isNew: true) }
        isListed = true
        isForbidden = false
        silences = 0
        obstacle = nil
        choose()
        return parts.compactMap(sighting).map { .found($0) } + advance(at: now)
    }

    /// A call was answered, with an error or without.
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
            unanswered(at: now)
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

    /// An object is there, or some of its properties have changed.
    package mutating func received(_ part: BlueZInterfaceUpdate, isNew: Bool, at now: Instant) -> [Action] {
        guard isListed else { return [] }
        let wasReady = isReady
        objects.apply(part, isNew: isNew)
        if part.interface == .adapter { adapterChanged(wasReady: wasReady, at: now) }
        return (sighting(part).map { [.found($0)] } ?? []) + advance(at: now)
    }

    /// An interface of an object is there no more.
    package mutating func removed(_ interface: BlueZInterface, of path: String, at now: Instant) -> [Action] {
        objects.remove(interface, of: path)
        if interface == .adapter, adapter == nil { discovery.reset() }
        return advance(at: now)
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) -> [Action] {
        if let at = reconnectAt, now >= at {
            reconnectAt = nil
            return [.reconnect]
        }
        if let until = restUntil, now >= until { restUntil = nil }
        discovery.tick(at: now)
        return advance(at: now)
    }

    // MARK: What is wanted

    /// Searches from now on, or does not.
    package mutating func search(_ isWanted: Bool, at now: Instant) -> [Action] {
        discovery.want(isWanted, at: now)
        return advance(at: now)
    }

    /// A strap is being connected: the search ends in a moment.
    package mutating func stopDiscovery(at now: Instant) -> [Action] {
        discovery.stopDiscovery(at: now)
        return advance(at: now)
    }

    /// Has bluetoothd forget a device, and what it keeps of its services. One that is paired stays.
    package mutating func remove(_ device: BlueZDevice, at now: Instant) -> [Action] {
        if !device.isPaired, !removals.contains(device.path), objects.device(at: device.path) != nil {
            removals.append(device.path)
        }
        return advance(at: now)
    }

    /// Switches the adapter off and on, which is all that helps some: not while others use it, and not often.
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

// MARK: What follows

extension BlueZAdapterSession {
    private mutating func advance(at now: Instant) -> [Action] {
        guard let call = next(at: now) else { return [] }
        flight = call
        return [.call(call)]
    }

    /// The first thing that is not as it is wanted.
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

    /// Takes an adapter, or another where the one in use has gone and any will do: one that is on before one that is not.
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
            // What was waited for has happened: bluetoothd switches on by itself, or somebody does.
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
            // The property's own change may come after the answer.
            objects.apply(BlueZInterfaceUpdate(adapter.path, .adapter, ["Powered": .flag(isOn)]), isNew: false)
            if !isOn { discovery.reset() }
        }
    }

    /// What was heard: a device of the adapter that has a signal's strength is one that bluetoothd hears now.
    private func sighting(_ part: BlueZInterfaceUpdate) -> ScanResult? {
        guard part.interface == .device, part.properties["RSSI"] != nil, let adapter,
            part.path.hasPrefix(adapter.path + "/"), let device = objects.device(at: part.path), !device.isConnected
        else { return nil }
        return device.sighting
    }
}
