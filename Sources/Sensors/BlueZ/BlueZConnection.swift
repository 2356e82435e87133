package import Domain

/// State machine of one connection to a device through bluetoothd, with a subscription to its characteristics of some
/// types. The first one decides about the connection; the others are left out if they cannot be subscribed to.
///
///               disconnected       connected         resolved, with the service       subscribe
///     (closing) ──────▶ connecting ────────▶ resolving ─────────────────▶ resolved ──────────▶ subscribed
///                            │ failed, late       │ late                      │ lost               │ lost, left
///                            ▼                    ▼                           ▼                    ▼
///                          over ◀──────────── leaving ◀───────────────────────┴──────── parting ◀──┘
///
/// A link left behind by another process is used if its services are resolved, else closed first. Values arrive as
/// property changes (StartNotify), or over a file descriptor (AcquireNotify) if that fails. The descriptor would be
/// cheaper, but if the link ends before it is passed on, bluetoothd (up to 5.83 at least) keeps notifications without a
/// receiver and crashes later.
///
/// Source: BlueZ, "gatt-client: avoid UAF after acquire notify failure", https://github.com/bluez/bluez/pull/1383.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s,
/// and calls ``tick(_:at:)`` no later than ``deadline``.
package struct BlueZConnection: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        /// Close the descriptor that carries values.
        case release
        /// The device is connected and ready for ``subscribe(_:at:)``.
        case connected
        /// The device has confirmed the subscription.
        case subscribed
        /// Pass on a notified value of a characteristic.
        case value([UInt8], of: AttributeUUID)
        /// The connection is useless. It may take a moment until ``isOver``.
        case end(DisconnectCause)
    }

    private enum Phase: Equatable, Sendable {
        /// A useless link of another process is being closed.
        case closing(until: Instant)
        /// The limit is nil until Connect is answered.
        case connecting(until: Instant?)
        case resolving(until: Instant)
        case resolved
        case subscribing
        case subscribed
        /// The stream has ended; the end of the link or its reason may follow.
        case parting(until: Instant)
        /// The end is reported; bluetoothd has still to close the link.
        case leaving(until: Instant)
        case over
    }

    /// The time limit for resolving the services: a Polar H10 takes up to 20 s.
    package static let resolutionLimit = Duration.seconds(20)

    /// The time limit for closing a link.
    package static let closingLimit = Duration.seconds(5)

    /// How long the end of a stream waits for the end of the link, and that for its reason.
    package static let partingLimit = Duration.seconds(1)
    package static let reasonLimit = Duration.milliseconds(100)

    /// An unpaired device without a confirmation by then needs pairing: bluetoothd 5.66 asks no agent and never answers.
    package static let agreementLimit = Duration.seconds(8)

    /// A Connect that fails after this time means that the device was not heard: the kernel waits 40 s.
    package static let absence = Duration.seconds(30)

    /// A stream that flowed until this long before the end of the link was cut off (``presumedCause(at:)``).
    package static let abruptness = Duration.seconds(2)

    /// The time limit for a Connect of another client: the kernel's own limit is 40 s.
    package static let connectionLimit = Duration.seconds(45)

    /// The delays before a retry while another operation is under way, and while another client (possibly this daemon's
    /// previous connection) holds the notifications; and the number of retries.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let heldRetryDelay = Duration.milliseconds(100)
    static let retryLimit = 10

    package let device: String
    /// The characteristics to subscribe to, the most important one first.
    private let types: [AttributeUUID]
    /// Whether the device would send more values. If the link ends soon after one, it was cut off.
    package var expectsValues = false
    /// Whether bluetoothd reports why links end: since 5.73.
    private let reportsReasons: Bool
    /// Whether an established link is new and ours.
    private let isFresh: Bool

    private var phase: Phase
    private let begunAt: Instant
    /// The cause of the end, if it was reported.
    private var reason: DisconnectCause?
    /// The type of the first characteristic, and its path.
    private var type: AttributeUUID?
    private var characteristic: String?
    /// The other characteristics, and whether their notifications are enabled.
    private var others: [(path: String, type: AttributeUUID, isNotifying: Bool)] = []
    /// Whether values arrive as property changes.
    private var isNotifying = false
    /// The time limit for the device's confirmation of the subscription.
    private var agreedBy: Instant?
    /// The call to retry; `at` is nil while it is under way.
    private var retry: (call: BlueZMethodCall, at: Instant?, count: Int)?
    private var lastAt: Instant?
    private var limit = RateLimit(perSecond: GattClient.notificationLimit)

    /// Creates a connection; ``begin(_:at:)`` starts it.
    package init(
        device: String, subscribingTo types: [AttributeUUID], reportsReasons: Bool, isFresh: Bool = false,
        at now: Instant
    ) {
        self.device = device
        self.types = types
        self.reportsReasons = reportsReasons
        self.isFresh = isFresh
        begunAt = now
        phase = .connecting(until: nil)
    }

    /// Whether bluetoothd has finished, so that another connection may begin.
    package var isOver: Bool {
        phase == .over
    }

    /// Whether the device has confirmed the subscription.
    package var isSubscribed: Bool { phase == .subscribed }

    /// Whether the end is reported and bluetoothd has still to close the link.
    package var isLeaving: Bool {
        if case .leaving = phase { true } else { false }
    }

    /// The next time to call ``tick(_:at:)`` if nothing happens before.
    package var deadline: Instant? {
        let late: Instant? =
            switch phase {
            case .connecting(let until): until
            case .subscribing: agreedBy
            case .closing(let until), .resolving(let until), .parting(let until), .leaving(let until): until
            default: nil
            }
        return [late, retry?.at].compactMap { $0 }.min()
    }

    /// The kinds of measurements that the device has, of those to subscribe to.
    package func kinds(_ objects: BlueZObjects) -> Set<SensorKind> {
        Set(types.filter { objects.characteristic($0, of: device) != nil }.compactMap(SensorKind.init(characteristic:)))
    }

    // MARK: Connecting and subscribing

    package mutating func begin(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard let device = objects.device(at: self.device), device.isConnected else { return connect() }
        if device.isResolved || isFresh {
            phase = .resolving(until: now + Self.resolutionLimit)
            return advance(objects, at: now)
        }
        phase = .closing(until: now + Self.closingLimit)
        return [.call(.disconnect(device: self.device))]
    }

    private mutating func connect() -> [Action] {
        phase = .connecting(until: nil)
        return [.call(.connect(device: device))]
    }

    /// Subscribes to the characteristics of a device whose services are resolved.
    package mutating func subscribe(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .resolved else { return [] }
        let found = types.compactMap { type in objects.characteristic(type, of: device).map { ($0, type) } }
        guard let (path, type) = found.first else { return [] }
        phase = .subscribing
        agreedBy = now + Self.agreementLimit
        characteristic = path
        self.type = type
        others = found.dropFirst().map { ($0, $1, false) }
        return [.call(.startNotify(characteristic: path))]
    }

    /// Repeats the subscriptions, because some devices forget them.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        guard phase == .subscribed, let characteristic else { return [] }
        let repetitions = others.filter(\.isNotifying).map { Action.call(.stopNotify(characteristic: $0.path)) }
        if isNotifying { return [.call(.stopNotify(characteristic: characteristic))] + repetitions }
        return [.release, .call(.acquireNotify(characteristic: characteristic))] + repetitions
    }

    /// Subscribes to the next one of ``others``.
    private mutating func subscribeNext(after path: String) -> [Action] {
        let index = others.firstIndex { $0.path == path }.map { $0 + 1 } ?? 0
        return others.dropFirst(index).first.map { [.call(.startNotify(characteristic: $0.path))] } ?? []
    }

    /// Reacts to a change of the objects.
    package mutating func advance(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        let device = objects.device(at: self.device)
        let isConnected = device?.isConnected ?? false
        switch phase {
        case .closing where !isConnected: return connect()
        case .connecting:
            if device == nil { return end(.unreachable, objects, at: now) }
            guard isConnected else { return [] }
            phase = .resolving(until: now + Self.resolutionLimit)
            return advance(objects, at: now)
        case .resolving:
            if !isConnected { return end(.unreachable, objects, at: now) }
            guard device?.isResolved ?? false,
                types.contains(where: { objects.characteristic($0, of: self.device) != nil })
            else { return [] }
            phase = .resolved
            return [.connected]
        case .resolved, .subscribing, .subscribed:
            if isConnected { return [] }
            guard reportsReasons, reason == nil else { return end(reason ?? presumedCause(at: now), objects, at: now) }
            phase = .parting(until: now + Self.reasonLimit)
        case .parting(let until) where !isConnected:
            guard reportsReasons, reason == nil else { return end(reason ?? presumedCause(at: now), objects, at: now) }
            phase = .parting(until: min(until, now + Self.reasonLimit))
        case .leaving where !isConnected: phase = .over
        default: break
        }
        return []
    }

    /// Advances timers to `now`.
    package mutating func tick(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        if let again = retry, let at = again.at, now >= at {
            retry?.at = nil
            return [.call(again.call)]
        }
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .connecting: return end(.unreachable, objects, at: now)
        case .closing: return end(.attTimeout, objects, at: now)
        case .subscribing:
            agreedBy = nil
            return objects.device(at: device)?.isPaired ?? true ? [] : end(.pairingNeeded, objects, at: now)
        case .resolving:
            let isResolved = objects.device(at: device)?.isResolved ?? false
            return end(isResolved ? .unsupported : .attTimeout, objects, at: now)
        case .parting: return end(reason ?? presumedCause(at: now), objects, at: now)
        case .leaving:
            phase = .over
            return []
        default: return []
        }
    }

    // MARK: Replies and values

    /// Whether the device has a link after the reply to a call. Nil if the reply does not show it. BlueZ 5.66 omits the
    /// signal Connected=true if its channel to the device opens before it reads the kernel's event for the link.
    package static func isLinked(after call: BlueZMethodCall, _ error: BlueZError?) -> Bool? {
        switch (call, error?.meaning) {
        case (.connect, nil): true
        case (.disconnect, nil), (.disconnect, .disconnected): false
        default: nil
        }
    }

    /// Receives the reply to a call, with its error if it failed.
    package mutating func answered(
        _ call: BlueZMethodCall, _ error: BlueZError?, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        switch call {
        case .connect: return connectAnswered(error, objects, at: now)
        case .disconnect:
            // Without a link there is nothing to wait for.
            if objects.device(at: device)?.isConnected ?? false { return [] }
            if case .closing = phase { return connect() }
            if case .leaving = phase { phase = .over }
            return []
        case .acquireNotify(let path), .startNotify(let path):
            return subscriptionAnswered(call, path, error, objects, at: now)
        case .stopNotify(let path): return [.call(.startNotify(characteristic: path))]
        default: return []
        }
    }

    private mutating func connectAnswered(
        _ error: BlueZError?, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        guard case .connecting = phase else { return [] }
        switch error?.meaning {
        case nil, .done:
            // The signal for the property may follow.
            phase = .connecting(until: now + Self.closingLimit)
            return advance(objects, at: now)
        case .underWay:
            phase = .connecting(until: now + Self.connectionLimit)
            return []
        case .wrongBearer: return end(.unsupported, objects, at: now)
        case .adapterFull: return end(.adapterFull, objects, at: now)
        case .pairingNeeded, .refused: return end(.pairingNeeded, objects, at: now)
        case .unanswered: return end(.notFound, objects, at: now)
        default: return end(now - begunAt >= Self.absence ? .notFound : .unreachable, objects, at: now)
        }
    }

    private mutating func subscriptionAnswered(
        _ call: BlueZMethodCall, _ path: String, _ error: BlueZError?, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        guard phase == .subscribing || phase == .subscribed else { return [] }
        let isFirst = phase == .subscribing
        guard let error else {
            retry = nil
            if let index = others.firstIndex(where: { $0.path == path }) {
                if others[index].isNotifying { return [] }
                others[index].isNotifying = true
                return subscribeNext(after: path)
            }
            phase = .subscribed
            if case .startNotify = call { isNotifying = true }
            return isFirst ? [.subscribed] + subscribeNext(after: path) : []
        }
        switch error.meaning {
        case .underWay, .held:
            let count = (retry?.count ?? 0) + 1
            guard count > Self.retryLimit else {
                retry = (call, now + (error.meaning == .held ? Self.heldRetryDelay : Self.busyRetryDelay), count)
                return []
            }
            retry = nil
        case .pairingNeeded: return end(.pairingNeeded, objects, at: now)
        case .disconnected, .vanished: return []  // the signal for the object follows
        case .unanswered: return end(.attTimeout, objects, at: now)
        default: retry = nil
        }
        if others.contains(where: { $0.path == path }) { return subscribeNext(after: path) }
        if !isFirst { return [] }
        if error.meaning == .held { return end(.inUse, objects, at: now) }
        if case .startNotify = call { return [.call(.acquireNotify(characteristic: path))] }
        return end(.unsupported, objects, at: now)
    }

    /// Ends the connection: the acquired descriptor cannot carry values.
    package mutating func acquiredNothing(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        phase == .subscribing || phase == .subscribed ? end(.unsupported, objects, at: now) : []
    }

    /// Receives a notified value, from the object at `path` or, if nil, from the descriptor.
    package mutating func received(
        _ value: [UInt8], from path: String?, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        guard let type = type(of: path), phase == .subscribing || phase == .subscribed else { return [] }
        guard limit.allows(now) else { return end(.flooded, objects, at: now) }
        guard value.count <= GattClient.mtuLimit else { return [] }
        lastAt = now
        return [.value(value, of: type)]
    }

    /// The type of the characteristic at a path whose notifications are enabled; nil is that of the descriptor.
    private func type(of path: String?) -> AttributeUUID? {
        guard let path, path != characteristic else { return path == nil || isNotifying ? type : nil }
        return others.first { $0.path == path && $0.isNotifying }?.type
    }

    // MARK: The end

    /// Records that the peer closed the descriptor.
    package mutating func hungUp(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .subscribing || phase == .subscribed else { return [] }
        phase = .parting(until: now + Self.partingLimit)
        return [.release] + advance(objects, at: now)
    }

    /// Receives bluetoothd's reason for the end of the link.
    ///
    /// Source: BlueZ 5.82, doc/org.bluez.Device.rst.
    package mutating func disconnected(_ reason: String, _ objects: BlueZObjects, at now: Instant) -> [Action] {
        self.reason =
            switch reason {
            case "org.bluez.Reason.Timeout": .supervisionTimeout
            case "org.bluez.Reason.Remote": .remoteTerminated
            case "org.bluez.Reason.Authentication": .pairingNeeded
            default: .ended
            }
        return advance(objects, at: now)
    }

    /// Disconnects the device, or stops waiting for it, without an ``Action/end(_:)``.
    package mutating func disconnect(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        end(.ended, objects, at: now).filter { if case .end = $0 { false } else { true } }
    }

    /// The presumed cause of the end of a link if bluetoothd does not report it, as before 5.73.
    ///
    /// A device that is taken off or switched off, or rejects the connection parameters, terminates the link itself. A
    /// stream that flowed until ``abruptness`` before the end was cut off by the supervision timeout.
    private func presumedCause(at now: Instant) -> DisconnectCause {
        guard let lastAt else { return .ended }
        return expectsValues && now - lastAt <= Self.abruptness ? .supervisionTimeout : .remoteTerminated
    }

    private mutating func end(_ cause: DisconnectCause, _ objects: BlueZObjects, at now: Instant) -> [Action] {
        let isConnected = objects.device(at: device)?.isConnected ?? false
        let wasConnecting: Bool
        switch phase {
        case .leaving, .over: return []
        case .connecting: wasConnecting = true
        default: wasConnecting = false
        }
        retry = nil
        let release: [Action] = characteristic == nil ? [] : [.release]
        // A Connect without a reply may still succeed.
        guard isConnected || wasConnecting, objects.device(at: device) != nil else {
            phase = .over
            return release + [.end(cause)]
        }
        phase = .leaving(until: now + Self.closingLimit)
        return release + [.call(.disconnect(device: device)), .end(cause)]
    }
}
