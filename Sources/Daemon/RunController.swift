package import Domain
import Formats
import Linux
import Pipeline
import Servers
import Storage
import Wire

/// Owns the run: steps the engine, records and publishes its effects, starts runs automatically, and
/// stops and resumes one on low battery.
///
///     inputs, commands ──▶ engine ──▶ effects ──▶ flush ──┬──▶ RunRecorder ──▶ journal
///                                                         └──▶ StateServer
///
/// A caller advances to the moment of an input before it passes the input, and flushes afterwards.
final class RunController {
    /// What has happened since the last ``popChanges()``.
    struct Changes {
        /// An event was published.
        var hasEvents = false
        /// An activity has ended, or got its date: its files may be due.
        var hasExports = false
        /// Settings that the position has measured.
        var calibrations: [SettingChange] = []
    }

    private let stateServer: StateServer
    private let recording: RecordingState
    private var eventLimit = EventLimit()
    private var batteryPolicy = BatteryPolicy()
    /// Starts runs automatically; nil if that is disabled.
    private var autoStart: AutoStart?
    /// The moment to which the next automatic start is backdated; nil if none is due.
    private var autoStartSince: Instant?
    /// The start that waits for a position: its sport, nil for that of the settings, and since when it waits.
    private var waitingStart: (sport: Sport?, since: Instant)?
    /// Whoever has forgotten a start that waits is not recorded the next day.
    private static let longestWait = Duration.seconds(3600)
    /// The source of a replay, whose clock gives the moments of the engine; nil if that is the boot clock.
    private let replay: ReplaySource?
    /// When the system clock is read next.
    private var clockAt: Instant
    /// What the real-time clock showed more than the system's clock when the daemon started, in milliseconds; nil
    /// without a real-time clock.
    private let realTimeClockOffset: Int64?
    /// The engine's moment of the last step. Messages of one turn may be handled later than the next one arrives.
    private var steppedAt: Instant
    private var changes = Changes()
    private var acquisition = PositionAcquisition()
    /// The engine's moment of the last tick of ``acquisition``.
    private var acquiredAt: Instant

    init(
        _ recording: RecordingState, _ stateServer: StateServer, startsAutomatically: Bool,
        replay: ReplaySource? = nil, at now: Instant
    ) {
        self.recording = recording
        self.stateServer = stateServer
        self.replay = replay
        autoStart = startsAutomatically ? AutoStart() : nil
        clockAt = now
        steppedAt = now
        acquiredAt = replay?.clock.moment(at: now) ?? now
        let realTimeClock = Clock.realTimeClock(notBefore: Release.date)
        realTimeClockOffset = realTimeClock.map { UTC.offset(ofRealTimeClock: $0, from: Clock.systemTime()) }
    }

    // MARK: State

    var journal: Journal { recording.recorder.journal }
    var settings: Settings { recording.engine.settings }
    var runState: RunState { recording.engine.runState }
    var course: LoadedCourse? { recording.engine.course }
    var partner: Partner? { recording.engine.partner }
    /// The moment of the next tick or idle second, and of a replay's next entry.
    var deadline: Instant {
        replay?.deadline(before: recording.engine.deadline, isActive: runState == .active) ?? recording.engine.deadline
    }

    func state(at now: Instant) -> State {
        complete(recording.engine.state(at: moment(at: now)))
    }

    /// Adds what the engine does not know.
    private func complete(_ state: State) -> State {
        guard state.activity?.isIndoor != true else { return state }
        var state = state
        state.acquisition = acquisition.status
        state.isWaitingForPosition = waitingStart != nil
        return state
    }

    /// The status of the recorder. A replay has none.
    func recorderStatus(at now: Instant) -> RecorderStatus {
        replay == nil ? journal.status(at: now) : RecorderStatus(state: .off)
    }

    /// The activity in progress.
    func activity(at now: Instant) -> Activity? {
        state(at: now).activity
    }

    /// Returns and clears the changes since the last call.
    func popChanges() -> Changes {
        defer { changes = Changes() }
        return changes
    }

    // MARK: Steps

    /// Publishes what was due before `now`, so that a later input cannot change it. A replay does the same.
    func advance(to now: Instant) {
        if let replay { return advance(replay, to: now) }
        recording.step(.time, at: monotonic(now))
        flush(at: now)
    }

    /// Applies the ticks and the entries of a replay that are due, each at its own moment, so that the figures do not
    /// depend on the loop.
    private func advance(_ replay: ReplaySource, to now: Instant) {
        replay.advance(to: now)
        if let inputs = replay.beginPass(at: now) {
            _ = try? recording.perform(.stop, at: monotonic(now))
            flush(at: now)
            recording.startOver(statesEvery: replay.clock.statePeriod, at: monotonic(now))
            for input in inputs { step(input, at: now) }
            flush(at: now)
        }
        let moment = moment(at: now)
        for _ in 0..<Self.entryLimit {
            guard let entry = replay.popEntry(until: moment) else { return tick(to: moment, replay.clock, at: now) }
            tick(to: entry.at, replay.clock, at: now)
            switch entry.kind {
            case .input(let input): recording.step(.input(input), at: steppedAt)
            // A user's commands may have changed the run's state meanwhile.
            case .command(let command): _ = try? recording.perform(command, at: steppedAt)
            default: break
            }
            flushEffects(at: steppedAt)
        }
    }

    /// The most entries of a replay in one turn of the loop; the others follow in the next. All rows may have one moment.
    private static let entryLimit = 1024

    /// Steps the engine once for each tick that is due up to a moment of the engine, then to that moment.
    private func tick(to moment: Instant, _ clock: ReplayClock, at now: Instant) {
        while runState == .active, recording.engine.deadline <= moment {
            steppedAt = max(steppedAt, recording.engine.deadline)
            recording.step(.time, at: steppedAt, delay: max(now - clock.due(steppedAt), .zero))
            flushEffects(at: steppedAt)
        }
        steppedAt = max(steppedAt, moment)
        recording.step(.time, at: steppedAt)
        flushEffects(at: steppedAt)
    }

    /// Passes an input to the engine; its effects are flushed later.
    func step(_ input: Input, at now: Instant) {
        recording.step(.input(input), at: monotonic(now))
    }

    /// Performs a command. An activity that it starts gets the journal's next number.
    func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        let outcome = try recording.perform(command, at: monotonic(now))
        waitingStart = nil
        guard case .ended(var summary) = outcome else { return outcome }
        summary.uuid = recording.recorder.uuid(of: summary.id)
        return .ended(summary)
    }

    /// Starts a run with the sport, nil for that of the settings, now if there is a position, else at the next one.
    ///
    /// - Returns: nil if the start waits.
    func startAtPosition(_ sport: Sport?, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome? {
        guard runState == .idle else { throw CommandRejection(command: "start", state: runState) }
        if hasPosition(at: now) { return try perform(.start(sport, indoor: false), at: now) }
        waitingStart = (sport, now)
        publishState(at: now)
        return nil
    }

    /// Ends a start that waits for a position.
    ///
    /// - Returns: false if none waits.
    func endWait(at now: Instant) -> Bool {
        guard waitingStart != nil else { return false }
        waitingStart = nil
        publishState(at: now)
        return true
    }

    private func hasPosition(at now: Instant) -> Bool {
        let state = recording.engine.state(at: moment(at: now))
        return state.position != nil && !state.positionIsStale
    }

    private func publishState(at now: Instant) {
        stateServer.publish(state(at: now), isChange: true)
    }

    /// Changes settings, and publishes them.
    func change(_ keys: [SettingKey], to settings: Settings, at now: Instant) {
        for key in keys { step(.setting(key, settings), at: now) }
        stateServer.settingsChanged(settings)
    }

    /// Reads the clock and the status of the journal, once a second.
    ///
    /// - Returns: true if a second has passed.
    func onTick(at now: Instant) -> Bool {
        guard now >= clockAt else { return false }
        clockAt = now + .seconds(1)
        if replay == nil { readClock(at: now) }
        step(.recorder(recorderStatus(at: now)), at: now)
        if replay == nil { recording.recorder.noteClock(state(at: now), at: now) }
        if let fault = eventLimit.fault(at: moment(at: now)) { step(fault, at: now) }
        return true
    }

    /// Passes on the observation of the topic `weather`, once a second at most, so that a publisher cannot fill the
    /// journal. A replay uses none.
    func follow(_ weather: WeatherObservation?, at now: Instant) {
        if replay == nil, weather != recording.engine.weather { step(.weather(weather), at: now) }
    }

    private func readClock(at now: Instant) {
        let (time, isSynchronised) = (Clock.systemTime(), Clock.isSynchronised())
        step(.systemClock(time, isSynchronised: isSynchronised), at: now)
        if let offset = realTimeClockOffset, !isSynchronised {
            step(.rtcClock(UTC(milliseconds: time.milliseconds + offset)), at: now)
        }
        reportUnsetClock(at: now)
    }

    /// Raises a fault while a run has no date, and clears it.
    private func reportUnsetClock(at now: Instant) {
        let state = state(at: now)
        let isUnset = state.run != .idle && state.time == nil
        guard isUnset != state.faults.contains(where: { $0.name == .clockUnset }) else { return }
        step(isUnset ? .raise(.clockUnset, message: Self.unsetClock) : .clear(.clockUnset), at: now)
    }

    private static let unsetClock =
        "no clock is set: the run gets its date when the network or the receiver gives the time before the next boot"

    /// Records and publishes a notice of another program.
    func post(_ notice: TopicNotice, at now: Instant) {
        flush(at: now)
        let state = state(at: now)
        let event = Output.event(
            Event(
                at: state.at, time: state.time, activity: state.activity?.id,
                kind: .notice(topic: notice.topic.text, key: notice.key, notice.text)))
        publish([event], recording.recorder.record(events: [event]))
    }

    /// Records that the daemon stops. The run stays open.
    func shutDown(at now: Instant) {
        recording.step(.shutDown, at: monotonic(now))
        flush(at: now)
    }

    private func monotonic(_ now: Instant) -> Instant {
        steppedAt = max(steppedAt, moment(at: now))
        return steppedAt
    }

    /// The engine's moment at a moment of the boot clock.
    private func moment(at now: Instant) -> Instant {
        replay?.clock.moment(at: now) ?? now
    }

    // MARK: Effects

    /// Flushes the effects, then starts a run that movement, beats or a position have triggered.
    func finish(at now: Instant) {
        flush(at: now)
        if startAutomatically(at: now) || startThatWaits(at: now) { flush(at: now) }
    }

    /// Records and publishes the effects since the last flush.
    func flush(at now: Instant) {
        flushEffects(at: moment(at: now))
    }

    /// - Parameter now: the engine's moment.
    private func flushEffects(at now: Instant) {
        let outputs = eventLimit.limited(recording.effects.outputs, at: now)
        let settings = settings
        let events = recording.recorder.record(
            recording.effects, outputs, zones: settings.useHeartRateZones ? settings.zones : nil, at: now)
        logAutoStop(recording.effects.entries)
        publish(outputs, events)
        if let since = autoStart?.receive(outputs) { autoStartSince = since }
        if let split = recording.decideProvisionalResume(recording.effects.entries, outputs, at: now) {
            publish(split, recording.recorder.record(events: split))
            Log.write(
                .notice, "the interrupted activity is too old to resume: the run since then is a separate activity")
        }
        followAcquisition(outputs, recording.effects.state?.state.gpsd, at: now)
        if let (state, isChange) = recording.effects.state {
            stateServer.publish(complete(state), isChange: isChange)
        }
        recording.effects.removeAll()
    }

    /// - Parameter link: the link to gpsd; nil if it is unchanged.
    private func followAcquisition(_ outputs: [Output], _ link: LinkStatus?, at now: Instant) {
        let ticks = max(now - acquiredAt, .zero) / PositionAcquisition.tick
        acquisition.advance(ticks: Int(ticks))
        acquiredAt += PositionAcquisition.tick * Int(ticks)
        switch (link?.state, link?.reason) {
        case (.connected, _), (_, .noFix), (_, .silent): acquisition.connect()
        // The demo and a replay have positions without gpsd.
        case (nil, _), (_, .off), (.connecting, nil): break
        case (.connecting, _), (.disconnected, _): acquisition.disconnect()
        }
        for case .fix(let fix) in outputs { acquisition.receive(accuracy: fix.position.accuracy) }
    }

    /// Logs and publishes outputs and the lines of their events.
    private func publish(_ outputs: [Output], _ events: [EventLine]) {
        for case .event(let event) in outputs {
            if let (level, text) = Log.line(of: event) { Log.write(level, about: Log.subject(of: event), text) }
            switch event.kind {
            case .stop, .clock: changes.hasExports = true
            case .calibration(let key, let value):
                guard case .number(let property, _) = key.kind else { break }
                changes.calibrations.append(SettingChange(key) { $0[keyPath: property] = value })
            default: break
            }
            changes.hasEvents = true
        }
        stateServer.publish(outputs, events: events)
    }

    private func logAutoStop(_ entries: [InputLogEntry]) {
        guard entries.contains(where: { $0.kind == .ended(.forgotten) }) else { return }
        Log.write(
            .notice,
            "run stopped automatically: no movement and no beats for \(settings.autoStopMinutes) min")
    }

    // MARK: Automatic start

    /// Starts the run that movement or beats have triggered, as a command would. It does not start
    /// one while the battery is nearly empty: the remaining charge is for runs that a user starts.
    ///
    /// - Returns: true if a run has started.
    private func startAutomatically(at now: Instant) -> Bool {
        guard let since = autoStartSince else { return false }
        autoStartSince = nil
        guard runState == .idle, !batteryPolicy.isExhausted else { return false }
        Log.write(.info, "run starts automatically: movement or beats detected")
        // An idle engine does not reject it.
        _ = try? perform(.start(nil, indoor: false, back: monotonic(now) - since), at: now)
        return true
    }

    /// Starts the run that waits for a position, if it is there.
    ///
    /// - Returns: true if a run has started.
    private func startThatWaits(at now: Instant) -> Bool {
        guard let (sport, since) = waitingStart else { return false }
        if now - since > Self.longestWait {
            Log.write(.notice, "no position came within an hour: the start no longer waits for one")
            _ = endWait(at: now)
        }
        guard waitingStart != nil, hasPosition(at: now) else { return false }
        Log.write(.info, "the run starts: a position is there")
        // An idle engine does not reject it.
        _ = try? perform(.start(sport, indoor: false), at: now)
        return true
    }

    // MARK: Battery

    /// Receives the power status. Stops the run once, when the battery falls to the closing
    /// limit. A run that is started by command after that continues until the battery is empty.
    ///
    /// - Parameter resumeLimit: the longest time since the stop for which the activity resumes.
    func receive(_ power: PowerStatus?, limits: BatteryPolicy.Limits, resumeLimit: Duration, at now: Instant) {
        step(.power(power), at: now)
        finish(at: now)
        let wasExhausted = batteryPolicy.isExhausted
        for input in batteryPolicy.evaluate(power, limits: limits, at: now) {
            step(input, at: now)
            finish(at: now)
        }
        if batteryPolicy.isExhausted, !wasExhausted {
            guard recording.suspend(at: monotonic(now)) else { return }
            Log.write(.warning, "battery nearly empty: the run is stopped, and resumes when power returns")
        } else if !batteryPolicy.isExhausted, let suspended = recording.suspended {
            recording.suspended = nil
            guard runState == .idle, now - suspended.last <= resumeLimit else { return }
            Log.write(.notice, "power is back: the run that was stopped on low battery resumes")
            recording.resume(suspended, at: monotonic(now))
        }
    }

    // MARK: Journal

    /// Adopts the content of the journal: numbers, events and the activity that was left open.
    ///
    /// - Parameter isClosing: the loop has ended. An interrupted activity is left to the next start.
    func adopt(_ status: StateDirectoryStatus, isServing: Bool, isClosing: Bool = false, at now: Instant) {
        let numbers = recording.adopt(status, isServing: isServing, isClosing: isClosing, at: monotonic(now))
        if let numbers, let journal = status.journal {
            stateServer.renumberEvents(numbers.events, after: journal.events)
        }
        if let guide = status.journal?.guide { adopt(guide, at: now) }
        changes.hasEvents = true
    }

    /// Loads the course and the partner that were loaded at the last end. A resumed run has them already.
    private func adopt(_ guide: LoadedGuide, at now: Instant) {
        guard replay == nil, !recording.engine.isDemo else { return }
        if let course = guide.course, recording.engine.course == nil { step(.course(course), at: now) }
        if let partner = guide.partner, recording.engine.partner == nil { step(.partner(partner), at: now) }
    }

    /// Applies the live keys of a new configuration.
    func configure(formats: [ExportFormat], syncSeconds: Int?) {
        recording.recorder.formats = formats
        journal.setSyncSeconds(syncSeconds)
    }
}

extension UTC {
    /// What a real-time clock shows more than the system's clock, in milliseconds. 0 if the kernel has set the system's
    /// clock from it, also if it shows local time: then they differ by 2 s at most, or by a zone's offset.
    package static func offset(ofRealTimeClock time: UTC, from system: UTC) -> Int64 {
        let difference = time.milliseconds - system.milliseconds
        let (quarterHour, tolerance): (Int64, Int64) = (900_000, 2000)
        let rest = abs(difference) % quarterHour
        let isZone = abs(difference) <= 56 * quarterHour + tolerance && min(rest, quarterHour - rest) <= tolerance
        return isZone ? 0 : difference
    }
}
