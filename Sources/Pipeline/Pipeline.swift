package import Domain

/// The engine of a run: receives inputs and the time; produces states, events and samples.
///
///     inputs ──▶ ticks that are due ──▶ the input ──▶ outputs, and a state if one is due
///
/// It has no clock and no file: the same inputs at the same moments give the same outputs, to
/// the bit. The caller calls ``advance(to:)`` no later than ``deadline``, and ``receive(_:at:)``
/// with each input's arrival. After each call it drains ``drainOutputs()``, then ``popState()``.
///
/// Source: docs/behaviour.md.
package struct Pipeline: Sendable {
    package internal(set) var settings: Settings

    var run: Run?
    var filter = FixFilter()
    var odometer = Odometer()
    var heart = HeartRateMonitor()
    var wallClock = UTCEstimator()
    var heartLink: Timestamped<LinkStatus>
    var gpsdLink: Timestamped<LinkStatus>
    var bluetooth = BluetoothStatus(way: .off)
    var batteryPercent: Int?
    var position: Timestamped<Position>?
    var freshness: Timestamped<Event.Freshness>
    var refusing: RejectionStreak?
    var faults: [Fault] = []
    /// Status of this machine; a replay has none.
    var recorder = RecorderStatus(state: .off)
    var recorderFault: Fault?
    var power: PowerStatus?
    /// Why the newest fix was rejected; nil if it was accepted.
    package var refusal: FixRejection?
    /// Heart rate of the previous notification if it was valid, for the maximum.
    var previousHeartRate: Int?

    package let isDemo: Bool
    var lastActivity: Int
    /// Ticks of the last run, while idle.
    var ticks = TickStats()
    /// Moment of the next periodic state while there are no ticks.
    var nextSecond: Instant
    var due: (state: State, isChange: Bool)?
    /// While active, a state is due at each multiple of this active time, in milliseconds.
    var stateEvery: Int64 = 100
    private var outputs: [Output] = []
    /// States at the last whole seconds of active time, oldest first, until ``discardSeconds()``;
    /// at most ``secondLimit``. The published state skips some when ticks are caught up.
    package private(set) var seconds: [State] = []

    /// - Parameter lastActivity: Number of the last activity.
    package init(settings: Settings, isDemo: Bool, lastActivity: Int = 0, at now: Instant) {
        self.lastActivity = lastActivity
        self.settings = settings
        self.isDemo = isDemo
        heartLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        gpsdLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        freshness = Timestamped(.absent, at: now)
        nextSecond = now
    }

    /// Moment of the next call of ``advance(to:)``: the next tick while active, else the next whole second.
    package var deadline: Instant {
        run?.clock.next ?? nextSecond
    }

    package var runState: RunState {
        run?.state ?? .idle
    }

    /// Applies every tick that is due at `now`, each at its own moment, or a hole in one step.
    package mutating func advance(to now: Instant) {
        while let tick = run?.clock.next, tick <= now {
            if let hole = run?.clock.hole(at: now) {
                cross(hole, at: now)
            } else {
                run?.clock.finish(ticks: 1)
                apply(at: tick, lateness: now - tick, ticks: 1)
            }
        }
        if run?.clock.next == nil, nextSecond <= now {
            // After a stall, publish one state, not one per missed second.
            let missed = (now - nextSecond).wholeNanoseconds / 1_000_000_000
            let second = nextSecond + .seconds(missed)
            nextSecond = second + .seconds(1)
            age(at: second)
            closeForgotten(at: second)
            due = (state(at: second), due?.isChange ?? false)
        }
    }

    /// Receives one input that arrived at `now`.
    package mutating func receive(_ input: Input, at now: Instant) {
        advance(to: now)
        switch input {
        case .fix(let fix): receive(fix, at: now)
        case .heart(let measurement): receive(measurement, at: now)
        case .battery(let percent):
            if (0...100).contains(percent) { batteryPercent = percent }
        case .heartLink(let status): receiveHeartLink(status, at: now)
        case .gpsdLink(let status): receiveGpsdLink(status, at: now)
        case .bluetooth(let bluetooth):
            guard bluetooth != self.bluetooth else { return }
            self.bluetooth = bluetooth
            changed(at: now)
        case .systemClock(let time, let isSynchronised):
            report(wallClock.system(time, isSynchronised: isSynchronised, at: now), at: now)
        case .setting(let key, let settings):
            self.settings = settings
            emit(.settings(key, settings), at: now)
            changed(at: now)
        case .recorder(let recorder): receive(recorder, at: now)
        case .power(let power):
            guard power != self.power else { return }
            self.power = power
            changed(at: now)
        case .raise(let name, let message): raise(name, message: message, at: now)
        case .clear(let name): clear(name, at: now)
        }
    }

    /// Result of a command.
    package enum Outcome: Equatable, Sendable {
        case started(activity: Int)
        case changed(RunState, elapsedMilliseconds: Int64)
        case ended(ActivitySummary)
    }

    /// Performs a command that arrived at `now`.
    ///
    /// - Throws: ``CommandRejection`` if the run's state does not allow it; nothing has changed then.
    package mutating func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Outcome {
        advance(to: now)
        let before = runState
        let outcome: Outcome
        switch (command, before) {
        case (.start(let sport, let indoor, let back), .idle):
            outcome = start(sport ?? settings.sport, indoor: indoor, back: back, at: now)
        case (.toggle, .idle): outcome = start(settings.sport, indoor: false, back: .zero, at: now)
        case (.pause, .active), (.toggle, .active): outcome = pause(at: now, trigger: .command)
        case (.resume, .paused), (.toggle, .paused): outcome = resume(at: now)
        case (.lap, .active): outcome = lap(at: now)
        case (.stop, .active), (.stop, .paused): outcome = end(at: now, isKept: true)
        case (.discard, .active), (.discard, .paused): outcome = end(at: now, isKept: false)
        case (_, let state): throw CommandRejection(command: command.word, state: state)
        }
        run?.showSign(at: now, isDevice: false)
        // The quiet time of a backdated run begins at the request, not at the start.
        if case .start(_, _, let back) = command { run?.excuseQuiet(at: now + back) }
        if runState != before { due = (state(at: now), true) }
        return outcome
    }

    /// Returns and removes the outputs since the last call, oldest first.
    package mutating func drainOutputs() -> [Output] {
        defer { if !outputs.isEmpty { outputs = [] } }
        return outputs
    }

    /// Returns and removes the state that is due, and whether a change caused it rather than the time.
    package mutating func popState() -> (state: State, isChange: Bool)? {
        defer { due = nil }
        return due
    }

    package mutating func discardSeconds() {
        seconds.removeAll(keepingCapacity: true)
    }

    /// Mapping to UTC at `now`, stored at the start, each minute and at each EVENT `clock`; nil if the time is unknown.
    package func clockMapping(at now: Instant) -> ClockMapping? {
        wallClock.time(at: now).map { ClockMapping(at: now, time: $0, source: wallClock.source) }
    }

    /// The state at `now`; it does not advance the pipeline.
    package func state(at now: Instant) -> State {
        let beats = heart.beatsPerMinute(at: now)
        var status = HeartRateStatus(link: heartLink.value)
        status.beatsPerMinute = beats
        status.isStale = beats != nil && heart.isStale(at: now)
        status.contact = heart.contact(at: now)
        status.batteryPercent = batteryPercent
        if settings.useHeartRateZones, let zones = settings.zones, let value = beats?.value {
            status.zone = zones.zone(of: value)
            status.zoneFraction = zones.fraction(of: value)
        }
        let isAbsent = position.map { $0.age(at: now) >= Self.absentAge } ?? true
        return State(
            at: now, time: wallClock.time(at: now), clock: wallClock.source, run: runState, activity: run?.activity,
            heart: status, position: isAbsent ? nil : position,
            positionIsStale: position.map { $0.age(at: now) >= Self.staleAge } ?? false,
            gpsd: gpsdLink.value, bluetooth: bluetooth, recorder: recorder, power: power, ticks: run?.ticks ?? ticks,
            faults: recorderFault.map { faults + [$0] } ?? faults)
    }

    static let staleAge = Duration.seconds(5)
    static let absentAge = Duration.seconds(10)
}

// MARK: Outputs

extension Pipeline {
    mutating func emit(_ kind: Event.Kind, at now: Instant) {
        outputs.append(.event(Event(at: now, time: wallClock.time(at: now), activity: run?.id, kind: kind)))
    }

    /// Stores the state of a whole second of active time.
    mutating func remember(_ state: State) {
        if seconds.count == Self.secondLimit { seconds.removeFirst() }
        seconds.append(state)
    }

    /// A catch-up never has more seconds: a longer hole is one step. A backdated run has up to 120.
    static let secondLimit = 128

    /// Discards all outputs and states.
    package mutating func discardOutputs() {
        outputs = []
        due = nil
        discardSeconds()
    }

    /// Discards the outputs that were already published before a backdated start: all but the run's own events.
    mutating func retainRunEvents() {
        outputs.removeAll { output in
            guard case .event(let event) = output else { return true }
            return switch event.kind {
            case .start, .pause, .lap, .gap: false
            default: true
            }
        }
    }

    mutating func publish(at now: Instant) {
        due = (state(at: now), true)
    }

    mutating func emit(_ output: Output) {
        outputs.append(output)
    }

    /// Publishes a changed link, fault or setting: at once, or while active with the next tick.
    mutating func changed(at now: Instant) {
        if runState != .active { due = (state(at: now), true) }
    }
}
