import Domain
import Linux
import Sensors

/// One pairing with a sensor through bluetoothd, on a separate bus connection. It registers an agent for that sensor
/// alone, which is unregistered on release. It does not ask to be the default agent, and rejects all other devices.
final class BlueZPairing {
    /// The object path of the sensor.
    let device: String
    private var channel: BlueZClient?
    private var agent: BusSlot?

    init(with device: String) {
        self.device = device
    }

    deinit {
        // bluetoothd also unregisters the agent when the connection ends, and then cancels the pairing.
        channel?.send(.unregisterAgent)
    }

    /// Whether the call to pair was made or is about to be.
    var isUnderWay: Bool {
        channel != nil
    }

    /// Registers the agent, then asks bluetoothd to pair with the device.
    ///
    /// - Parameter ended: receives the result, once. Not called after release.
    func begin(over channel: BlueZClient, ended: @escaping (PairingResult, Instant) -> Void) throws(SystemError) {
        self.channel = channel
        let judge = BlueZAgent(device: device)
        agent = try channel.bus.serve(BlueZAgent.path) { [owner = channel.owner] request in
            // Any peer on the bus can call the agent. Only calls of bluetoothd are served.
            guard request.message.sender == owner else { return request.fail(BusError(BusError.accessDenied)) }
            Self.respond(request, judge)
        }
        channel.call(.registerAgent) { [weak self] result, now in
            if case .failure(let error) = result, error.meaning != .done { return ended(.refused, now) }
            guard let self else { return }
            channel.call(.pair(device: device)) { ended(Self.result($0), $1) }
        }
    }

    private static func respond(_ request: BusRequest, _ judge: BlueZAgent) {
        let message = request.message
        guard message.interface == "org.bluez.Agent1" else {
            return request.fail(BusError(BusError.unknownMethod))
        }
        switch judge.respond(message.member, device: message.arguments.first?.text) {
        case .agreed: try? request.reply()
        case .rejected: request.fail(BusError("org.bluez.Error.Rejected", "Not the strap that is paired"))
        case .unknown: request.fail(BusError(BusError.unknownMethod))
        }
    }

    private static func result(_ reply: Result<[BusValue], BlueZError>) -> PairingResult {
        guard case .failure(let error) = reply else { return .paired }
        return switch error.meaning {
        case .done: .pairedAlready
        case .unreachable, .vanished: .absent
        default: .refused
        }
    }
}
