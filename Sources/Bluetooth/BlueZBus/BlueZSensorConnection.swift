import Domain
import Linux
import Sensors

/// A connection to a sensor through bluetoothd, on a separate bus connection.
///
/// It performs the actions of its ``BlueZConnection`` and its ``BlueZSensorReader`` until the connection is over. Releasing it earlier makes bluetoothd
/// close the link. Its owner reports each change of the objects, and calls ``tick(at:)`` no later than ``deadline``.
final class BlueZSensorConnection {
    enum Event {
        /// Whether a link to the sensor exists. This overrides the `Connected` property of the object.
        case linked(Bool)
        /// The sensor is connected and its services are resolved, so it can be subscribed to.
        case connected
        case reported(SensorSession.Report)
        /// The connection ended without a call of ``disconnect(at:)``. Only ``isOver`` changes after this.
        case ended(DisconnectCause)
        /// bluetoothd did not reply in time.
        case unanswered
        /// The ``BlueZSensorConnection/deadline`` may have changed.
        case advanced
    }

    private enum Action {
        case connection(BlueZConnection.Action)
        case reader(BlueZSensorReader.Action)
    }

    private var connection: BlueZConnection
    private var reader: BlueZSensorReader
    /// Whether the sensor sends measurements all the time.
    private let isSteady: Bool
    private var queue = ActionQueue<Action>()
    private let channel: BlueZClient
    private let loop: EventLoop
    private let objects: () -> BlueZObjects
    private let happened: (Event, Instant) -> Void
    private var socket: NotificationSocket?
    /// Whether the sensor has reached `connected`.
    private(set) var isConnected = false

    /// - Parameters:
    ///   - device: the object path of the sensor.
    ///   - kinds: the kinds of measurements to subscribe to, the most important one first.
    ///   - isFresh: whether an existing link was just made by our own pairing.
    ///   - objects: returns the current objects of bluetoothd.
    ///   - happened: called from the loop or from the methods below.
    init(
        to device: String, _ kinds: [SensorKind], over channel: BlueZClient, loop: EventLoop, reportsReasons: Bool,
        isFresh: Bool,
        objects: @escaping () -> BlueZObjects, happened: @escaping (Event, Instant) -> Void, at now: Instant
    ) {
        connection = BlueZConnection(
            device: device, subscribingTo: kinds.flatMap(\.characteristics), reportsReasons: reportsReasons,
            isFresh: isFresh, at: now)
        isSteady = kinds.first == .heartRate
        reader = BlueZSensorReader(device: device)
        self.channel = channel
        self.loop = loop
        self.objects = objects
        self.happened = happened
    }

    deinit {
        if !connection.isOver { channel.send(.disconnect(device: connection.device)) }
    }

    var device: String {
        connection.device
    }

    /// Whether bluetoothd has closed the link, so that the next connection may start.
    var isOver: Bool {
        connection.isOver
    }

    /// Whether notifications are enabled.
    var isSubscribed: Bool {
        connection.isSubscribed
    }

    /// Whether the connection is over for its owner, but not closed yet.
    var isLeaving: Bool {
        connection.isLeaving
    }

    var deadline: Instant? {
        [connection.deadline, connection.isSubscribed ? reader.deadline : nil].compactMap { $0 }.min()
    }

    func begin(at now: Instant) {
        perform(connection.begin(objects(), at: now), at: now)
    }

    /// Enables notifications.
    func subscribe(at now: Instant) {
        perform(connection.subscribe(objects(), at: now), at: now)
    }

    /// Enables notifications again.
    func resubscribe(at now: Instant) {
        perform(connection.resubscribe(at: now), at: now)
    }

    /// Starts the offset compensation of a power meter.
    func compensateOffset(at now: Instant) {
        perform(reader.compensateOffset(objects()), at: now)
    }

    /// Disconnects the sensor, or cancels the connection attempt.
    func disconnect(at now: Instant) {
        perform(connection.disconnect(objects(), at: now), at: now)
    }

    /// Advances timers to `now`.
    func tick(at now: Instant) {
        if let deadline = connection.deadline, now >= deadline { perform(connection.tick(objects(), at: now), at: now) }
        if connection.isSubscribed, let deadline = reader.deadline, now >= deadline {
            perform(reader.tick(objects(), at: now), at: now)
        }
    }

    // MARK: Events

    /// Receives a change of the sensor's objects. The `Value` of a new object is cached, so it is ignored.
    func received(_ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        if let part, !isNew, part.interface == .characteristic, let value = part.properties["Value"] {
            guard case .bytes(let bytes) = value else { return }
            perform(connection.received(bytes, from: part.path, objects(), at: now), at: now)
            perform(reader.indicated(bytes, from: part.path, objects()), at: now)
        } else {
            perform(connection.advance(objects(), at: now), at: now)
            if connection.isSubscribed { perform(reader.changed(objects()), at: now) }
        }
    }

    /// Receives bluetoothd's reason for the end of the link.
    func disconnected(_ reason: String, at now: Instant) {
        perform(connection.disconnected(reason, objects(), at: now), at: now)
    }

    private func answered(_ call: BlueZMethodCall, _ result: Result<[BusValue], BlueZError>, at now: Instant) {
        let error: BlueZError? = if case .failure(let error) = result { error } else { nil }
        if error?.meaning == .unanswered, call.isAnsweredByItself {
            return happened(.unanswered, now)
        }
        if case .acquireNotify = call, case .success(let values) = result, !adopt(values.first?.descriptor) {
            return perform(connection.acquiredNothing(objects(), at: now), at: now)
        }
        if reader.compensates(by: call, objects()) {
            return perform(reader.compensated(call, result.map { $0.first?.bytes ?? [] }, objects()), at: now)
        }
        if let isLinked = BlueZConnection.isLinked(after: call, error) { happened(.linked(isLinked), now) }
        perform(connection.answered(call, error, objects(), at: now), at: now)
        perform(reader.answered(call, result.map { $0.first?.bytes ?? [] }, objects(), at: now), at: now)
    }

    /// Takes over the descriptor that carries the notifications. False if it is missing or of the wrong type.
    private func adopt(_ descriptor: BusDescriptor?) -> Bool {
        guard let file = descriptor?.release() else { return false }
        socket = NotificationSocket(over: file, loop: loop) { [unowned self] value, now in
            guard socket != nil else { return }
            perform(connection.received(value, from: nil, objects(), at: now), at: now)
        } ended: { [unowned self] now in
            perform(connection.hungUp(objects(), at: now), at: now)
            happened(.advanced, now)
        }
        return socket != nil
    }

    // MARK: Actions

    private func perform(_ actions: [BlueZConnection.Action], at now: Instant) {
        for action in actions { queue.actions.append(.connection(action)) }
        performActions(at: now)
    }

    private func perform(_ actions: [BlueZSensorReader.Action], at now: Instant) {
        for action in actions { queue.actions.append(.reader(action)) }
        performActions(at: now)
    }

    private func performActions(at now: Instant) {
        guard queue.begin() else { return }
        while let action = queue.popFirst() {
            switch action {
            case .connection(.call(let call)), .reader(.call(let call)):
                channel.call(call) { [weak self] in
                    self?.answered(call, $0, at: $1)
                    self?.happened(.advanced, $1)
                }
            case .connection(.release): socket = nil
            case .connection(.connected):
                isConnected = true
                happened(.connected, now)
                happened(.reported(.found(connection.kinds(objects()))), now)
            case .connection(.subscribed):
                happened(.reported(.subscribed), now)
                if !isSteady { perform(reader.readRest(objects(), at: now), at: now) }
            case .connection(.value(let value, let type)):
                let actions = reader.received(value, of: type, objects(), at: now)
                connection.expectsValues = reader.isInUse
                perform(actions, at: now)
            case .connection(.end(let cause)): happened(.ended(cause), now)
            case .reader(.report(let report)): happened(.reported(report), now)
            }
        }
        queue.end()
    }
}
