package import Domain

/// State machine of the kernel's Bluetooth adapters: keeps one of them on with Low Energy, and reports devices.
///
///                opened            listed, one chosen        on
///     (closed) ──────────▶ unknown ──────────────────▶ off ──────▶ ready
///                             │ no adapter              ▲ switched off │
///                             ▼                         └──────────────┤
///                           absent ◀──────────────────── unplugged ────┘
///
/// One command is under way at a time. The next command corrects the first deviation from the wanted state; a failed
/// command is retried after a rest. A channel without CAP_NET_ADMIN is read-only: after the first Permission Denied no
/// command that changes something is sent.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s,
/// and calls ``tick(at:)`` no later than ``deadline``.
package struct MgmtAdapterSession: Sendable {
    package enum Action: Equatable, Sendable {
        case send([UInt8])
        /// Report a device that advertised.
        case found(ScanResult)
        /// Store these keys instead of all earlier ones; they are secret.
        case keep([LongTermKey])
        /// Report the result of the requested pairing.
        case endPairing(PairingResult)
    }

    /// The parameters of future discoveries and connections. Parameters are loaded for devices if those of one of them
    /// differ from the usual ones, or if the kernel has no default parameters.
    package struct ScanParameters: Equatable, Sendable {
        package var duty: ScanDutyPolicy.Duty
        package var devices: [LEAddress: ConnectionParameters]

        package init(duty: ScanDutyPolicy.Duty = .full, devices: [LEAddress: ConnectionParameters] = [:]) {
            self.duty = duty
            self.devices = devices
        }
    }

    /// The time limit of a command: the kernel gives an adapter 10 s to switch on.
    package static let commandLimit = Duration.seconds(15)

    /// The rest after a failed command, and after one that found the adapter blocked.
    package static let failureRetryDelay = Duration.seconds(2)
    package static let blockedRetryDelay = Duration.seconds(5)

    /// The rest after another program has switched the adapter off, so that two programs do not fight over the switch.
    package static let politeness = Duration.seconds(1)

    /// The largest number of connections to remember.
    package static let connectionLimit = 64

    private struct Flight: Equatable {
        var command: MgmtCommand
        /// The wanted parameters when the command was sent.
        var tuning: ScanParameters
        var lateAt: Instant
    }

    private var isOpen = false
    private var flight: Flight?
    private var adapters: AdapterList
    private var isForbidden = false
    private var isBlocked = false
    private var knowsDefaults = true
    private var restUntil: Instant?

    private var discovery = DiscoveryCycle()
    /// Whether a search is wanted; a pairing suspends it.
    private var isSearchWanted = false
    private var pairing = MgmtPairing()
    private var wanted = ScanParameters()
    /// The default duty now in force, and the parameters loaded for devices. The kernel keeps only the last ones.
    private var duty: ScanDutyPolicy.Duty?
    private var loaded: [LEAddress: ConnectionParameters]?
    /// The devices connected to the adapter; nil until they are read.
    private var connections: [LEAddress]?
    private var leaving: [LEAddress] = []

    package init(_ choice: AdapterChoice) {
        adapters = AdapterList(choice)
    }

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package var deadline: Instant? {
        [flight?.lateAt, restUntil, discovery.deadline, pairing.deadline].compactMap { $0 }.min()
    }

    package var status: AdapterStatus {
        guard let adapter = adapters.current else { return adapters.isWithout ? .absent : .unknown }
        if adapter.isReady { return .ready }
        if isBlocked { return .blocked }
        return isForbidden && adapter.settings.contains(.powered) ? .forbidden : .off
    }

    /// The address of the adapter in use; nil while it is absent.
    package var address: BluetoothAddress? {
        adapters.current?.address
    }

    /// The index of the adapter in use; nil while it is absent.
    package var index: UInt16? {
        adapters.current?.index
    }

    /// Whether the kernel lets this process search and switch.
    package var isPermitted: Bool {
        !isForbidden
    }

    /// Whether a connection may start: no discovery of ours runs or is wanted, and all parameters are set.
    package var isQuiet: Bool {
        guard status == .ready, !isSearchWanted, !pairing.isUnderWay else { return false }
        return isForbidden || (flight == nil && !discovery.isOnAir && leaving.isEmpty && isTuned)
    }

    private var isTuned: Bool {
        duty == wanted.duty
            && (!needsLoading || loaded == wanted.devices)
    }

    /// Whether parameters must be loaded for the devices: the kernel prefers its last parameters to the
    /// defaults. A kernel without defaults needs them as soon as a device is known.
    private var needsLoading: Bool {
        wanted.devices.values.contains { $0 != .usual } || !wanted.devices.isEmpty && !knowsDefaults
    }

    /// Whether a device is connected to the adapter, by any program.
    package func isConnected(_ device: LEAddress) -> Bool {
        connections?.contains(device) ?? false
    }
}

// MARK: Events

extension MgmtAdapterSession {
    /// Starts on an open channel. The kernel's earlier reports are discarded; requests and the choice are kept.
    package mutating func opened(at now: Instant) -> [Action] {
        closed()
        isOpen = true
        return ended(pairing.opened()) + advance(at: now)
    }

    /// Records that the channel is closed. A discovery outlives it, and a requested one may have begun.
    package mutating func closed() {
        var asked: Instant?
        if let flight, case .startDiscovery = flight.command { asked = flight.lateAt - Self.commandLimit }
        discovery.abandoned(asked: asked)
        isOpen = false
        flight = nil
        adapters.reset()
        isForbidden = false
        knowsDefaults = true
        restUntil = nil
        pairing.closed()
        discovery.want(isSearchWanted)
        reset()
    }

    /// Receives one datagram. A malformed one is ignored.
    package mutating func received(_ bytes: Span<UInt8>, at now: Instant) -> [Action] {
        guard isOpen, let packet = try? MgmtPacket(bytes) else { return [] }
        let keys = pairing.keys
        var actions: [Action] = []
        switch packet.event {
        case .answered(MgmtCommand.pairOpcode, let status, _):
            if packet.index == index { actions = paired(status, at: now) }
        case .answered(let opcode, let status, let reply):
            guard let flight, flight.command.opcode == opcode, flight.command.index == packet.index else { break }
            finished(flight, status, reply, at: now)
        case .added: adapters.added(packet.index)
        case .removed: actions = removed(packet.index)
        case .settingsChanged(let settings): changed(packet.index, settings, at: now)
        case .found(let result): if packet.index == index { actions = [.found(result)] }
        case .agreed, .asked: if packet.index == index { actions = receivedPairing(packet.event) }
        case .connected, .disconnected, .discovering: if packet.index == index { received(packet.event, at: now) }
        case .connectFailed, .failing, .other: break
        }
        if pairing.keys != keys { actions.append(.keep(pairing.keys)) }
        return actions + advance(at: now)
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        if let flight, now >= flight.lateAt { finished(flight, .timeout, [], at: now) }
        if let until = restUntil, now >= until { restUntil = nil }
        discovery.tick(at: now)
        return tickPairing(at: now) + advance(at: now)
    }

    /// Starts or stops the search.
    package mutating func search(_ isWanted: Bool, at now: Instant) -> [Action] {
        isSearchWanted = isWanted
        discovery.want(isWanted && !pairing.isUnderWay)
        return advance(at: now)
    }

    /// Sets the parameters of future discoveries and connections.
    package mutating func tune(_ tuning: ScanParameters, at now: Instant) -> [Action] {
        wanted = tuning
        return advance(at: now)
    }

    /// Disconnects a device at once: the kernel keeps a link for 2 s after its last socket was closed.
    package mutating func disconnect(_ device: LEAddress, at now: Instant) -> [Action] {
        guard !isForbidden, isConnected(device), !leaving.contains(device) else { return [] }
        leaving.append(device)
        return advance(at: now)
    }
}

// MARK: Next command

extension MgmtAdapterSession {
    private mutating func advance(at now: Instant) -> [Action] {
        guard let command = next() else { return [] }
        // Pair Device lasts as long as the device is away; other commands are sent meanwhile.
        if case .pair = command {
            pairing.asked()
            return [.send(command.bytes)] + advance(at: now)
        }
        flight = Flight(command: command, tuning: wanted, lateAt: now + Self.commandLimit)
        return [.send(command.bytes)]
    }

    /// Returns the command that corrects the first deviation from the wanted state.
    private func next() -> MgmtCommand? {
        guard isOpen, flight == nil, restUntil == nil else { return nil }
        guard adapters.isListed else { return .readIndexList }
        if let index = adapters.unread.first { return .readInformation(index: index) }
        guard let adapter = adapters.current, !isForbidden else { return nil }
        let index = adapter.index
        if !adapter.settings.contains(.lowEnergy) { return .setLowEnergy(index: index) }
        if !adapter.settings.contains(.powered) { return .setPowered(index: index) }
        if connections == nil { return .readConnections(index: index) }
        if let device = leaving.first { return .disconnect(index: index, device) }
        if let command = pairing.next(for: adapter, isAirFree: !discovery.isOnAir) { return command }
        if discovery.step == .stop { return .stopDiscovery(index: index) }
        if !discovery.isOnAir {
            if duty != wanted.duty { return .setDefaults(index: index, .usual, wanted.duty) }
            if !isTuned { return .loadParameters(index: index, wanted.devices) }
        }
        return discovery.step == .start ? .startDiscovery(index: index) : nil
    }

    /// Discards what is known of the adapter in use.
    private mutating func reset() {
        isBlocked = false
        duty = nil
        loaded = nil
        connections = nil
        leaving = []
    }

    private mutating func removed(_ index: UInt16) -> [Action] {
        let isCurrent = index == self.index
        adapters.removed(index)
        if flight?.command.index == index { flight = nil }
        guard isCurrent else { return [] }
        discovery.reset()
        reset()
        adapters.replace()
        return ended(pairing.removed())
    }

    private mutating func changed(_ index: UInt16, _ settings: AdapterSettings, at now: Instant) {
        let wasReady = status == .ready
        adapters.changed(index, settings)
        guard let adapter = adapters.current, adapter.index == index else { return }
        if settings.contains(.powered) {
            isBlocked = false
        } else {
            discovery.reset()
            connections = connections.map { _ in [] }
            leaving = []
        }
        if wasReady, !adapter.isReady { restUntil = now + Self.politeness }
    }

    private mutating func received(_ event: MgmtPacket.Event, at now: Instant) {
        switch event {
        case .connected(let device):
            pairing.connected(device)
            guard let connections, connections.count < Self.connectionLimit, !connections.contains(device) else {
                break
            }
            self.connections = connections + [device]
        case .disconnected(let device, _):
            connections?.removeAll { $0 == device }
            leaving.removeAll { $0 == device }
        case .discovering(false):
            // Another program's discovery may have ended too; ours restarts after the pause.
            discovery.ended(at: now)
        default: break
        }
    }

    private mutating func finished(
        _ flight: Flight, _ status: MgmtStatus, _ reply: [UInt8], at now: Instant
    ) {
        self.flight = nil
        pairing.finished(flight.command, status, at: now)
        if status == .permissionDenied {
            isForbidden = true
            return
        }
        switch flight.command {
        case .readIndexList:
            guard status == .success, (try? adapters.listed(reply.span)) != nil else {
                restUntil = now + Self.failureRetryDelay
                return
            }
        case .readInformation(let index):
            adapters.read(index, status == .success ? try? Adapter(index: index, reply.span) : nil)
        case .setPowered(let index), .setLowEnergy(let index): switched(index, status, reply, at: now)
        case .setBondable(let index, _):
            if let settings = try? reply.span.uint32(at: 0) {
                changed(index, AdapterSettings(rawValue: settings), at: now)
            }
        case .readConnections: connections = status == .success ? reply.connections(limit: Self.connectionLimit) : []
        case .disconnect(_, let device): leaving.removeAll { $0 == device }
        case .setDefaults:
            knowsDefaults = status != .unknownCommand
            // Another failure would repeat; the kernel's own defaults are used then.
            duty = flight.tuning.duty
        case .loadParameters: loaded = flight.tuning.devices
        case .startDiscovery: discovery.started(status, at: now)
        case .stopDiscovery: discovery.ended(at: now)
        default: break
        }
    }

    private mutating func switched(_ index: UInt16, _ status: MgmtStatus, _ reply: [UInt8], at now: Instant) {
        isBlocked = status == .blocked
        if status == .success, let settings = try? reply.span.uint32(at: 0) {
            changed(index, AdapterSettings(rawValue: settings), at: now)
        } else {
            restUntil = now + (isBlocked ? Self.blockedRetryDelay : Self.failureRetryDelay)
        }
    }
}

// MARK: Pairing

extension MgmtAdapterSession {
    /// Whether a key for the device and the adapter in use is stored.
    package func isPaired(_ device: LEAddress) -> Bool {
        address.map { pairing.isPaired(device, with: $0) } ?? false
    }

    /// Sets the stored keys.
    package mutating func setKeys(_ keys: [LongTermKey]) {
        pairing.setKeys(keys)
    }

    /// Forgets the keys of the matching devices.
    package mutating func forgetKeys(of isMeant: (LEAddress) -> Bool, at now: Instant) -> [Action] {
        let kept = pairing.keys.filter { !isMeant($0.device) }
        guard kept != pairing.keys else { return [] }
        pairing.setKeys(kept)
        return [.keep(kept)] + advance(at: now)
    }

    /// Pairs with this device only. ``Action/endPairing(_:)`` reports the result. A search is suspended until then.
    package mutating func pair(_ device: LEAddress, until: Instant, at now: Instant) -> [Action] {
        pairing.want(device, until: until)
        if isConnected(device) { pairing.connected(device) }
        discovery.want(false)
        return advance(at: now)
    }

    /// Cancels the pairing without reporting a result.
    package mutating func stopPairing(at now: Instant) -> [Action] {
        guard let device = pairing.abandon() else { return [] }
        discovery.want(isSearchWanted)
        let cancels = index.map { [Action.send(MgmtCommand.cancelPairing(index: $0, device).bytes)] } ?? []
        return cancels + advance(at: now)
    }

    /// Returns the commands that release the adapter before the channel is closed.
    ///
    /// - Parameter devices: our connected devices.
    package mutating func parted(from devices: [LEAddress]) -> [Action] {
        guard isOpen, isPermitted, let index else { return [] }
        var commands: [MgmtCommand] = []
        if discovery.isOnAir { commands.append(.stopDiscovery(index: index)) }
        if let pairingDevice = pairing.abandon() {
            commands += [.cancelPairing(index: index, pairingDevice), .setBondable(index: index, false)]
        }
        commands += devices.filter(isConnected).map { .disconnect(index: index, $0) }
        return commands.map { .send($0.bytes) }
    }

    /// Receives the status of Pair Device.
    private mutating func paired(_ status: MgmtStatus, at now: Instant) -> [Action] {
        address.map { ended(pairing.answered(status, with: $0, at: now)) } ?? []
    }

    private mutating func tickPairing(at now: Instant) -> [Action] {
        let device = pairing.device
        guard let result = pairing.tick(at: now) else { return [] }
        var actions = ended(result)
        if let device, let index { actions.append(.send(MgmtCommand.cancelPairing(index: index, device).bytes)) }
        return actions
    }

    /// Handles a pairing question or a new key. Its commands are sent at once, because the peer waits for the answer.
    private mutating func receivedPairing(_ event: MgmtPacket.Event) -> [Action] {
        guard let index, let address else { return [] }
        switch event {
        case .asked(let question, let device):
            let isYes = question == .confirmation && device == pairing.device?.managementBytes
            return [.send(MgmtCommand.answer(index: index, question, device, isYes: isYes).bytes)]
        case .agreed(let device, let bytes):
            guard let key = LongTermKey(adapter: address, device: device, bytes), !pairing.agreed(key) else {
                return []
            }
            return [.send(MgmtCommand.unpair(index: index, device).bytes)]
        default: return []
        }
    }

    /// Resumes the search and reports the result of a pairing.
    private mutating func ended(_ result: PairingResult?) -> [Action] {
        guard let result else { return [] }
        discovery.want(isSearchWanted)
        return [.endPairing(result)]
    }
}
