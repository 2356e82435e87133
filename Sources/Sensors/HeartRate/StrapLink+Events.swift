package import Domain

extension StrapLink {
    /// The duration of a connection that the strap ends because it does not get its connection parameters.
    package static let shortLife = Duration.seconds(25)...Duration.seconds(160)

    /// If the strap has not been worn for this long, a disconnection by the strap means that it was taken off.
    package static let unwornLimit = Duration.seconds(10)

    // MARK: Connecting

    /// Connects to a strap that was heard.
    package mutating func found(_ strap: LEAddress?, at now: Instant) -> Action? {
        switch phase {
        case .scanning: break
        case .sleeping where strap != self.strap: break
        default: return nil
        }
        adopt(strap)
        phase = .connecting(until: now + Self.connectionLimit, isHeard: true)
        return .connect(strap)
    }

    /// Starts a pending connection to a strap that was not heard, for as long as the scan duty allows.
    package mutating func expected(_ strap: LEAddress, within limit: Duration, at now: Instant) -> Action? {
        guard case .scanning = phase, air.duty != nil else { return nil }
        adopt(strap)
        let until = now + limit
        phase = .connecting(until: min(until, air.deadline ?? until), isHeard: false)
        return .connect(strap)
    }

    /// Applies the decision of ``StrapSelector``.
    package mutating func considered(_ verdict: StrapSelector.Decision, at now: Instant) -> Action? {
        switch (verdict, phase) {
        case (.connect(let strap), _): return found(strap, at: now)
        case (.choose, .scanning):
            strap = nil
            reason = .ambiguous
        case (.wait, .scanning): if reason == .ambiguous { reason = absence }
        default: break
        }
        return nil
    }

    private mutating func adopt(_ strap: LEAddress?) {
        if reason == .ambiguous { reason = absence }
        self.strap = strap
    }

    /// Discards the history of the previous strap.
    private mutating func beginAnew() {
        faults = []
        naps = 0
        shortLives = 0
        fruitless = 0
    }

    /// Records that the connection is established.
    package mutating func connected(at now: Instant) -> Action? {
        guard case .connecting = phase else { return nil }
        if strap != known { beginAnew() }
        known = strap
        connectedAt = now
        wornAt = now
        phase = .subscribing(since: now)
        return .subscribe
    }

    /// Records that the strap has confirmed the subscription. The wait for a measurement starts here.
    package mutating func subscribed(at now: Instant) {
        guard case .subscribing = phase else { return }
        phase = .awaiting(since: now, isAskedAgain: false)
    }

    /// Receives a measurement.
    package mutating func received(_ measurement: HeartRateMeasurement, at now: Instant) {
        switch phase {
        case .subscribing, .awaiting:
            fruitless = 0
            hasStreamed = true
            air.end()
            faults.remove(.needsPairing)
            phase = .streaming(since: now, receivedAt: now, isAskedAgain: false)
        case .streaming(let since, _, _):
            phase = .streaming(since: since, receivedAt: now, isAskedAgain: false)
            if now - since >= Self.stableAfter { faults.remove(.flood) }
        default: return
        }
        if measurement.isSignOfWearing {
            wornAt = now
            naps = 0
        }
        if let connectedAt, now - connectedAt > Self.shortLife.upperBound {
            faults.remove(.parametersRefused)
            shortLives = 0
        }
    }

    // MARK: Losing the strap

    /// Records that the connection ended, or could not be made.
    @discardableResult
    package mutating func lost(_ loss: DisconnectCause, at now: Instant) -> Action? {
        var isMerelyAwaited = false
        switch phase {
        case .connecting(_, let isHeard): isMerelyAwaited = !isHeard
        case .subscribing, .awaiting, .streaming: break
        case .hindered, .scanning, .resting, .sleeping: return nil
        }
        let life = connectedAt.map { now - $0 }
        let unworn = wornAt.map { now - $0 }
        connectedAt = nil
        wornAt = nil
        switch loss {
        case .notFound where isMerelyAwaited: searchAgain(at: now)
        case .unreachable, .notFound, .supervisionTimeout: rest(absence, at: now)
        case .remoteTerminated, .ended:
            if loss == .remoteTerminated, let unworn, unworn >= Self.unwornLimit { return sleep(at: now) }
            rest(absence, at: now)
            if let life, Self.shortLife.contains(life) { shortLives += 1 }
        case .inUse: rest(.inUse, at: now)
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
        guard shortLives > 1, let strap else { return nil }
        shortLives = 0
        return .widen(strap)
    }

    private mutating func sleep(at now: Instant) -> Action? {
        naps += 1
        rest(.offBody, at: now)
        phase = .sleeping(until: now + (naps == 1 ? Self.firstSleep : Self.laterSleep), heardAt: now)
        air.begin(at: now)
        return isListening ? .listen : nil
    }

    mutating func resumeSearch(at now: Instant) {
        reason = absence
        losses = 0
        air.begin(at: now)
        searchAgain(at: now)
    }

    /// Receives that a strap advertised, which matters while ours sleeps. ``StrapSelector`` handles other straps.
    package mutating func received(_ strap: LEAddress, at now: Instant) -> Action? {
        guard case .sleeping(let until, let heardAt) = phase, strap == self.strap, isListening else { return nil }
        guard now - heardAt >= Self.sleepSilence else {
            phase = .sleeping(until: until, heardAt: now)
            return nil
        }
        reason = absence
        losses = 0
        phase = .connecting(until: now + Self.connectionLimit, isHeard: true)
        return .connect(strap)
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

    /// Ends any rest or sleep: a person has selected a strap, or requested the present one.
    ///
    /// - Parameter keepsStrap: whether the current strap may be kept (``StrapSelector/mayKeep(_:)``).
    package mutating func wanted(keepsStrap: Bool, at now: Instant) -> Action? {
        switch phase {
        case .hindered: return nil
        case .connecting(_, isHeard: true) where keepsStrap: return nil
        case .subscribing where keepsStrap, .awaiting where keepsStrap, .streaming where keepsStrap: return nil
        case .connecting, .subscribing, .awaiting, .streaming: disconnect(keepsStrap: keepsStrap, at: now)
        case .scanning, .resting, .sleeping:
            disconnect(keepsStrap: keepsStrap, at: now)
            return .stopScan
        }
        return .disconnect
    }

    private mutating func disconnect(keepsStrap: Bool, at now: Instant) {
        if !keepsStrap {
            beginAnew()
            strap = nil
            hasStreamed = false
        }
        naps = 0
        connectedAt = nil
        resumeSearch(at: now)
    }

    /// Stops the link for a reason on the host's side, or restarts it if `reason` is nil.
    ///
    /// - Parameter reason: off, no-bluetooth, no-adapter, adapter-off, adapter-blocked or no-permission.
    package mutating func hindered(by reason: LinkReason?, at now: Instant) -> Action? {
        guard let reason else {
            guard case .hindered = phase else { return nil }
            resumeSearch(at: now)
            return nil
        }
        defer {
            self.reason = reason
            phase = .hindered
            connectedAt = nil
        }
        switch phase {
        case .hindered: return nil
        case .scanning, .resting, .sleeping: return .stopScan
        case .connecting, .subscribing, .awaiting, .streaming: return .disconnect
        }
    }
}
