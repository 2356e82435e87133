import Domain

/// Commands of a run, its end, and what interrupts it.
extension Run {
    func emit(_ kind: Event.Kind, at now: Instant, in world: inout World, into effects: inout Effects) {
        world.emit(kind, of: id, at: now, into: &effects)
    }

    /// - Parameter back: how long before the request the run starts, which is `now`.
    mutating func begin(back: Duration, at now: Instant, in world: inout World, into effects: inout Effects) {
        restartWorkout(world.settings)
        restartGuide(world)
        seed(at: now, in: &world)
        emit(.start(sport, back: back), at: now, in: &world, into: &effects)
        recordSign(at: now, isDevice: false)
        // The quiet time of a backdated run begins at the request, not at the start.
        restartQuietTime(at: now + back)
    }

    /// Performs a command that neither starts nor ends the run.
    ///
    /// - Throws: ``CommandRejection`` if the state does not allow it; nothing has changed then.
    mutating func perform(
        _ command: RunCommand, at now: Instant, in world: inout World, into effects: inout Effects
    ) throws(CommandRejection) -> Pipeline.Outcome {
        switch (command, state) {
        case (.pause, .active), (.toggle, .active): pause(at: now, trigger: .command, in: &world, into: &effects)
        case (.resume, .paused), (.toggle, .paused):
            resumeClock(at: now, in: &world)
            emit(
                .resume(elapsedMilliseconds: elapsedMilliseconds, distanceMetres: metres, .command), at: now,
                in: &world,
                into: &effects)
        case (.lap, .active):
            closeLap(at: now, trigger: .command, in: &world, into: &effects)
            skipWorkoutStep(at: now, in: &world, into: &effects)
        case (.mark(let kind, let text), let state):
            guard marks < RecordedMark.limit else {
                throw CommandRejection(command: command.word, state: state, .tooManyMarks)
            }
            mark(kind, text, at: now, in: &world, into: &effects)
        case (_, let state): throw CommandRejection(command: command.word, state: state)
        }
        recordSign(at: now, isDevice: false)
        return .changed(state, elapsedMilliseconds: elapsedMilliseconds)
    }

    private mutating func mark(
        _ kind: CoursePointKind, _ text: SanitizedText?, at now: Instant, in world: inout World,
        into effects: inout Effects
    ) {
        addMark()
        let mark = RecordedMark(
            kind, text: text, at: (now - startedAt).wholeMilliseconds, elapsedMilliseconds: elapsedMilliseconds,
            distanceMetres: metres,
            coordinate: isIndoor || world.freshness.value != .fresh ? nil : world.position?.value.coordinate)
        emit(.mark(mark, number: marks), at: now, in: &world, into: &effects)
    }

    private mutating func pause(
        at now: Instant, trigger: Event.Trigger, in world: inout World, into effects: inout Effects
    ) {
        stopAutoPause(at: now, in: &world, into: &effects)
        flushClimb()
        clock.pause(at: now)
        pace.clear()
        speedometer.clear()
        variability.interrupt()
        interruptSensors()
        emit(
            .pause(elapsedMilliseconds: elapsedMilliseconds, distanceMetres: metres, trigger), at: now, in: &world,
            into: &effects)
    }

    /// Restarts the timer; movement during the pause is not counted.
    private mutating func resumeClock(at now: Instant, in world: inout World) {
        clock.resume(at: now)
        seed(at: now, in: &world)
    }

    private mutating func seed(at now: Instant, in world: inout World) {
        world.odometer.seed(at: now)
        source.restart(at: now)
        restartClimb()
        seedPace(at: now, in: &world)
        world.previousHeartRate = nil
    }

    mutating func end(at now: Instant, isKept: Bool, in world: inout World, into effects: inout Effects)
        -> ActivitySummary
    {
        stopAutoPause(at: now, in: &world, into: &effects)
        flushClimb()
        // A run that started before the time of day was known gets its start from the current mapping.
        stampStart(world.wallClock)
        let summary = summary(endedAt: now, in: &world)
        emit(isKept ? .stop(summary) : .discard(summary), at: now, in: &world, into: &effects)
        return summary
    }

    /// Begins to cross a hole that ends at `now`; one that is longer than `autoStopMinutes` pauses the run where it began.
    mutating func enter(
        _ hole: (since: Instant, ticks: Int64), at now: Instant, in world: inout World, into effects: inout Effects
    ) {
        let seconds = (now - hole.since).inSeconds
        let limit = world.settings.autoStopMinutes * 60
        let isTooLong = limit > 0 && seconds > Double(limit)
        addGap()
        restartQuietTime(at: now)
        emit(.gap(.sleep, seconds: seconds, metres: nil, counted: !isTooLong), at: now, in: &world, into: &effects)
        if isTooLong {
            pause(at: hole.since, trigger: .auto, in: &world, into: &effects)
        } else {
            clock.finish(ticks: hole.ticks)
        }
    }

    /// Resumes after an outage that ended at `now`.
    mutating func resume(
        after outage: Outage, at now: Instant, in world: inout World, into effects: inout Effects
    ) {
        let wasActive = state == .active
        addGap()
        if outage.rule == .paused {
            let since = now - outage.duration
            stopAutoPause(at: since, in: &world, into: &effects)
            clock.pause(at: since)
            pace.clear()
            speedometer = Speedometer()
            restartQuietTime(at: now)
        }
        let isCounted = wasActive && outage.rule == .continued
        emit(
            .gap(.restart, seconds: outage.duration.inSeconds, metres: nil, counted: isCounted), at: now, in: &world,
            into: &effects)
        emit(.start(sport, resumed: true), at: now, in: &world, into: &effects)
        if wasActive, outage.rule == .paused { resumeClock(at: now, in: &world) }
    }

    /// Prepares for the loss of the position, and of the clock mapping if the machine has booted since.
    mutating func forgetPosition(isSameBoot: Bool, in world: inout World) {
        if let position = world.position { placeBeforeOutage = position.value.coordinate }
        if !isSameBoot { stampStart(world.wallClock) }
    }

    /// Lets no value of a sensor last: what comes next is counted from its next value on.
    mutating func interruptSensors() {
        power.clear()
        interruptEnergy()
    }
}
