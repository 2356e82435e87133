package import Domain

/// State machine of the connection to one heart-rate strap.
///
///              found                connected              received
///     scanning ──────▶ connecting ───────────▶ subscribing ───────────▶ streaming
///        ▲                 │ late                   │ late                 │ silent, lost
///        │   rest over     ▼                        ▼                      ▼
///        ├───────────── resting ◀───────────────────┴──────────────────────┤
///        │   timeout, run, request; heard after silence: connecting        │ the strap left and was not worn
///        └───────────── sleeping ◀─────────────────────────────────────────┘
///
/// It retries without end: after a loss it rests 0, 0.5, 1, 2, 4, 5, 5 … s while a run is active and up to 30 s while
/// idle. A connected strap that sends no measurement is asked once more to notify, then disconnected and connected
/// again. The wait doubles each time, twice at most: a dry strap finds its first beat after 15 s. A strap that was
/// taken off is left to sleep, which saves its battery.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``, and
/// calls ``tick(at:)`` no later than ``deadline``. ``StrapSelector`` decides which strap to connect.
package struct StrapLink: Sendable {
    package enum Action: Equatable, Sendable {
        /// Search for the strap with the present ``StrapLink/duty``, until ``StrapLink/found(_:at:)`` or
        /// ``StrapLink/expected(_:within:at:)``. It replaces an earlier search.
        case search
        /// Scan with the present ``StrapLink/duty`` without connecting: the strap sleeps.
        case listen
        /// Keep the radio silent until the next ``search`` or ``listen``.
        case stopScan
        /// Connect to the strap; nil is the only strap of a backend without addresses.
        case connect(LEAddress?)
        /// Turn notifications on.
        case subscribe
        /// Repeat the subscription.
        case resubscribe
        /// Close the connection, or stop connecting. The shell does not report it as lost.
        case disconnect
        /// Give the strap wide connection parameters from now on (``StrapSelector/widened(_:)``).
        case widen(LEAddress)
    }

    enum Phase: Equatable, Sendable {
        /// The host prevents a connection.
        case hindered
        case scanning
        /// If the strap was not heard, the connection is pending and ``StrapLink/status`` shows no connection.
        case connecting(until: Instant, isHeard: Bool)
        case subscribing(since: Instant)
        /// The strap has confirmed the subscription; ``StrapLink/status`` still shows connecting.
        case awaiting(since: Instant, isAskedAgain: Bool)
        case streaming(since: Instant, receivedAt: Instant, isAskedAgain: Bool)
        case resting(since: Instant, until: Instant)
        case sleeping(until: Instant, heardAt: Instant)
    }

    /// The time limit for connecting; the kernel's own limit is 40 s.
    package static let connectionLimit = Duration.seconds(45)

    /// The silence after which the subscription is repeated: after subscribing, and in the middle of the stream.
    package static let firstSilence = Duration.seconds(3)
    package static let silenceTimeout = Duration.seconds(5)

    /// The silence after which the link disconnects. After subscribing it doubles with each fruitless connection, up to
    /// four times the value.
    package static let notificationTimeout = Duration.seconds(12)

    /// How long a stream must last to reset the rests.
    package static let stableAfter = Duration.seconds(5)

    /// A sleeping strap that advertises again after this silence was put on.
    package static let sleepSilence = Duration.seconds(20)

    /// How long a strap sleeps if it does not advertise after a silence: after it was worn, and after it was connected
    /// in vain. So a strap that disconnects whenever it is not worn is connected at most three times in ten minutes off
    /// the body, and a strap that never falls silent is not lost.
    package static let firstSleep = Duration.seconds(60)
    package static let laterSleep = Duration.seconds(300)

    /// The rest after a flood, also in a run.
    package static let floodRetryDelay = Duration.seconds(60)

    /// The rests after consecutive losses; the last one repeats.
    package static let activeRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
    ]
    package static let idleRests: [Duration] = [
        .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// Whether the shell can scan for a strap that is not connected; if so, it scans for a sleeping strap.
    package var canListen = false

    /// The faults of the current strap.
    package internal(set) var faults: Set<StrapFault> = []

    var phase: Phase
    var air = ScanDutyPolicy()
    var strap: LEAddress?
    /// The last connected strap, to which the counts below belong.
    var known: LEAddress?
    var reason = LinkReason.searching
    var isActive = false
    /// Losses since the last stable stream.
    var losses = 0
    /// Consecutive connections without a measurement.
    var fruitless = 0
    var hasStreamed = false
    /// When the connection was established.
    var connectedAt: Instant?
    /// When the strap last showed that it was worn.
    var wornAt: Instant?
    /// Consecutive sleeps in which the strap was not worn in between.
    var naps = 0
    /// Connections that lasted ``shortLife``, as those of a strap that does not get its connection parameters.
    var shortLives = 0

    /// Creates a link that searches at the first ``tick(at:)``, which is due at once.
    package init(at now: Instant) {
        phase = .resting(since: now, until: now)
        air.begin(at: now)
    }

    /// Whether the link waits for ``found(_:at:)``.
    package var isScanning: Bool {
        phase == .scanning
    }

    /// The strap that is left alone because it was taken off.
    package var asleep: LEAddress? {
        if case .sleeping = phase { strap } else { nil }
    }

    /// The present scan duty for searching or waiting; nil while the radio must not, or need not, listen.
    package var duty: ScanDutyPolicy.Duty? {
        switch phase {
        case .scanning: air.duty
        case .sleeping: isListening ? air.duty : nil
        case .connecting: air.duty ?? .full
        default: nil
        }
    }

    /// The published link status: connected from the first measurement on.
    package var status: LinkStatus {
        let address = strap?.address
        switch phase {
        case .hindered, .scanning, .resting, .sleeping, .connecting(_, isHeard: false):
            return LinkStatus(.disconnected, reason: reason, address: address)
        case .connecting, .subscribing, .awaiting: return LinkStatus(.connecting, reason: reason, address: address)
        case .streaming: return LinkStatus(.connected, address: address)
        }
    }

    /// The next time to call ``tick(at:)`` if nothing happens before.
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

    /// Advances timers to `now`.
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

    /// Whether to scan for the sleeping strap: only if it was worn before it left, not if it was connected in vain.
    var isListening: Bool {
        canListen && naps == 1
    }

    /// Restarts the search at the next tick, which is due at once.
    mutating func searchAgain(at now: Instant) {
        phase = .resting(since: now, until: now)
    }

    /// The reason for a missing strap: out of range if it has streamed before.
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
