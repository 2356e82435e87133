package import Domain

/// The run: inputs and the time in; states, events and readings out.
///
///     inputs ──▶ ticks that are due ──▶ the input ──▶ outputs, and a state when one is due
///
/// A value without clock or file: the same inputs at the same moments give the same outputs, to the bit. The shell calls
/// ``advance(to:)`` no later than ``deadline``, hands over each input with its arrival, and after each of these takes what there is to
/// say: ``takeOutputs()``, then ``takeState()``.
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
    /// The machine's own, which no replay has.
    var recorder = RecorderStatus(state: .off)
    var recorderFault: Fault?
    var power: PowerStatus?
    /// Why the newest fix was refused; nil when it was not.
    package var refusal: FixRejection?
    /// A good value of the notification before, for the maximum.
    var previousHeartRate: Int?

    package let isDemo: Bool
    var lastActivity: Int
    /// Of the run before, while idle.
    var ticks = TickStats()
    /// When the state is published next while no tick falls.
    var nextSecond: Instant
    var due: (state: State, isChange: Bool)?
    /// While active a state falls due at the multiples of so many milliseconds of active time.
    var stateEvery: Int64 = 100
    private var outputs: [Output] = []
    /// The states of the last whole seconds of active time, oldest first, until ``forgetSeconds()``; at most ``secondLimit``. The
    /// state that is published may skip some, when ticks are caught up.
    package private(set) var seconds: [State] = []

    /// - Parameter lastActivity: the number of the activity before.
    package init(settings: Settings, isDemo: Bool, lastActivity: Int = 0, at now: Instant) {
        self.lastActivity = lastActivity
        self.settings = settings
        self.isDemo = isDemo
        heartLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        gpsdLink = Timestamped(LinkStatus(.disconnected, reason: .off), at: now)
        freshness = Timestamped(.absent, at: now)
        nextSecond = now
    }

    /// When ``advance(to:)`` has something to do: the next tick while active, else the next whole second.
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
            // A loop that was stopped publishes once, not once for each second that it missed.
            let missed = (now - nextSecond).wholeNanoseconds / 1_000_000_000
            let second = nextSecond + .seconds(missed)
            nextSecond = second + .seconds(1)
            age(at: second)
            closeForgotten(at: second)
            due = (state(at: second), due?.isChange ?? false)
        }
    }

    /// Takes one input that arrived at `now`.
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

    /// What a command has come to.
    package enum Outcome: Equatable, Sendable {
        case started(activity: Int)
        case changed(RunState, elapsedMilliseconds: Int64)
        case ended(ActivitySummary)
    }

    /// Carries out a command that arrived at `now`.
    ///
    /// - Throws: ``CommandRejection`` where the run's state does not allow it; nothing has changed then.
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
        // Whoever begins it late asks for it later than it begins.
        if case .start(_, _, let back) = command { run?.excuseQuiet(at: now + back) }
        if runState != before { due = (state(at: now), true) }
        return outcome
    }

    /// What was said since the last call, oldest first.
    package mutating func drainOutputs() -> [Output] {
        defer { if !outputs.isEmpty { outputs = [] } }
        return outputs
    }

    /// The state that is to be published now, and whether it is due to a change rather than to the time.
    package mutating func popState() -> (state: State, isChange: Bool)? {
        defer { due = nil }
        return due
    }

    package mutating func discardSeconds() {
        seconds.removeAll(keepingCapacity: true)
    }

    /// What the time of day is at `now`, to be stored at the start, each minute and at each EVENT `clock`; nil while it is unknown.
    package func clockMapping(at now: Instant) -> ClockMapping? {
        wallClock.time(at: now).map { ClockMapping(at: now, time: $0, source: wallClock.source) }
    }

    /// The state as of `now`, without anything that is due.
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

// MARK: What is said

extension Pipeline {
    mutating func emit(_ kind: Event.Kind, at now: Instant) {
        outputs.append(.event(Event(at: now, time: wallClock.time(at: now), activity: run?.id, kind: kind)))
    }

    /// A state at a whole second of active time.
    mutating func remember(_ state: State) {
        if seconds.count == Self.secondLimit { seconds.removeFirst() }
        seconds.append(state)
    }

    /// More cannot be caught up at once: a longer hole is one step. A run begun late has as many as it has seconds.
    static let secondLimit = 128

    /// Nobody wants to know what was said until now.
    package mutating func discardOutputs() {
        outputs = []
        due = nil
        discardSeconds()
    }

    /// Of what was said, only what belongs to the run has not been said already.
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

    /// A link, a fault or a setting changed: published at once, unless a tick is to come within 100 ms anyway.
    mutating func changed(at now: Instant) {
        if runState != .active { due = (state(at: now), true) }
    }
}
