import Domain
import Linux
package import Sensors

/// One pairing with a strap through bluetoothd, on a connection to the bus of its own: an agent for that strap alone, which is gone when
/// this is released. It is never the default agent by our wish, and refuses everybody else.
final class BlueZPairing {
    let pattern: StrapMatcher
    let endsAt: Instant
    let finished: (PairingResult) -> Void
    /// The path of the strap's object, once it was heard.
    var device: String?
    private var channel: BlueZClient?
    private var agent: BusSlot?

    init(_ pattern: StrapMatcher, endsAt: Instant, finished: @escaping (PairingResult) -> Void) {
        self.pattern = pattern
        self.endsAt = endsAt
        self.finished = finished
    }

    deinit {
        // bluetoothd would take it back by itself when the connection ends, and gives up the pairing then.
        channel?.send(.unregisterAgent)
    }

    /// Whether the strap has still to be heard.
    var isSearching: Bool {
        device == nil
    }

    /// Whether bluetoothd pairs, or is about to.
    var isUnderWay: Bool {
        channel != nil
    }

    /// Registers the agent, and has bluetoothd pair with the device.
    ///
    /// - Parameter ended: called once, unless this is released before.
    func begin(
        with device: String, over channel: BlueZClient, ended: @escaping (PairingResult) -> Void
    ) throws(SystemError) {
        self.channel = channel
        let judge = BlueZAgent(device: device)
        agent = try channel.bus.serve(BlueZAgent.path) { [owner = channel.owner] request in
            // Anybody on the bus can ask; only bluetoothd's questions mean anything.
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
        // The one that is being connected is waited for: a connection that is called off may be made all the same, and then nobody has it.
        if let device = connection.flatMap({ session.objects.device(at: $0.device) }) { mayPair(with: device) }
        if pairing?.isSearching ?? false { makeWay(at: now) }
        leaveUnsubscribed(at: now)
        searchAsWanted(at: now)
        reconcile(at: now)
        return nil
    }

    /// Ends a connection whose subscription waits for the very pairing: bluetoothd may never finish one beside the other.
    func leaveUnsubscribed(at now: Instant) {
        guard let connection, connection.isConnected, !connection.isSubscribed, !connection.isLeaving else { return }
        connection.disconnect(at: now)
        lost(.pairingNeeded, at: now)
    }

    var isPairing: Bool {
        pairing != nil
    }

    /// A device is there: it may be the one that is to be paired.
    func mayPair(with device: BlueZDevice) {
        guard let pairing, pairing.isSearching, let address = device.address,
            pairing.pattern.matches(address, name: device.name)
        else { return }
        pairing.device = device.path
    }

    /// Begins the pairing once the strap was heard, nothing is done with it but that it streams, and nothing searches. A link that is being
    /// closed would be closed under the pairing.
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

    /// Ends the pairing, if there is one, and uses the strap again.
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
