import Domain
import Linux
import Sensors

/// A connection to a strap through bluetoothd, on a separate bus connection.
///
/// It performs the actions of its ``BlueZConnection`` until that is over. Releasing it earlier makes bluetoothd
/// close the link. Its owner reports each change of the objects, and calls ``tick(at:)`` no later than ``deadline``.
final class BlueZStrapConnection {
    enum Event {
        /// Whether a link to the strap exists. This overrides the `Connected` property of the object.
        case linked(Bool)
        /// The strap is connected and its services are resolved, so it can be subscribed to.
        case connected
        case reported(HeartRateSession.Report)
        /// The connection ended without a call of ``disconnect(at:)``. Only ``isOver`` changes after this.
        case ended(StrapLink.DisconnectCause)
        /// bluetoothd did not reply in time.
        case unanswered
        /// The ``BlueZStrapConnection/deadline`` may have changed.
        case advanced
    }

    private var machine: BlueZConnection
    private var queue = ActionQueue<BlueZConnection.Action>()
    private let channel: BlueZClient
    private let loop: EventLoop
    private let objects: () -> BlueZObjects
    private let happened: (Event, Instant) -> Void
    private var socket: NotificationSocket?
    /// Whether the strap has reached `connected`.
    private(set) var isConnected = false

    /// - Parameters:
    ///   - device: the object path of the strap.
    ///   - isFresh: whether an existing link was just made by our own pairing.
    ///   - objects: returns the current objects of bluetoothd.
    ///   - happened: called from the loop or from the methods below.
    init(
        to device: String, over channel: BlueZClient, loop: EventLoop, reportsReasons: Bool, isFresh: Bool,
        objects: @escaping () -> BlueZObjects, happened: @escaping (Event, Instant) -> Void, at now: Instant
    ) {
        machine = BlueZConnection(device: device, reportsReasons: reportsReasons, isFresh: isFresh, at: now)
        self.channel = channel
        self.loop = loop
        self.objects = objects
        self.happened = happened
    }

    deinit {
        if !machine.isOver { channel.send(.disconnect(device: machine.device)) }
    }

    var device: String {
        machine.device
    }

    /// Whether bluetoothd has closed the link, so that the next connection may start.
    var isOver: Bool {
        machine.isOver
    }

    /// Whether notifications are enabled.
    var isSubscribed: Bool {
        machine.isSubscribed
    }

    /// Whether the connection is over for its owner, but not closed yet.
    var isLeaving: Bool {
        machine.isLeaving
    }

    var deadline: Instant? {
        machine.deadline
    }

    func begin(at now: Instant) {
        perform(machine.begin(objects(), at: now), at: now)
    }

    /// Enables notifications.
    func subscribe(at now: Instant) {
        perform(machine.subscribe(objects(), at: now), at: now)
    }

    /// Enables notifications again.
    func resubscribe(at now: Instant) {
        perform(machine.resubscribe(at: now), at: now)
    }

    /// Disconnects the strap, or cancels the connection attempt.
    func disconnect(at now: Instant) {
        perform(machine.disconnect(objects(), at: now), at: now)
    }

    /// Advances timers to `now`.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { perform(machine.tick(objects(), at: now), at: now) }
    }

    // MARK: Events

    /// Receives a change of the strap's objects. The `Value` of a new object is cached, so it is ignored.
    func received(_ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        if let part, !isNew, part.interface == .characteristic, let value = part.properties["Value"] {
            guard case .bytes(let bytes) = value else { return }
            perform(machine.received(bytes, from: part.path, objects(), at: now), at: now)
        } else {
            perform(machine.advance(objects(), at: now), at: now)
        }
    }

    /// Receives bluetoothd's reason for the end of the link.
    func disconnected(_ reason: String, at now: Instant) {
        perform(machine.disconnected(reason, objects(), at: now), at: now)
    }

    private func answered(_ call: BlueZMethodCall, _ result: Result<[BusValue], BlueZError>, at now: Instant) {
        let error: BlueZError? = if case .failure(let error) = result { error } else { nil }
        if error?.meaning == .unanswered, call.isAnsweredByItself {
            return happened(.unanswered, now)
        }
        if case .acquireNotify = call, case .success(let values) = result, !adopt(values.first?.descriptor) {
            return perform(machine.acquiredNothing(objects(), at: now), at: now)
        }
        if let isLinked = BlueZConnection.isLinked(after: call, error) { happened(.linked(isLinked), now) }
        let value = result.map { $0.first?.bytes ?? [] }
        perform(machine.answered(call, value, objects(), at: now), at: now)
    }

    /// Takes over the descriptor that carries the notifications. False if it is missing or of the wrong type.
    private func adopt(_ descriptor: BusDescriptor?) -> Bool {
        guard let file = descriptor?.release() else { return false }
        socket = NotificationSocket(over: file, loop: loop) { [unowned self] value, now in
            guard socket != nil else { return }
            perform(machine.received(value, from: nil, objects(), at: now), at: now)
        } ended: { [unowned self] now in
            perform(machine.hungUp(objects(), at: now), at: now)
            happened(.advanced, now)
        }
        return socket != nil
    }

    private func perform(_ actions: [BlueZConnection.Action], at now: Instant) {
        queue.actions += actions
        guard queue.begin() else { return }
        while let action = queue.popFirst() {
            switch action {
            case .call(let call):
                channel.call(call) { [weak self] in
                    self?.answered(call, $0, at: $1)
                    self?.happened(.advanced, $1)
                }
            case .release: socket = nil
            case .connected:
                isConnected = true
                happened(.connected, now)
            case .report(let report): happened(.reported(report), now)
            case .end(let cause): happened(.ended(cause), now)
            }
        }
        queue.end()
    }
}
