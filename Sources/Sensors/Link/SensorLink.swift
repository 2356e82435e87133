package import Domain

/// State machine of the connection to one sensor.
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
/// idle. A connected sensor that sends no measurement is asked once more to notify, then disconnected and connected
/// again. The wait doubles each time, twice at most: a dry strap finds its first beat after 15 s. A strap that was
/// taken off is left to sleep, which saves its battery. ``Policy`` has what differs for other sensors.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s, and
/// calls ``tick(at:)`` no later than ``deadline``. ``SensorDriver`` decides which sensor to connect.
package struct SensorLink: Sendable {
    package enum Action: Equatable, Sendable {
        /// Search for the sensor with the present ``SensorLink/duty``, until ``SensorLink/found(_:at:)`` or
        /// ``SensorLink/expected(_:within:at:)``. It replaces an earlier search.
        case search
        /// Scan with the present ``SensorLink/duty`` without connecting: the sensor sleeps.
        case listen
        /// Keep the radio silent until the next ``search`` or ``listen``.
        case stopScan
        /// Connect to the sensor; nil is the only sensor of a backend without addresses.
        case connect(LEAddress?)
        /// Turn notifications on.
        case subscribe
        /// Repeat the subscription.
        case resubscribe
        /// Close the connection, or stop connecting. The shell does not report it as lost.
        case disconnect
        /// Give the sensor wide connection parameters from now on (``StrapSelector/widened(_:)``).
        case widen(LEAddress)
    }

    private enum Phase: Equatable, Sendable {
        /// The host prevents a connection.
        case obstructed
        case scanning
        /// If the sensor was not heard, the connection is pending and ``SensorLink/status`` shows no connection.
        case connecting(until: Instant, isPresent: Bool)
        case subscribing(since: Instant)
        /// The sensor has confirmed the subscription; ``SensorLink/status`` still shows connecting.
        case awaiting(since: Instant, isRepeated: Bool)
        case streaming(since: Instant, receivedAt: Instant, isRepeated: Bool)
        case resting(since: Instant, until: Instant)
        case sleeping(until: Instant, advertisedAt: Instant)
    }

    /// The time limit for connecting; the kernel's own limit is 40 s.
    package static let connectionLimit = Duration.seconds(45)

    /// How long a stream must last to reset the rests.
    package static let stableAfter = Duration.seconds(5)

    /// The duration of a connection that the sensor ends because it does not get its connection parameters.
    package static let shortLife = Duration.seconds(25)...Duration.seconds(160)

    /// If a strap has not been worn for this long, its disconnection means that it was taken off.
    package static let unusedLimit = Duration.seconds(10)

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

    /// Whether the shell can scan for a sensor that is not connected; if so, it scans for a sleeping strap.
    package var canListen = false

    /// The faults of the current sensor.
    package private(set) var faults: Set<SensorFault> = []

    private let policy: Policy
    private var phase: Phase
    private var air = ScanDutyPolicy()
    private var sensor: LEAddress?
    /// The last connected sensor, to which the counts below belong.
    private var known: LEAddress?
    private var reason = LinkReason.searching
    private var isActive = false
    /// Losses since the last stable stream.
    private var losses = 0
    /// Consecutive connections without a measurement.
    private var fruitless = 0
    private var hasStreamed = false
    /// When the connection was established.
    private var connectedAt: Instant?
    /// When the sensor last showed that it was in use.
    private var usedAt: Instant?
    /// Consecutive sleeps in which the strap was not worn in between.
    private var sleeps = 0
    /// Connections that lasted ``shortLife``, as those of a sensor that does not get its connection parameters.
    private var shortLives = 0

    /// Creates a link that searches at the first ``tick(at:)``, which is due at once.
    package init(_ policy: Policy = .strap, at now: Instant) {
        self.policy = policy
        phase = .resting(since: now, until: now)
        air.begin(at: now)
    }

    /// Whether the sensor was heard and a connection to it is being made.
    package var isMeeting: Bool {
        if case .connecting(_, isPresent: true) = phase { true } else { false }
    }

    /// Whether the link waits for ``found(_:at:)``.
    package var isScanning: Bool {
        phase == .scanning
    }

    /// The sensor that is left alone because it was taken off.
    package var asleep: LEAddress? {
        if case .sleeping = phase { sensor } else { nil }
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
        let address = sensor?.address
        switch phase {
        case .obstructed, .scanning, .resting, .sleeping, .connecting(_, isPresent: false):
            return LinkStatus(.disconnected, reason: reason, address: address)
        case .connecting, .subscribing, .awaiting: return LinkStatus(.connecting, reason: reason, address: address)
        case .streaming: return LinkStatus(.connected, address: address)
        }
    }

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package var deadline: Instant? {
        switch phase {
        case .obstructed: nil
        case .scanning: air.deadline
        case .connecting(let until, _): until
        case .subscribing(let since): since + firstTimeout
        case .awaiting(let since, let isRepeated): since + (isRepeated ? firstTimeout : policy.firstSilence)
        case .streaming(_, let receivedAt, let isRepeated):
            receivedAt + (isRepeated ? policy.notificationTimeout : policy.silenceTimeout)
        case .resting(_, let until): until
        case .sleeping(let until, _): until
        }
    }

    private var firstTimeout: Duration {
        policy.notificationTimeout * (1 << min(fruitless, 2))
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .obstructed: return []
        case .scanning:
            let before = air.duty
            air.tick(at: now)
            if air.duty == before { return [] }
            return [air.duty == nil ? .stopScan : .search]
        case .connecting(_, let isPresent):
            if isPresent {
                rest(absence, at: now)
            } else {
                searchAgain(at: now)
            }
            return [.disconnect]
        case .subscribing: break
        case .awaiting(let since, _):
            guard now >= since + firstTimeout else {
                phase = .awaiting(since: since, isRepeated: true)
                return [.resubscribe]
            }
        case .streaming(let since, let receivedAt, _):
            guard now >= receivedAt + policy.notificationTimeout else {
                phase = .streaming(since: since, receivedAt: receivedAt, isRepeated: true)
                return [.resubscribe]
            }
        case .resting:
            phase = .scanning
            air.tick(at: now)
            return air.duty == nil ? [] : [.search]
        case .sleeping:
            resumeSearch(at: now)
            return [.stopScan]
        }
        rest(.silent, at: now)
        return [.disconnect]
    }

    /// Whether to scan for the sleeping strap: only if it was worn before it left, not if it was connected in vain.
    private var isListening: Bool {
        canListen && sleeps == 1
    }

    /// Restarts the search at the next tick, which is due at once.
    private mutating func searchAgain(at now: Instant) {
        phase = .resting(since: now, until: now)
    }

    /// The reason for a missing sensor: out of range if it has streamed before.
    private var absence: LinkReason {
        hasStreamed ? .outOfRange : .searching
    }

    private mutating func rest(_ reason: LinkReason, at now: Instant) {
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

    private func rest(after losses: Int) -> Duration {
        let rests = isActive ? Self.activeRests : Self.idleRests
        return rests[min(losses, rests.count - 1)]
    }

    // MARK: Connecting

    /// Connects to a sensor that was heard.
    package mutating func found(_ sensor: LEAddress?, at now: Instant) -> [Action] {
        switch phase {
        case .scanning: break
        case .sleeping where sensor != self.sensor: break
        default: return []
        }
        adopt(sensor)
        phase = .connecting(until: now + Self.connectionLimit, isPresent: true)
        return [.connect(sensor)]
    }

    /// Starts a pending connection to a sensor that was not heard, for as long as the scan duty allows.
    package mutating func expected(_ sensor: LEAddress, within limit: Duration, at now: Instant) -> [Action] {
        guard case .scanning = phase, air.duty != nil else { return [] }
        adopt(sensor)
        let until = now + limit
        phase = .connecting(until: min(until, air.deadline ?? until), isPresent: false)
        return [.connect(sensor)]
    }

    /// Records that the awaited sensor was heard by a scan: its connection is made before the scan continues.
    ///
    /// - Returns: Whether the sensor was awaited.
    package mutating func heard(at now: Instant) -> Bool {
        guard case .connecting(_, isPresent: false) = phase else { return false }
        phase = .connecting(until: now + Self.connectionLimit, isPresent: true)
        return true
    }

    /// Applies the decision of ``StrapSelector``.
    package mutating func considered(_ decision: StrapSelector.Decision, at now: Instant) -> [Action] {
        switch (decision, phase) {
        case (.connect(let sensor), _): return found(sensor, at: now)
        case (.choose, .scanning):
            sensor = nil
            reason = .ambiguous
        case (.wait, .scanning): if reason == .ambiguous { reason = absence }
        default: break
        }
        return []
    }

    private mutating func adopt(_ sensor: LEAddress?) {
        if reason == .ambiguous { reason = absence }
        self.sensor = sensor
    }

    /// Discards the history of the previous sensor.
    private mutating func resetHistory() {
        faults = []
        sleeps = 0
        shortLives = 0
        fruitless = 0
    }

    /// Records that the connection is established.
    package mutating func connected(at now: Instant) -> [Action] {
        guard case .connecting = phase else { return [] }
        if sensor != known { resetHistory() }
        known = sensor
        connectedAt = now
        usedAt = now
        phase = .subscribing(since: now)
        return [.subscribe]
    }

    /// Records that the sensor has confirmed the subscription. The wait for a measurement starts here.
    package mutating func subscribed(at now: Instant) {
        guard case .subscribing = phase else { return }
        phase = .awaiting(since: now, isRepeated: false)
    }

    /// Receives a measurement.
    ///
    /// - Parameter isInUse: whether it shows that the sensor is in use; for a strap, that it may be worn.
    package mutating func received(isInUse: Bool, at now: Instant) {
        switch phase {
        case .subscribing, .awaiting:
            fruitless = 0
            hasStreamed = true
            air.end()
            faults.remove(.needsPairing)
            phase = .streaming(since: now, receivedAt: now, isRepeated: false)
        case .streaming(let since, _, _):
            phase = .streaming(since: since, receivedAt: now, isRepeated: false)
            if now - since >= Self.stableAfter { faults.remove(.flood) }
        default: return
        }
        if isInUse {
            usedAt = now
            sleeps = 0
        }
        if let connectedAt, now - connectedAt > Self.shortLife.upperBound {
            faults.remove(.parametersRefused)
            shortLives = 0
        }
    }

    // MARK: Losing the sensor

    /// Records that the connection ended, or could not be made.
    @discardableResult
    package mutating func lost(_ loss: DisconnectCause, at now: Instant) -> [Action] {
        var isPending = false
        switch phase {
        case .connecting(_, let isPresent): isPending = !isPresent
        case .subscribing, .awaiting, .streaming: break
        case .obstructed, .scanning, .resting, .sleeping: return []
        }
        let life = connectedAt.map { now - $0 }
        let unused = usedAt.map { now - $0 }
        connectedAt = nil
        usedAt = nil
        switch loss {
        case .notFound where isPending: searchAgain(at: now)
        case .unreachable, .notFound, .supervisionTimeout: rest(absence, at: now)
        case .remoteTerminated, .ended:
            if policy.sleepsWhenUnused, loss == .remoteTerminated, let unused, unused >= Self.unusedLimit {
                return sleep(at: now)
            }
            rest(absence, at: now)
            if let life, Self.shortLife.contains(life) { shortLives += 1 }
        case .inUse: rest(.inUse, at: now)
        case .adapterFull: rest(.adapterFull, at: now)
        case .parametersRefused:
            faults.insert(.parametersRefused)
            rest(.parametersRefused, at: now)
            shortLives = 2
        case .attTimeout, .unsupported: rest(.silent, at: now)
        case .pairingNeeded:
            faults.insert(.needsPairing)
            rest(.needsPairing, at: now)
        case .flooded:
            faults.insert(.flood)
            rest(.backoff, at: now)
            phase = .resting(since: now, until: now + Self.floodRetryDelay)
        }
        guard shortLives > 1, let sensor else { return [] }
        shortLives = 0
        return [.widen(sensor)]
    }

    private mutating func sleep(at now: Instant) -> [Action] {
        sleeps += 1
        rest(.offBody, at: now)
        phase = .sleeping(until: now + (sleeps == 1 ? Self.firstSleep : Self.laterSleep), advertisedAt: now)
        air.begin(at: now)
        return isListening ? [.listen] : []
    }

    private mutating func resumeSearch(at now: Instant) {
        reason = absence
        losses = 0
        air.begin(at: now)
        searchAgain(at: now)
    }

    /// Receives that a strap advertised, which matters while ours sleeps. ``StrapSelector`` handles other straps.
    package mutating func received(_ sensor: LEAddress, at now: Instant) -> [Action] {
        guard case .sleeping(let until, let advertisedAt) = phase, sensor == self.sensor, isListening else { return [] }
        guard now - advertisedAt >= Self.sleepSilence else {
            phase = .sleeping(until: until, advertisedAt: now)
            return []
        }
        reason = absence
        losses = 0
        phase = .connecting(until: now + Self.connectionLimit, isPresent: true)
        return [.connect(sensor)]
    }

    // MARK: Changes by people and the host

    /// Receives whether a run is active. A run shortens a rest and wakes a sleeping strap.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        guard isActive != self.isActive else { return }
        self.isActive = isActive
        let before = air.duty
        air.runChanged(isActive: isActive, at: now)
        switch phase {
        case .resting(let since, let until) where reason != .backoff:
            phase = .resting(since: since, until: min(until, since + rest(after: max(losses - 1, 0))))
        case .scanning where air.duty != before: searchAgain(at: now)
        case .sleeping where isActive: resumeSearch(at: now)
        default: break
        }
    }

    /// Ends any rest or sleep: a person has selected a sensor, or requested the present one.
    ///
    /// - Parameter keepsSensor: whether the current sensor may be kept (``StrapSelector/mayKeep(_:)``).
    package mutating func wanted(keepsSensor: Bool, at now: Instant) -> [Action] {
        switch phase {
        case .obstructed: return []
        case .connecting(_, isPresent: true) where keepsSensor: return []
        case .subscribing where keepsSensor, .awaiting where keepsSensor, .streaming where keepsSensor: return []
        case .connecting, .subscribing, .awaiting, .streaming: disconnect(keepsSensor: keepsSensor, at: now)
        case .scanning, .resting, .sleeping:
            disconnect(keepsSensor: keepsSensor, at: now)
            return [.stopScan]
        }
        return [.disconnect]
    }

    private mutating func disconnect(keepsSensor: Bool, at now: Instant) {
        if !keepsSensor {
            resetHistory()
            sensor = nil
            hasStreamed = false
        }
        sleeps = 0
        connectedAt = nil
        resumeSearch(at: now)
    }

    /// Stops the link for a reason on the host's side, or restarts it if `reason` is nil.
    ///
    /// - Parameter reason: off, no-bluetooth, no-adapter, adapter-off, adapter-blocked or no-permission.
    package mutating func obstructed(by reason: LinkReason?, at now: Instant) -> [Action] {
        guard let reason else {
            guard case .obstructed = phase else { return [] }
            resumeSearch(at: now)
            return []
        }
        defer {
            self.reason = reason
            phase = .obstructed
            connectedAt = nil
        }
        switch phase {
        case .obstructed: return []
        case .scanning, .resting, .sleeping: return [.stopScan]
        case .connecting, .subscribing, .awaiting, .streaming: return [.disconnect]
        }
    }
}
