import Domain
import Linux
package import Sensors

/// One pairing with a strap through bluetoothd, on a separate bus connection. It registers an agent for that strap
/// alone, which is unregistered on release. It does not ask to be the default agent, and rejects all other devices.
final class BlueZPairing {
    let pattern: StrapMatcher
    let endsAt: Instant
    let finished: (PairingResult) -> Void
    /// The object path of the strap. Nil until the strap is found.
    var device: String?
    private var channel: BlueZClient?
    private var agent: BusSlot?

    init(_ pattern: StrapMatcher, endsAt: Instant, finished: @escaping (PairingResult) -> Void) {
        self.pattern = pattern
        self.endsAt = endsAt
        self.finished = finished
    }

    deinit {
        // bluetoothd also unregisters the agent when the connection ends, and then cancels the pairing.
        channel?.send(.unregisterAgent)
    }

    /// Whether the strap is not found yet.
    var isSearching: Bool {
        device == nil
    }

    /// Whether the call to pair was made or is about to be.
    var isUnderWay: Bool {
        channel != nil
    }

    /// Registers the agent, then asks bluetoothd to pair with the device.
    ///
    /// - Parameter ended: receives the result, once. Not called after release.
    func begin(
        with device: String, over channel: BlueZClient, ended: @escaping (PairingResult) -> Void
    ) throws(SystemError) {
        self.channel = channel
        let judge = BlueZAgent(device: device)
        agent = try channel.bus.serve(BlueZAgent.path) { [owner = channel.owner] request in
            // Any peer on the bus can call the agent. Only calls of bluetoothd are served.
            guard request.message.sender == owner else { return request.refuse(BusError(BusError.accessDenied)) }
            Self.respond(request, judge)
        }
        channel.call(.registerAgent) { [weak self] result, _ in
            if case .failure(let error) = result, error.meaning != .done { return ended(.refused) }
            self?.channel?.call(.pair(device: device)) { result, _ in ended(Self.outcome(of: result)) }
        }
    }

    private static func respond(_ request: BusRequest, _ judge: BlueZAgent) {
        let message = request.message
        guard message.interface == "org.bluez.Agent1" else {
            return request.refuse(BusError(BusError.unknownMethod))
        }
        switch judge.respond(message.member, device: message.arguments.first?.text) {
        case .agreed: try? request.reply()
        case .rejected: request.refuse(BusError("org.bluez.Error.Rejected", "Not the strap that is paired"))
        case .unknown: request.refuse(BusError(BusError.unknownMethod))
        }
    }

    private static func outcome(of result: Result<[BusValue], BlueZError>) -> PairingResult {
        guard case .failure(let error) = result else { return .paired }
        return switch error.meaning {
        case .done: .pairedAlready
        case .unreachable, .vanished: .absent
        default: .refused
        }
    }
}

extension BluetoothdStrapBackend {
    package func pair(_ pattern: StrapMatcher, finished: @escaping (PairingResult) -> Void) -> StrapRequestError? {
        if let refusal { return refusal }
        let now = Clock.now()
        pairing = BlueZPairing(pattern, endsAt: now + PairingResult.limit, finished: finished)
        for device in session.connectedDevices { mayPair(with: device) }
        // A connection attempt is not cancelled: the kernel may complete it after the cancellation, and
        // then no owner would use or close the link.
        if let device = connection.flatMap({ session.objects.device(at: $0.device) }) { mayPair(with: device) }
        if pairing?.isSearching ?? false { makeWay(at: now) }
        leaveUnsubscribed(at: now)
        searchAsWanted(at: now)
        reconcile(at: now)
        return nil
    }

    /// Disconnects if a subscription waits for this pairing: bluetoothd may never complete either of the two.
    func leaveUnsubscribed(at now: Instant) {
        guard let connection, connection.isConnected, !connection.isSubscribed, !connection.isLeaving else { return }
        connection.disconnect(at: now)
        lost(.pairingNeeded, at: now)
    }

    var isPairing: Bool {
        pairing != nil
    }

    /// Selects the device for the pairing if it matches.
    func mayPair(with device: BlueZDevice) {
        guard let pairing, pairing.isSearching, let address = device.address,
            pairing.pattern.matches(address, name: device.name)
        else { return }
        pairing.device = device.path
    }

    /// Starts the pairing once the strap is found, its connection (if any) is subscribed, and no discovery
    /// runs. During a disconnect the pairing would lose its link, so it waits for the end of that.
    func pairOn(at now: Instant) {
        guard let pairing, !pairing.isUnderWay, let path = pairing.device, let owner,
            connection?.isSubscribed ?? true
        else { return }
        guard session.objects.device(at: path).map({ !$0.isPaired }) ?? true else {
            return endPairing(.pairedAlready)
        }
        setScanning(isSearching, at: now)
        guard session.isQuiet else { return }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [weak self] _, _ in
                self?.endPairing(.refused)
            }
            try pairing.begin(with: path, over: channel) { [weak self] in self?.endPairing($0) }
        } catch {
            endPairing(.refused)
        }
    }

    /// Ends the pairing, if any, and resumes the use of the strap.
    func endPairing(_ outcome: PairingResult) {
        guard let pairing else { return }
        self.pairing = nil
        let now = Clock.now()
        setScanning(isSearching, at: now)
        if outcome == .paired {
            justPaired = pairing.device
            perform(link.wanted(keepsStrap: true, at: now), at: now)
        }
        reconcile(at: now)
        pairing.finished(outcome)
    }
}
