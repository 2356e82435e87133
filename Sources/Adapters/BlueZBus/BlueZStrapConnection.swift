import Domain
import Linux
import Sensors

/// A connection to a strap through bluetoothd, on a connection to the bus of its own.
///
/// It carries out what its ``BlueZConnection`` asks for, until it is over or released; released before, it tells bluetoothd to close the
/// link. Its owner tells it whenever the objects have changed, and calls ``tick(_:at:)`` no later than ``deadline``; it has no timer of
/// its own.
final class BlueZStrapConnection {
    enum Event {
        /// There is a link to the strap, or none, whatever its object says.
        case linked(Bool)
        /// The strap is connected, and can be subscribed to.
        case connected
        case reported(HeartRateSession.Report)
        /// The connection ended by itself; only ``isOver`` follows.
        case ended(StrapLink.DisconnectCause)
        /// bluetoothd has not answered.
        case unanswered
        /// Its ``BlueZStrapConnection/deadline`` may be another one.
        case advanced
    }

    private var machine: BlueZConnection
    private let channel: BlueZClient
    private let loop: EventLoop
    private let objects: () -> BlueZObjects
    private let happened: (Event, Instant) -> Void
    private var socket: NotificationSocket?
    /// Whether the strap can be subscribed to, or could be.
    private(set) var isConnected = false

    /// - Parameters:
    ///   - device: the path of the strap's object.
    ///   - isFresh: whether a link that stands was made a moment ago, for us.
    ///   - objects: the objects of bluetoothd as they are now.
    ///   - happened: called from the loop, or from within the methods below.
    init(
        to device: String, over channel: BlueZClient, loop: EventLoop, tellsReasons: Bool, isFresh: Bool,
        objects: @escaping () -> BlueZObjects, happened: @escaping (Event, Instant) -> Void, at now: Instant
    ) {
        machine = BlueZConnection(device: device, tellsReasons: tellsReasons, isFresh: isFresh, at: now)
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

    /// Whether bluetoothd is done with it, so that the next may begin.
    var isOver: Bool {
        machine.isOver
    }

    /// Whether the strap has agreed to notify.
    var isSubscribed: Bool {
        machine.isSubscribed
    }

    /// Whether it has ended for us, and is yet to be closed.
    var isLeaving: Bool {
        machine.isLeaving
    }

    var deadline: Instant? {
        machine.deadline
    }

    func begin(at now: Instant) {
        perform(machine.begin(objects(), at: now), at: now)
    }

    /// Turns notifications on.
    func subscribe(at now: Instant) {
        perform(machine.subscribe(objects(), at: now), at: now)
    }

    /// Turns notifications on once more.
    func resubscribe(at now: Instant) {
        perform(machine.resubscribe(at: now), at: now)
    }

    /// Leaves the strap, or stops waiting for it.
    func disconnect(at now: Instant) {
        perform(machine.disconnect(objects(), at: now), at: now)
    }

    /// Says what time it is.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { perform(machine.tick(objects(), at: now), at: now) }
    }

    // MARK: What happens

    /// Something about the strap's objects has changed. What a new one holds is old, and no measurement.
    func received(_ part: BlueZInterfaceUpdate?, isNew: Bool, at now: Instant) {
        if let part, !isNew, part.interface == .characteristic, let value = part.properties["Value"] {
            guard case .bytes(let bytes) = value else { return }
            perform(machine.received(bytes, from: part.path, objects(), at: now), at: now)
        } else {
            perform(machine.advance(objects(), at: now), at: now)
        }
    }

    /// bluetoothd has said why the link has ended.
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

    /// Takes over what measurements come on; false for what they cannot come on.
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
        for action in actions {
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
            case .end(let loss): happened(.ended(loss), now)
            }
        }
    }
}
