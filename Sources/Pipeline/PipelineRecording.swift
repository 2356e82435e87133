package import Domain

/// What the process or the power takes away, and what is left of a run then.
extension Pipeline {
    /// The run goes on at `now` after an outage; of one that was continued, every tick up to `now` has been applied.
    mutating func resume(after outage: Outage, at now: Instant) {
        settings = outage.settings
        let lost = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        heartLink = lost
        gpsdLink = lost
        bluetooth = BluetoothStatus(way: .off)
        batteryPercent = nil
        refusal = nil
        heart.reset()
        previousHeartRate = nil
        switch outage.rule {
        case .paused: forgetPosition(after: outage, at: now)
        // The new process raises its own.
        case .continued: faults.removeAll { $0.name != RejectionStreak.fault }
        }
        guard let sport = run?.sport else { return }
        let wasActive = runState == .active
        run?.addGap()
        if outage.rule == .paused { stopTimer(from: now - outage.duration, to: now) }
        let isCounted = wasActive && outage.rule == .continued
        emit(.gap(.restart, seconds: outage.duration.inSeconds, metres: nil, counted: isCounted), at: now)
        emit(.start(sport, resumed: true), at: now)
        if wasActive, outage.rule == .paused { resumeClock(at: now) }
        due = (state(at: now), true)
    }

    private mutating func forgetPosition(after outage: Outage, at now: Instant) {
        position = nil
        freshness = Timestamped(.absent, at: now)
        refusing = nil
        faults = []
        filter = FixFilter()
        odometer = Odometer()
        if !outage.isSameBoot {
            if let start = run?.startedAt { run?.stampStart(wallClock.time(at: start)) }
            wallClock = UTCEstimator()
        }
        nextSecond = now
    }

    private mutating func stopTimer(from since: Instant, to now: Instant) {
        run?.clock.pause(at: since)
        run?.pace.clear()
        run?.speedometer = Speedometer()
        run?.excuseQuiet(at: now)
    }
}

/// What of the time and of the inputs has to be recorded.
extension Pipeline {
    /// Moves the number of the run that is on, and those of the runs to come.
    package mutating func renumber(_ numbers: Renumbering.Shift) {
        lastActivity = numbers(lastActivity)
        run?.renumber(numbers)
    }

    /// What the devices and the shell have said and would not say once more.
    var known: [Input] {
        var known: [Input] = [.bluetooth(bluetooth), .gpsdLink(gpsdLink.value), .heartLink(heartLink.value)]
        if let batteryPercent { known.append(.battery(percent: batteryPercent)) }
        // The pipeline raises its own anew.
        known += faults.filter { $0.name != RejectionStreak.fault }.map { .raise($0.name, message: $0.message) }
        return known
    }

    /// The first moment that was due, where ``advance(to:)`` would go on from it to `now` in one step.
    func leap(to now: Instant) -> Instant? {
        guard let tick = run?.clock.next else { return now - nextSecond >= .seconds(1) ? nextSecond : nil }
        return run?.clock.hole(at: now) == nil ? nil : tick
    }

    /// Whether an input belongs into a recording: it is not the machine's own, and it changes something.
    func keeps(_ input: Input, at now: Instant) -> Bool {
        switch input {
        case .recorder, .power: false
        case .systemClock(let time, let isSynchronised):
            !wallClock.ignores(time, isSynchronised: isSynchronised, at: now)
        default: true
        }
    }
}
