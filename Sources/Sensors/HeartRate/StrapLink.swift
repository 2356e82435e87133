package import Domain

/// The life of the connection to one heart-rate strap.
///
///              found                connected              received
///     scanning ──────▶ connecting ───────────▶ subscribing ───────────▶ streaming
///        ▲                 │ late                   │ late                 │ silent, lost
///        │   rest over     ▼                        ▼                      ▼
///        ├───────────── resting ◀───────────────────┴──────────────────────┤
///        │   slept enough, a run, a wish; heard after silence: connecting  │ the strap left, and was not worn
///        └───────────── sleeping ◀─────────────────────────────────────────┘
///
/// It always comes back: after a loss it rests 0, 0.5, 1, 2, 4, 5, 5 … s while a run is active and up to 30 s while
/// idle, without end. A strap that is connected and gives nothing is asked once more to notify, then left and connected
/// again, each time with twice the patience: a dry strap finds its first beat after 15 s. A strap that was taken off is
/// left to sleep, so that its cell lasts.
///
/// The machine does no input or output. The shell reports what happened with the moment it happened, carries out the
/// returned ``Action``, and calls ``tick(at:)`` no later than ``deadline``. Which strap it is to be is
/// ``StrapSelector``'s business.
package struct StrapLink: Sendable {
    package enum Action: Equatable, Sendable {
        /// Look for the strap with the present ``StrapLink/duty``, until it is ``StrapLink/found(_:at:)`` or
        /// ``StrapLink/expected(_:within:at:)``; whatever looked for it before makes way.
        case search
        /// Hear with the present ``StrapLink/duty`` whether the strap advertises, without connecting: it sleeps.
        case listen
        /// Leave the air alone, until the next ``search`` or ``listen``.
        case stopScan
        /// Connect to the strap; nil is the only one there is, on a way without addresses.
        case connect(LEAddress?)
        /// Turn notifications on.
        case subscribe
        /// Turn notifications on once more.
        case resubscribe
        /// Close the connection, or stop connecting. It is not reported as lost.
        case disconnect
        /// Give the strap wide connection parameters from now on (``StrapSelector/widened(_:)``).
        case widen(LEAddress)
    }

    enum Phase: Equatable, Sendable {
        /// Nothing can be done, for a reason that lies with the host.
        case hindered
        case scanning
        /// A strap that was not heard is merely waited for, and those outside are told of no connection.
        case connecting(until: Instant, isHeard: Bool)
        case subscribing(since: Instant)
        /// Still subscribing to those outside: the strap has agreed to notify and has not yet.
        case awaiting(since: Instant, isAskedAgain: Bool)
        case streaming(since: Instant, receivedAt: Instant, isAskedAgain: Bool)
        case resting(since: Instant, until: Instant)
        case sleeping(until: Instant, heardAt: Instant)
    }

    /// How long connecting may take: the kernel's own limit is 40 s.
    package static let connectionLimit = Duration.seconds(45)

    /// Silence after which notifications are turned on once more, after subscribing and in the middle of the stream.
    package static let firstSilence = Duration.seconds(3)
    package static let silenceTimeout = Duration.seconds(5)

    /// Silence after which the connection is given up. After subscribing it doubles with each fruitless connection,
    /// twice.
    package static let notificationTimeout = Duration.seconds(12)

    /// How long a stream must last for the rests to begin anew.
    package static let stableAfter = Duration.seconds(5)

    /// The silence after which a strap that sleeps and is heard was put on.
    package static let sleepSilence = Duration.seconds(20)

    /// How long a strap sleeps that is not heard so: after it was worn, and after it was connected in vain. A strap
    /// that leaves whenever it is not worn is thus connected at most three times in ten minutes off the body, and one
    /// that never falls silent is not lost.
    package static let firstSleep = Duration.seconds(60)
    package static let laterSleep = Duration.seconds(300)

    /// The rest after a flood, in a run too.
    package static let floodRetryDelay = Duration.seconds(60)

    /// The rests after losses in a row, the last one repeated.
    package static let activeRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
    ]
    package static let idleRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// Whether the shell can hear a strap that it is not connected to: a strap that sleeps is then listened for.
    package var canListen = false

    /// What is wrong with the strap at hand.
    package internal(set) var faults: Set<StrapFault> = []

    var phase: Phase
    var air = ScanDutyPolicy()
    var strap: LEAddress?
    /// The strap that the figures below are of: the one that was connected last.
    var known: LEAddress?
    var reason = LinkReason.searching
    var isActive = false
    /// Losses since the last steady stream.
    var losses = 0
    /// Connections in a row that gave no measurement.
    var fruitless = 0
    var hasStreamed = false
    /// When the connection stood.
    var connectedAt: Instant?
    /// When the strap was last seen to be worn.
    var wornAt: Instant?
    /// Times in a row that the strap fell asleep without having been worn since.
    var naps = 0
    /// Connections that ended as those of a strap end that does not get its parameters.
    var shortLives = 0

    /// The first ``tick(at:)``, which is due at once, begins the search.
    package init(at now: Instant) {
        phase = .resting(since: now, until: now)
        air.begin(at: now)
    }

    /// It waits to be told which strap there is.
    package var isScanning: Bool {
        phase == .scanning
    }

    /// The strap that is left alone because it was taken off.
    package var asleep: LEAddress? {
        if case .sleeping = phase { strap } else { nil }
    }

    /// How the radio may listen now, to look for the strap or to wait for it; nil while it must not, or need not.
    package var duty: ScanDutyPolicy.Duty? {
        switch phase {
        case .scanning: air.duty
        case .sleeping: isListening ? air.duty : nil
        case .connecting: air.duty ?? .full
        default: nil
        }
    }

    /// The link as it is told: connected from the first measurement on.
    package var status: LinkStatus {
        let address = strap?.address
        switch phase {
        case .hindered, .scanning, .resting, .sleeping, .connecting(_, isHeard: false):
            return LinkStatus(.disconnected, reason: reason, address: address)
        case .connecting, .subscribing, .awaiting: return LinkStatus(.connecting, reason: reason, address: address)
        case .streaming: return LinkStatus(.connected, address: address)
        }
    }

    /// When ``tick(at:)`` has something to do, if nothing happens before.
    package var deadline: Instant? {
        switch phase {
        case .hindered: nil
        case .scanning: air.deadline
        case .connecting(let until, _): until
        case .subscribing(let since): since + firstPatience
        case .awaiting(let since, let isAskedAgain): since + (isAskedAgain ? firstPatience : Self.firstSilence)
        case .streaming(_, let receivedAt, let isAskedAgain):
            receivedAt + (isAskedAgain ? Self.notificationTimeout : Self.silenceTimeout)
        case .resting(_, let until): until
        case .sleeping(let until, _): until
        }
    }

    var firstPatience: Duration {
        Self.notificationTimeout * (1 << min(fruitless, 2))
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) -> Action? {
        guard let deadline, now >= deadline else { return nil }
        switch phase {
        case .hindered: return nil
        case .scanning:
            let before = air.duty
            air.tick(at: now)
            if air.duty == before { return nil }
            return air.duty == nil ? .stopScan : .search
        case .connecting(_, let isHeard):
            if isHeard {
                rest(absence, at: now)
            } else {
                searchAgain(at: now)
            }
            return .disconnect
        case .subscribing: break
        case .awaiting(let since, _):
            guard now >= since + firstPatience else {
                phase = .awaiting(since: since, isAskedAgain: true)
                return .resubscribe
            }
        case .streaming(let since, let receivedAt, _):
            guard now >= receivedAt + Self.notificationTimeout else {
                phase = .streaming(since: since, receivedAt: receivedAt, isAskedAgain: true)
                return .resubscribe
            }
        case .resting:
            phase = .scanning
            air.tick(at: now)
            return air.duty == nil ? nil : .search
        case .sleeping:
            resumeSearch(at: now)
            return .stopScan
        }
        rest(.silent, at: now)
        return .disconnect
    }

    /// A strap that was worn is listened for while it sleeps; one that was connected in vain is not.
    var isListening: Bool {
        canListen && naps == 1
    }

    /// Searches from the next tick on, which is due at once.
    mutating func searchAgain(at now: Instant) {
        phase = .resting(since: now, until: now)
    }

    /// Why a strap is not there that was there, or was not.
    var absence: LinkReason {
        hasStreamed ? .outOfRange : .searching
    }

    mutating func rest(_ reason: LinkReason, at now: Instant) {
        switch phase {
        case .subscribing, .awaiting: fruitless += reason == .silent ? 1 : 0
        case .streaming(let since, let receivedAt, _):
            if receivedAt - since >= Self.stableAfter { losses = 0 }
            air.begin(at: now)
        default: break
        }
        self.reason = reason
        phase = .resting(since: now, until: now + rest(after: losses))
        losses += 1
    }

    func rest(after losses: Int) -> Duration {
        let rests = isActive ? Self.activeRests : Self.idleRests
        return rests[min(losses, rests.count - 1)]
    }
}
