package import Domain

/// Snapshot and restore of an idle pipeline.
extension Pipeline {
    /// Snapshot of an idle pipeline; it holds nothing of a run.
    package var snapshot: PipelineSnapshot {
        var snapshot = PipelineSnapshot(
            settings: world.settings, isDemo: world.isDemo, lastActivity: lastActivity, heartLink: heartLink,
            gpsdLink: gpsdLink,
            bluetooth: bluetooth, freshness: world.freshness, faults: faults, nextSecond: nextSecond)
        snapshot.batteryPercent = batteryPercent
        snapshot.position = world.position
        snapshot.rejections = rejections
        snapshot.clock = world.wallClock.memory
        snapshot.heart = world.heart.memory
        snapshot.sensors = world.sensors.slots
        snapshot.filter = filter.memory
        snapshot.newest = world.odometer.newest
        snapshot.jitter = world.odometer.jitter.inOrder
        snapshot.course = world.course
        snapshot.partner = partner
        snapshot.weather = weather
        snapshot.rules = world.rules
        return snapshot
    }

    package init(_ snapshot: PipelineSnapshot) {
        self.init(settings: snapshot.settings, isDemo: snapshot.isDemo, at: snapshot.nextSecond)
        lastActivity = snapshot.lastActivity
        heartLink = snapshot.heartLink
        gpsdLink = snapshot.gpsdLink
        bluetooth = snapshot.bluetooth
        world.freshness = snapshot.freshness
        faults = snapshot.faults
        batteryPercent = snapshot.batteryPercent
        world.position = snapshot.position
        rejections = snapshot.rejections
        world.wallClock = UTCEstimator(snapshot.clock)
        world.heart = HeartRateMonitor(snapshot.heart)
        world.sensors = SensorTable(snapshot.sensors)
        filter = FixFilter(snapshot.filter)
        world.odometer = Odometer(newest: snapshot.newest, jitter: snapshot.jitter)
        world.course = snapshot.course
        partner = snapshot.partner
        weather = snapshot.weather
        world.rules = snapshot.rules
    }
}

/// Resume after an outage.
extension Pipeline {
    /// Resumes the run at `now`. If the outage was continued, every tick up to `now` has been applied.
    package mutating func resume(after outage: Outage, at now: Instant, into effects: inout Effects) {
        let workout = settings.workout
        world.settings = outage.settings
        if outage.settings.workout != workout { run?.restartWorkout(outage.settings) }
        let lost = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        heartLink = lost
        gpsdLink = lost
        bluetooth = BluetoothStatus(backend: .off)
        batteryPercent = nil
        weather = nil
        refusal = nil
        world.heart.reset()
        world.sensors.disconnect()
        run?.interruptSensors()
        world.previousHeartRate = nil
        switch outage.rule {
        case .paused: forgetPosition(after: outage, at: now)
        // The new process raises its own faults.
        case .continued: faults.removeAll { $0.name != RejectionStreak.fault }
        }
        guard run != nil else { return }
        run?.resume(after: outage, at: now, in: &world, into: &effects)
        publish(at: now, into: &effects)
    }

    /// Removes the position and all memory of positions, before an indoor run.
    mutating func removePosition(at now: Instant, into effects: inout Effects) {
        world.position = nil
        rejections = nil
        clear(RejectionStreak.fault, at: now, into: &effects)
        filter = FixFilter()
        world.odometer = Odometer()
        age(at: now, into: &effects)
    }

    private mutating func forgetPosition(after outage: Outage, at now: Instant) {
        run?.forgetPosition(isSameBoot: outage.isSameBoot, in: &world)
        world.position = nil
        world.freshness = Timestamped(.absent, at: now)
        rejections = nil
        faults = []
        filter = FixFilter()
        world.odometer = Odometer()
        if !outage.isSameBoot { world.wallClock = UTCEstimator() }
        nextSecond = now
    }
}

/// Support for ``RunEngine``.
extension Pipeline {
    /// Renumbers the current run and the runs to come.
    package mutating func renumber(_ numbers: Renumbering.Shift) {
        lastActivity = numbers(lastActivity)
        run?.renumber(numbers)
    }

    /// The inputs that devices and adapters would not repeat.
    var known: [Input] {
        var known: [Input] = [.bluetooth(bluetooth), .gpsdLink(gpsdLink.value), .heartLink(heartLink.value)]
        if let batteryPercent { known.append(.battery(percent: batteryPercent)) }
        known += world.sensors.list.map { .sensor($0) }
        known += [.course(course), .partner(partner), .weather(weather)]
        // The pipeline raises its own fault itself.
        known += faults.filter { $0.name != RejectionStreak.fault }.map { .raise($0.name, message: $0.message) }
        return known
    }

    /// The first missed moment if a step would cover the time to `now` in one step; else nil.
    func leap(to now: Instant) -> Instant? {
        guard let tick = run?.clock.next else { return now - nextSecond >= .seconds(1) ? nextSecond : nil }
        return run?.clock.hole(at: now) == nil ? nil : tick
    }

    /// Whether an input is recorded: it does not describe only this machine, and it has an effect.
    func records(_ input: Input, at now: Instant) -> Bool {
        switch input {
        case .recorder, .power: false
        case .systemClock(let time, let isSynchronised):
            !world.wallClock.ignores(time, isSynchronised: isSynchronised, at: now)
        case .rtcClock(let time): !world.wallClock.ignores(realTimeClock: time, at: now)
        case .course(let course): course != self.course
        case .partner(let partner): partner != self.partner
        case .weather(let weather): weather != self.weather
        default: true
        }
    }

    var isIndoor: Bool { run?.isIndoor == true }

    /// Returns the part of an entry that an indoor run receives: of a fix only its time, if that may set the clock.
    func indoors(_ entry: InputLogEntry) -> InputLogEntry? {
        guard case .input(.fix(let fix)) = entry.kind else { return entry }
        guard entry.rejection == nil, fix.mode >= 3, fix.latitude != nil, fix.longitude != nil,
            let time = fix.time, time >= Release.date,
            !world.wallClock.ignores(receiver: time, arrivedAt: fix.arrivedAt)
        else { return nil }
        return InputLogEntry(at: entry.at, .input(.receiverClock(time, arrivedAt: fix.arrivedAt)))
    }
}
