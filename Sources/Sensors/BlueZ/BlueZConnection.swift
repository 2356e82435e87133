package import Domain

/// State machine of one connection to a heart-rate strap through bluetoothd.
///
///               disconnected       connected         resolved, with heart rate       subscribe
///     (closing) ──────▶ connecting ────────▶ resolving ─────────────────▶ resolved ──────────▶ subscribed
///                            │ failed, late       │ late                      │ lost               │ lost, left
///                            ▼                    ▼                           ▼                    ▼
///                          over ◀──────────── leaving ◀───────────────────────┴──────── parting ◀──┘
///
/// A link left behind by another process is used if its services are resolved, else closed first. Measurements
/// arrive as property changes (StartNotify), or over a file descriptor (AcquireNotify) if that fails. The descriptor
/// would be cheaper, but if the link ends before it is passed on, bluetoothd (up to 5.83 at least) keeps notifications
/// without a receiver and crashes later. After the first measurement the battery and the device information are read,
/// one after the other, and the battery again every 10 minutes unless bluetoothd reports it. If those reads fail, heart
/// rate continues.
///
/// Source: BlueZ, "gatt-client: avoid UAF after acquire notify failure", https://github.com/bluez/bluez/pull/1383.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s,
/// and calls ``tick(_:at:)`` no later than ``deadline``.
package struct BlueZConnection: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        /// Close the descriptor that carries measurements.
        case release
        /// The strap is connected and ready for ``subscribe(_:at:)``.
        case connected
        case report(HeartRateSession.Report)
        /// The connection is useless. It may take a moment until ``isOver``.
        case end(StrapLink.DisconnectCause)
    }

    enum Phase: Equatable, Sendable {
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

    /// An unpaired strap without a confirmation by then needs pairing: bluetoothd 5.66 asks no agent and never answers.
    package static let agreementLimit = Duration.seconds(8)

    /// A Connect that fails after this time means that the strap was not heard: the kernel waits 40 s.
    package static let absence = Duration.seconds(30)

    /// A worn strap whose stream flowed until this long before the end of the link was cut off (``presumedLoss(at:)``).
    package static let abruptness = Duration.seconds(2)

    /// The delays before a retry while another operation is under way, and while another client (possibly this daemon's
    /// previous connection) holds the notifications; and the number of retries.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let heldRetryDelay = Duration.milliseconds(100)
    static let retryLimit = 10

    package let device: String
    /// Whether bluetoothd reports why links end: since 5.73.
    let reportsReasons: Bool
    /// Whether an established link is new and ours.
    private let isFresh: Bool

    var phase: Phase
    private let begunAt: Instant
    /// The cause of the end, if it was reported.
    var reason: StrapLink.DisconnectCause?
    /// The path of the measurement characteristic.
    var measurements: String?
    /// Whether measurements arrive as property changes.
    private var isNotifying = false
    /// The time limit for the strap's confirmation of the subscription.
    private var agreedBy: Instant?
    /// The call to retry; `at` is nil while it is under way.
    var retry: (call: BlueZMethodCall, at: Instant?, count: Int)?
    var lastAt: Instant?
    var isWorn = false
    private var limit = RateLimit(perSecond: GattClient.notificationLimit)
    private var reading = BlueZAttributeReader()

    /// Creates a connection; ``begin(_:at:)`` starts it.
    package init(device: String, reportsReasons: Bool, isFresh: Bool = false, at now: Instant) {
        self.device = device
        self.reportsReasons = reportsReasons
        self.isFresh = isFresh
        begunAt = now
        phase = .connecting(until: nil)
    }

    /// Whether bluetoothd has finished, so that another connection may begin.
    package var isOver: Bool {
        phase == .over
    }

    /// Whether the strap has confirmed the subscription.
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
        return [late, retry?.at, phase == .subscribed ? reading.deadline : nil].compactMap { $0 }.min()
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

    /// Subscribes to the measurements of a strap whose services are resolved.
    package mutating func subscribe(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .resolved, let path = objects.characteristic(.heartRateMeasurement, of: device) else {
            return []
        }
        phase = .subscribing
        agreedBy = now + Self.agreementLimit
        measurements = path
        return [.call(.startNotify(characteristic: path))]
    }

    /// Repeats the subscription, because some straps forget it.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        guard phase == .subscribed, let measurements else { return [] }
        if isNotifying { return [.call(.stopNotify(characteristic: measurements))] }
        return [.release, .call(.acquireNotify(characteristic: measurements))]
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
                objects.characteristic(.heartRateMeasurement, of: self.device) != nil
            else { return [] }
            phase = .resolved
            return [.connected]
        case .resolved, .subscribing, .subscribed:
            if isConnected { return phase == .subscribed ? reading.received(device?.battery) : [] }
            guard reportsReasons, reason == nil else { return end(reason ?? presumedLoss(at: now), objects, at: now) }
            phase = .parting(until: now + Self.reasonLimit)
        case .parting(let until) where !isConnected:
            guard reportsReasons, reason == nil else { return end(reason ?? presumedLoss(at: now), objects, at: now) }
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
        case .parting: return end(reason ?? presumedLoss(at: now), objects, at: now)
        case .leaving:
            phase = .over
            return []
        default: return reading.tick(objects, device: device, at: now)
        }
    }

    // MARK: Replies and values

    /// Whether the device has a link after the reply to a call. Nil if the reply does not show it. BlueZ 5.66 omits the
    /// signal Connected=true if its channel to the strap opens before it reads the kernel's event for the link.
    package static func isLinked(after call: BlueZMethodCall, _ error: BlueZError?) -> Bool? {
        switch (call, error?.meaning) {
        case (.connect, nil): true
        case (.disconnect, nil), (.disconnect, .disconnected): false
        default: nil
        }
    }

    /// Receives the reply to a call: a value (empty for most calls) or an error.
    package mutating func answered(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError>, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        let error: BlueZError? = if case .failure(let error) = result { error } else { nil }
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
        case .read: return reading.answered(call, result, objects, device: device, at: now)
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
            phase = .connecting(until: now + StrapLink.connectionLimit)
            return []
        case .wrongBearer: return end(.unsupported, objects, at: now)
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
            phase = .subscribed
            if case .startNotify = call { isNotifying = true }
            return isFirst ? [.report(.subscribed)] : []
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
        if !isFirst { return [] }
        if error.meaning == .held { return end(.inUse, objects, at: now) }
        if case .startNotify = call { return [.call(.acquireNotify(characteristic: path))] }
        return end(.unsupported, objects, at: now)
    }

    /// Ends the connection: the acquired descriptor cannot carry measurements.
    package mutating func acquiredNothing(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        phase == .subscribing || phase == .subscribed ? end(.unsupported, objects, at: now) : []
    }

    /// Receives a notified value, from the object at `path` or, if nil, from the descriptor.
    package mutating func received(
        _ value: [UInt8], from path: String?, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        if let path, !isNotifying || path != measurements { return [] }
        guard phase == .subscribing || phase == .subscribed else { return [] }
        guard limit.allows(now) else { return end(.flooded, objects, at: now) }
        guard value.count <= GattClient.mtuLimit, let measurement = try? HeartRateMeasurement(value.span) else {
            return []
        }
        let isFirst = lastAt == nil
        lastAt = now
        isWorn = measurement.isSignOfWearing
        let report = Action.report(.measured(measurement))
        return isFirst ? [report] + reading.begin(objects, device: device, at: now) : [report]
    }
}
