package import Domain

/// The life of the connection to one heart-rate strap.
///
///              found                connected              received
///     scanning ──────▶ connecting ───────────▶ subscribing ───────────▶ streaming
///        ▲                 │ late                   │ late                 │ silent
///        │   rest over     ▼                        ▼                      ▼
///        └───────────── resting ◀───────────────────┴──────────────────────┘
///
/// It always comes back: after a loss it rests 0, 0.5, 1, 2, 4, 5, 5 … s while a run is active and up to 30 s while idle, without
/// end. A strap that is connected and gives nothing is asked once more to notify, then left and connected again, each time with
/// twice the patience: a dry strap finds its first beat after 15 s.
///
/// The machine does no input or output. The shell reports what happened with the moment it happened, carries out the
/// returned ``Action``, and calls ``tick(at:)`` no later than ``deadline``.
package struct StrapLink: Sendable {
    package enum Action: Equatable, Sendable {
        /// Look for the strap, until ``StrapLink/found(_:at:)``.
        case search
        /// Connect to the strap; nil is the only one there is, on a way without addresses.
        case connect(DeviceAddress?)
        /// Turn notifications on.
        case subscribe
        /// Turn notifications on once more.
        case resubscribe
        /// Close the connection, or stop connecting. It is not reported as lost.
        case disconnect
    }

    /// How a connection ended by itself.
    package enum Loss: Equatable, Sendable {
        /// It could not be made.
        case unreachable
        /// The strap or the air ended it.
        case ended
        /// What must be answered was not.
        case unanswered
        /// There is no heart rate to be had, or the answers were nonsense.
        case useless
        /// The strap gives heart rate only to those that are paired with it.
        case pairingNeeded
        /// The strap said far more than a strap says.
        case flooded
    }

    private enum Phase: Equatable, Sendable {
        case scanning
        case connecting(since: Instant)
        case subscribing(since: Instant)
        /// Still subscribing to those outside: the strap has agreed to notify and has not yet.
        case awaiting(since: Instant, isAskedAgain: Bool)
        case streaming(since: Instant, receivedAt: Instant, isAskedAgain: Bool)
        case resting(since: Instant, until: Instant)
    }

    /// How long connecting may take: the kernel's own limit is 40 s.
    package static let connectionLimit = Duration.seconds(45)

    /// Silence after which notifications are turned on once more, after subscribing and in the middle of the stream.
    package static let firstSilence = Duration.seconds(3)
    package static let silence = Duration.seconds(5)

    /// Silence after which the connection is given up. After subscribing it doubles with each fruitless connection, twice.
    package static let patience = Duration.seconds(12)

    /// How long a stream must last for the rests to begin anew.
    package static let steadiness = Duration.seconds(5)

    /// The rest after a flood, in a run too.
    package static let floodRest = Duration.seconds(60)

    /// The rests after losses in a row, the last one repeated.
    package static let activeRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
    ]
    package static let idleRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    private var phase = Phase.scanning
    private var strap: DeviceAddress?
    private var reason = LinkReason.searching
    private var isActive = false
    /// Losses since the last steady stream.
    private var losses = 0
    /// Connections in a row that gave no measurement.
    private var fruitless = 0
    private var hasStreamed = false

    package init() {}

    package var isScanning: Bool {
        phase == .scanning
    }

    /// The link as it is told: connected from the first measurement on.
    package var status: LinkStatus {
        switch phase {
        case .scanning, .resting: LinkStatus(.disconnected, reason: reason, address: strap)
        case .connecting, .subscribing, .awaiting: LinkStatus(.connecting, reason: reason, address: strap)
        case .streaming: LinkStatus(.connected, address: strap)
        }
    }

    /// When ``tick(at:)`` has something to do, if nothing happens before.
    package var deadline: Instant? {
        switch phase {
        case .scanning: nil
        case .connecting(let since): since + Self.connectionLimit
        case .subscribing(let since): since + firstPatience
        case .awaiting(let since, let isAskedAgain): since + (isAskedAgain ? firstPatience : Self.firstSilence)
        case .streaming(_, let receivedAt, let isAskedAgain):
            receivedAt + (isAskedAgain ? Self.patience : Self.silence)
        case .resting(_, let until): until
        }
    }

    /// The strap is there.
    package mutating func found(_ strap: DeviceAddress?, at now: Instant) -> Action? {
        guard case .scanning = phase else { return nil }
        self.strap = strap
        phase = .connecting(since: now)
        return .connect(strap)
    }

    /// The connection stands.
    package mutating func connected(at now: Instant) -> Action? {
        guard case .connecting = phase else { return nil }
        phase = .subscribing(since: now)
        return .subscribe
    }

    /// The strap has agreed to notify. Its patience begins: on a slow link it took seconds to get here.
    package mutating func subscribed(at now: Instant) {
        guard case .subscribing = phase else { return }
        phase = .awaiting(since: now, isAskedAgain: false)
    }

    /// A measurement came.
    package mutating func received(at now: Instant) {
        switch phase {
        case .subscribing, .awaiting:
            fruitless = 0
            hasStreamed = true
            phase = .streaming(since: now, receivedAt: now, isAskedAgain: false)
        case .streaming(let since, _, _): phase = .streaming(since: since, receivedAt: now, isAskedAgain: false)
        default: break
        }
    }

    /// The connection ended by itself, or could not be made.
    package mutating func lost(_ loss: Loss, at now: Instant) {
        switch loss {
        case .unreachable, .ended: rest(hasStreamed ? .outOfRange : .searching, at: now)
        case .unanswered, .useless: rest(.silent, at: now)
        case .pairingNeeded: rest(.needsPairing, at: now)
        case .flooded:
            rest(.resting, at: now)
            phase = .resting(since: now, until: now + Self.floodRest)
        }
    }

    /// A run has begun, or ended. A rest that would be shorter now is shortened.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        self.isActive = isActive
        guard case .resting(let since, let until) = phase, reason != .resting else { return }
        phase = .resting(since: since, until: min(until, since + rest(after: losses - 1)))
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) -> Action? {
        guard let deadline, now >= deadline else { return nil }
        switch phase {
        case .scanning: return nil
        case .connecting:
            rest(hasStreamed ? .outOfRange : .searching, at: now)
            return .disconnect
        case .subscribing: break
        case .awaiting(let since, _):
            guard now >= since + firstPatience else {
                phase = .awaiting(since: since, isAskedAgain: true)
                return .resubscribe
            }
        case .streaming(let since, let receivedAt, _):
            guard now >= receivedAt + Self.patience else {
                phase = .streaming(since: since, receivedAt: receivedAt, isAskedAgain: true)
                return .resubscribe
            }
        case .resting:
            phase = .scanning
            return .search
        }
        rest(.silent, at: now)
        return .disconnect
    }

    private var firstPatience: Duration {
        Self.patience * (1 << min(fruitless, 2))
    }

    private mutating func rest(_ reason: LinkReason, at now: Instant) {
        switch phase {
        case .subscribing, .awaiting: fruitless += reason == .silent ? 1 : 0
        case .streaming(let since, let receivedAt, _) where receivedAt - since >= Self.steadiness: losses = 0
        default: break
        }
        self.reason = reason
        phase = .resting(since: now, until: now + rest(after: losses))
        losses += 1
    }

    private func rest(after losses: Int) -> Duration {
        let rests = isActive ? Self.activeRests : Self.idleRests
        return rests[min(losses, rests.count - 1)]
    }
}
