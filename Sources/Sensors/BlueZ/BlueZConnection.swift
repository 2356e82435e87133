package import Domain

/// One connection to a heart-rate strap through bluetoothd: what is asked of it, in which order, and what it says.
///
///                 begun            connected          there, with heart rate        subscribed
///     (closing) ──────▶ connecting ────────▶ resolving ─────────────────▶ resolved ──────────▶ subscribed
///                            │ failed, late       │ late                      │ lost               │ lost, left
///                            ▼                    ▼                           ▼                    ▼
///                          over ◀──────────── leaving ◀───────────────────────┴──────── parting ◀──┘
///
/// A link that somebody has left behind is used as it is when its services are known, else closed first. Measurements
/// come as changes of a property (StartNotify), else over a descriptor of their own (AcquireNotify). The descriptor
/// would be cheaper, but a link that ends before it is handed over leaves bluetoothd, up to 5.83 at least, with
/// notifications that it gives to nobody, and over which it falls later. Once the first has come, and only then, the
/// battery and what the strap says of itself are read, one thing after the other, and the battery again every 10
/// minutes, where bluetoothd does not tell of it by itself. Those may fail: heart rate goes on.
///
/// Source: BlueZ, "gatt-client: avoid UAF after acquire notify failure", https://github.com/bluez/bluez/pull/1383.
///
/// The machine does no input or output. The shell reports what happened with the moment it happened, carries out the
/// returned ``Action``s, and calls ``tick(objects:at:)`` no later than ``deadline``.
package struct BlueZConnection: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        /// Close the descriptor over which measurements come.
        case release
        /// The strap is connected, and can be subscribed to.
        case connected
        case report(HeartRateSession.Report)
        /// The connection is no use any more. It may take a moment until it is over.
        case end(StrapLink.DisconnectCause)
    }

    enum Phase: Equatable, Sendable {
        /// A link that was left behind, and is no use, is being closed.
        case closing(until: Instant)
        /// With a limit once Connect was answered.
        case connecting(until: Instant?)
        case resolving(until: Instant)
        case resolved
        case subscribing
        case subscribed
        /// The stream has ended: the reason may follow, or only the stream has.
        case parting(until: Instant)
        /// It was told that it has ended; bluetoothd has still to be done with it.
        case leaving(until: Instant)
        case over
    }

    /// How long bluetoothd may take to find out what the strap has: a Polar H10 takes up to 20 s.
    package static let resolutionLimit = Duration.seconds(20)

    /// How long bluetoothd may take to close a link.
    package static let closingLimit = Duration.seconds(5)

    /// How long the end of a stream waits for the end of the link, and that for the reason.
    package static let partingLimit = Duration.seconds(1)
    package static let reasonLimit = Duration.milliseconds(100)

    /// A strap that has not agreed to notify by then, and is not paired, waits for that: bluetoothd 5.66 asks nobody, and does not answer.
    package static let agreementLimit = Duration.seconds(8)

    /// A failure to connect after so long is that of a strap that was not heard: the kernel waits 40 s.
    package static let absence = Duration.seconds(30)

    /// A stream that flowed until so long before its end, from a strap that was worn, was cut by the air (``DisconnectCause`` tells why).
    package static let abruptness = Duration.seconds(2)

    /// The rests before something is tried again while another operation is under way, and while somebody has the notifications, who may
    /// be we ourselves a moment ago; and how often.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let heldRetryDelay = Duration.milliseconds(100)
    static let retryLimit = 10

    package let device: String
    /// Whether bluetoothd says why links end: since 5.73.
    let tellsReasons: Bool
    /// Whether a link that stands was made a moment ago, for us.
    private let isFresh: Bool

    var phase: Phase
    private let begunAt: Instant
    /// Why it ended, as far as it was told.
    var reason: StrapLink.DisconnectCause?
    /// Where measurements come from.
    var measurements: String?
    /// Whether they come as changes of a property.
    private var isNotifying = false
    /// When a strap that is asked to notify will not agree any more.
    private var agreedBy: Instant?
    /// What is tried again; without a moment while it is under way.
    var retry: (call: BlueZMethodCall, at: Instant?, count: Int)?
    var lastAt: Instant?
    var isWorn = false
    private var limit = RateLimit(perSecond: GattClient.notificationLimit)
    private var reading = BlueZAttributeReader()

    /// Begins.
    package init(device: String, tellsReasons: Bool, isFresh: Bool = false, at now: Instant) {
        self.device = device
        self.tellsReasons = tellsReasons
        self.isFresh = isFresh
        begunAt = now
        phase = .connecting(until: nil)
    }

    /// Whether bluetoothd is done with it, so that the next may begin.
    package var isOver: Bool {
        phase == .over
    }

    /// Whether the strap has agreed to notify.
    package var isSubscribed: Bool { phase == .subscribed }

    /// Whether it was told that it has ended, and bluetoothd has still to be done with it.
    package var isLeaving: Bool {
        if case .leaving = phase { true } else { false }
    }

    /// When ``tick(objects:at:)`` has something to do, if nothing happens before.
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

    // MARK: On the way to the stream

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

    /// Turns notifications on: the strap is connected.
    package mutating func subscribe(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .resolved, let path = objects.characteristic(.heartRateMeasurement, of: device) else {
            return []
        }
        phase = .subscribing
        agreedBy = now + Self.agreementLimit
        measurements = path
        return [.call(.startNotify(characteristic: path))]
    }

    /// Turns notifications on once more: some straps forget.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        guard phase == .subscribed, let measurements else { return [] }
        if isNotifying { return [.call(.stopNotify(characteristic: measurements))] }
        return [.release, .call(.acquireNotify(characteristic: measurements))]
    }

    /// The objects have changed.
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
            guard tellsReasons, reason == nil else { return end(reason ?? presumedLoss(at: now), objects, at: now) }
            phase = .parting(until: now + Self.reasonLimit)
        case .parting(let until) where !isConnected:
            guard tellsReasons, reason == nil else { return end(reason ?? presumedLoss(at: now), objects, at: now) }
            phase = .parting(until: min(until, now + Self.reasonLimit))
        case .leaving where !isConnected: phase = .over
        default: break
        }
        return []
    }

    /// Says what time it is.
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

    // MARK: What comes

    /// Whether there is a link after a call was answered; nil when the answer does not say. BlueZ 5.66 does not always tell Connected=true
    /// of the object: not when its channel to the strap stands before it has read the kernel's word that the link does.
    package static func isLinked(after call: BlueZMethodCall, _ error: BlueZError?) -> Bool? {
        switch (call, error?.meaning) {
        case (.connect, nil): true
        case (.disconnect, nil), (.disconnect, .disconnected): false
        default: nil
        }
    }

    /// A call was answered: with a value, where there is one, or an error.
    package mutating func answered(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError>, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        let error: BlueZError? = if case .failure(let error) = result { error } else { nil }
        switch call {
        case .connect: return connectAnswered(error, objects, at: now)
        case .disconnect:
            // Where there is no link, there is nothing to wait for.
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
            // The property's change may still come.
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
        case .disconnected, .vanished: return []  // the object's own change follows
        case .unanswered: return end(.attTimeout, objects, at: now)
        default: retry = nil
        }
        if !isFirst { return [] }
        if error.meaning == .held { return end(.inUse, objects, at: now) }
        if case .startNotify = call { return [.call(.acquireNotify(characteristic: path))] }
        return end(.unsupported, objects, at: now)
    }

    /// The descriptor that came is none over which measurements could.
    package mutating func acquiredNothing(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        phase == .subscribing || phase == .subscribed ? end(.unsupported, objects, at: now) : []
    }

    /// A value was notified: by the descriptor, or as the change of a property, with its object's path.
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
