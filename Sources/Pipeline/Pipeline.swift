package import Domain

/// The engine of a run: receives inputs and the time; produces states, events and samples.
///
///     inputs ──▶ ticks that are due ──▶ the input ──▶ outputs, and a state if one is due
///
/// It has no clock and no file: the same inputs at the same moments give the same outputs, to
/// the bit. The caller steps it no later than ``deadline``, and with each input's arrival.
/// Each step appends its outputs to the caller's ``Effects``.
///
/// Source: docs/behaviour.md.
package struct Pipeline: Sendable {
    /// Nil while idle. Whatever needs a run is a method of it that gets ``world``.
    var run: Run?
    var world: World
    var filter = FixFilter()
    var heartLink: Timestamped<LinkStatus>
    var gpsdLink: Timestamped<LinkStatus>
    var bluetooth = BluetoothStatus(backend: .off)
    var batteryPercent: Int?
    package internal(set) var partner: Partner?
    package internal(set) var weather: WeatherObservation?
    var rejections: RejectionStreak?
    var faults: [Fault] = []
    /// Status of this machine; a replay has none.
    var recorder = RecorderStatus(state: .off)
    /// When it was read: once a second, and at each change of it.
    var recorderReadAt: Instant?
    var recorderFault: Fault?
    var power: PowerStatus?
    /// Why the newest fix was rejected; nil if it was accepted.
    package var refusal: FixRejection?

    var lastActivity: Int
    /// Ticks of the last run, while idle.
    var ticks = TickStats()
    /// Moment of the next periodic state while there are no ticks.
    var nextSecond: Instant
    /// While active, a state is due at each multiple of this active time, in milliseconds.
    package var stateEvery: Int64 = 100

    /// - Parameter lastActivity: Number of the last activity.
    package init(settings: Settings, isDemo: Bool, lastActivity: Int = 0, at now: Instant) {
        self.lastActivity = lastActivity
        world = World(settings: settings, isDemo: isDemo, at: now)
        heartLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        gpsdLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        nextSecond = now
    }

    package var settings: Settings { world.settings }
    package var isDemo: Bool { world.isDemo }
    package var course: LoadedCourse? { world.course }

    /// Moment of the next step: the next tick while active, else the next whole second.
    package var deadline: Instant {
        run?.clock.next ?? nextSecond
    }

    package var runState: RunState {
        run?.state ?? .idle
    }

    /// Applies every tick that is due at `now`, then the stimulus.
    package mutating func step(_ stimulus: Stimulus, at now: Instant, into effects: inout Effects) {
        advance(to: now, into: &effects)
        if case .input(let input) = stimulus { receive(input, at: now, into: &effects) }
    }

    /// Applies every tick that is due at `now`, then the command.
    ///
    /// - Throws: ``CommandRejection`` if the run's state does not allow it; the command has changed nothing then.
    package mutating func step(
        _ command: RunCommand, at now: Instant, into effects: inout Effects
    ) throws(CommandRejection) -> Outcome {
        advance(to: now, into: &effects)
        return try perform(command, at: now, into: &effects)
    }

    /// Applies every tick that is due at `now`, each at its own moment, or a hole in one step.
    ///
    /// - Parameter delay: How late `now` is, which adds to the lateness of the ticks.
    mutating func advance(to now: Instant, delay: Duration = .zero, into effects: inout Effects) {
        while let tick = run?.clock.next, tick <= now {
            if let hole = run?.clock.hole(at: now) {
                cross(hole, at: now, into: &effects)
            } else {
                run?.clock.finish(ticks: 1)
                apply(at: tick, lateness: now - tick + delay, ticks: 1, into: &effects)
            }
        }
        if run?.clock.next == nil, nextSecond <= now {
            // After a stall, publish one state, not one per missed second.
            let missed = (now - nextSecond).wholeNanoseconds / 1_000_000_000
            let second = nextSecond + .seconds(missed)
            nextSecond = second + .seconds(1)
            age(at: second, into: &effects)
            if run == nil { _ = world.followSun(at: second, lastPlace: nil) }
            run?.followSun(at: second, in: &world, into: &effects)
            closeForgotten(at: second, into: &effects)
            effects.state = (state(at: second), effects.state?.isChange ?? false)
        }
    }

    /// Receives one input that arrived at `now`. Every tick that was due has been applied.
    mutating func receive(_ input: Input, at now: Instant, into effects: inout Effects) {
        switch input {
        case .fix(let fix): receive(fix, at: now, into: &effects)
        case .heart(let measurement): receive(measurement, at: now, into: &effects)
        case .distance(let metres): run?.receive(statedMetres: metres, at: now)
        case .climb(let climb): run?.receive(climb)
        case .battery(let percent):
            if (0...100).contains(percent) { batteryPercent = percent }
        case .heartLink(let status): receiveHeartLink(status, at: now, into: &effects)
        case .sensor(let status): receive(status, at: now, into: &effects)
        case .sensorRemoved(let id): remove(id, at: now, into: &effects)
        case .measurement(let id, let measurement): receive(measurement, from: id, at: now, into: &effects)
        case .gpsdLink(let status): receiveGpsdLink(status, at: now, into: &effects)
        case .bluetooth(let bluetooth):
            guard bluetooth != self.bluetooth else { return }
            self.bluetooth = bluetooth
            changed(at: now, into: &effects)
        case .systemClock(let time, let isSynchronised):
            report(world.wallClock.system(time, isSynchronised: isSynchronised, at: now), at: now, into: &effects)
        case .rtcClock(let time):
            report(world.wallClock.realTimeClock(time, at: now), at: now, into: &effects)
        case .receiverClock(let time, let arrivedAt):
            report(world.wallClock.receiver(time, mode: 3, arrivedAt: arrivedAt), at: now, into: &effects)
        case .setting(let key, let settings):
            world.settings = settings
            if key == .workout { run?.restartWorkout(settings) }
            emit(.settings(key, settings), at: now, into: &effects)
            changed(at: now, into: &effects)
        case .course(let course): load(course, at: now, into: &effects)
        case .partner(let partner): load(partner, at: now, into: &effects)
        case .weather(let weather): self.weather = weather
        case .recorder(let recorder): receive(recorder, at: now, into: &effects)
        case .power(let power):
            guard power != self.power else { return }
            self.power = power
            changed(at: now, into: &effects)
        case .raise(let name, let message): raise(name, message: message, at: now, into: &effects)
        case .clear(let name): clear(name, at: now, into: &effects)
        }
    }

    /// Result of a command.
    package enum Outcome: Equatable, Sendable {
        case started(activity: Int)
        case changed(RunState, elapsedMilliseconds: Int64)
        case ended(ActivitySummary)
    }

    /// Performs a command that arrived at `now`. Every tick that was due has been applied.
    ///
    /// - Throws: ``CommandRejection`` if the run's state does not allow it; nothing has changed then.
    mutating func perform(
        _ command: RunCommand, at now: Instant, into effects: inout Effects
    ) throws(CommandRejection) -> Outcome {
        let before = runState
        let outcome: Outcome? =
            switch (command, before) {
            case (.start(let sport, let indoor, let back), .idle):
                start(sport ?? settings.sport, indoor: indoor, back: back, at: now, into: &effects)
            case (.toggle, .idle): start(settings.sport, indoor: false, back: .zero, at: now, into: &effects)
            case (.stop, _): end(at: now, isKept: true, into: &effects)
            case (.discard, _): end(at: now, isKept: false, into: &effects)
            default: try run?.perform(command, at: now, in: &world, into: &effects)
            }
        guard let outcome else { throw CommandRejection(command: command.word, state: before) }
        if before == .active, runState == .paused { nextSecond = now + .seconds(1) }
        if runState != before { publish(at: now, into: &effects) }
        return outcome
    }

    /// The state at `now`; it does not advance the pipeline.
    package func state(at now: Instant) -> State {
        let beats = world.heart.beatsPerMinute(at: now)
        var status = HeartRateStatus(link: heartLink.value)
        status.beatsPerMinute = beats
        status.isStale = beats != nil && world.heart.isStale(at: now)
        status.contact = world.heart.contact(at: now)
        status.batteryPercent = batteryPercent
        if world.settings.useHeartRateZones, let zones = world.settings.zones, let value = beats?.value {
            status.zone = zones.zone(of: value)
            status.zoneFraction = zones.fraction(of: value)
        }
        if let value = beats?.value {
            status.percentOfMaximum = world.settings.percentOfMaximum(value)
            status.percentOfReserve = world.settings.percentOfReserve(value)
        }
        let position = world.position
        let isAbsent = position.map { $0.age(at: now) >= Self.absentAge } ?? true
        var state = State(
            at: now, time: world.wallClock.time(at: now), clock: world.wallClock.source, run: runState,
            activity: run?.activity,
            heart: status, position: isAbsent ? nil : position,
            positionIsStale: position.map { $0.age(at: now) >= Self.staleAge } ?? false,
            gpsd: gpsdLink.value, bluetooth: bluetooth,
            recorder: recorder.aged(by: recorderReadAt.map { now - $0 } ?? .zero), power: power,
            ticks: run?.ticks ?? ticks,
            faults: recorderFault.map { faults + [$0] } ?? faults)
        state.isDemo = world.isDemo
        if let variability = state.activity?.variability, now - variability.measuredAt >= Self.variabilityAge {
            state.activity?.variability = nil
        }
        state.activity?.workout = run?.workoutStatus(world.settings.workout)
        state.course = courseStatus(at: now)
        state.partner = partnerStatus(at: now)
        state.sun = world.sunStatus(at: now, lastPlace: run?.placeBeforeOutage)
        state.wind = windStatus(at: now)
        state.sensors = world.sensors.list
        state.readings = world.sensors.readings(at: now, world.settings)
        (state.ownFields.fields, state.ownFields.sensors) = (world.ownFields.fields, world.ownFields.sensors)
        if !state.ownFields.fields.isEmpty {
            state.ownFields.values = world.ownFields.values(world.sensors, at: now, run?.sport)
            if let run { (state.ownFields.lapAverages, state.ownFields.averages) = run.ownFieldAverages }
        }
        if let strap = world.sensors.list.firstIndex(where: { $0.kinds.contains(.heartRate) }) {
            state.readings[strap].heartRate = beats?.value
            state.readings[strap].measuredAt = beats?.measuredAt ?? state.readings[strap].measuredAt
        }
        return state
    }

    static let staleAge = Duration.seconds(5)
    static let absentAge = Duration.seconds(10)
    /// The values are computed each 5 s while beats arrive.
    static let variabilityAge = Duration.seconds(20)
}

// MARK: Effects

extension Pipeline {
    func emit(_ kind: Event.Kind, at now: Instant, into effects: inout Effects) {
        world.emit(kind, of: run?.id, at: now, into: &effects)
    }

    func publish(at now: Instant, into effects: inout Effects) {
        effects.state = (state(at: now), true)
    }

    /// Publishes a changed link, fault or setting: at once, or while active with the next tick.
    func changed(at now: Instant, into effects: inout Effects) {
        if runState != .active { publish(at: now, into: &effects) }
    }
}
