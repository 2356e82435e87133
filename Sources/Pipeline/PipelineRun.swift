import Domain

/// Commands and ticks of a run.
extension Pipeline {
    mutating func start(
        _ sport: Sport, indoor: Bool, back: Duration, at now: Instant, into effects: inout Effects
    ) -> Outcome {
        lastActivity += 1
        run = Run(id: lastActivity, sport: sport, isIndoor: indoor, at: now)
        restartWorkout()
        restartGuide()
        seed(at: now)
        emit(.start(sport, back: back), at: now, into: &effects)
        return .started(activity: lastActivity)
    }

    mutating func pause(at now: Instant, trigger: Event.Trigger, into effects: inout Effects) -> Outcome {
        stopAutoPause(at: now, into: &effects)
        run?.flushClimb()
        run?.clock.pause(at: now)
        run?.pace.clear()
        run?.speedometer.clear()
        run?.power.clear()
        run?.variability.interrupt()
        run?.interruptEnergy()
        nextSecond = now + .seconds(1)
        if let total = run?.total {
            emit(
                .pause(elapsedMilliseconds: total.elapsedMilliseconds, distanceMetres: total.metres, trigger),
                at: now, into: &effects)
        }
        return outcome
    }

    mutating func resume(at now: Instant, into effects: inout Effects) -> Outcome {
        resumeClock(at: now)
        if let total = run?.total {
            emit(
                .resume(elapsedMilliseconds: total.elapsedMilliseconds, distanceMetres: total.metres, .command),
                at: now, into: &effects)
        }
        return outcome
    }

    /// Restarts the timer; movement during the pause is not counted.
    mutating func resumeClock(at now: Instant) {
        run?.clock.resume(at: now)
        seed(at: now)
    }

    mutating func end(at now: Instant, isKept: Bool, into effects: inout Effects) -> Outcome {
        stopAutoPause(at: now, into: &effects)
        run?.flushClimb()
        guard var ended = run else { return outcome }
        // A run that started before the time of day was known gets its start from the current mapping.
        ended.stampStart(wallClock.time(at: ended.startedAt), isGuess: wallClock.isGuess)
        var summary = ended.summary(
            endedAt: now, started: ended.started, ended: wallClock.time(at: now), isOpen: false, isDemo: isDemo)
        summary.isTimeGuessed = ended.isStartGuessed
        emit(isKept ? .stop(summary) : .discard(summary), at: now, into: &effects)
        ticks = ended.ticks
        run = nil
        heart.clear()
        previousHeartRate = nil
        nextSecond = now + .seconds(1)
        return .ended(summary)
    }

    /// Stops a run without sign of life for `autoStopMinutes`, and rolls it back to its last one.
    mutating func closeForgotten(at now: Instant, into effects: inout Effects) {
        guard settings.autoStopMinutes > 0, let sign = run?.sign, sign.isJudged,
            now - sign.quietSince >= .seconds(settings.autoStopMinutes * 60)
        else { return }
        run?.fallBackToSign()
        _ = end(at: sign.at, isKept: true, into: &effects)
        nextSecond = now + .seconds(1)
        publish(at: now, into: &effects)
    }

    mutating func lap(at now: Instant, into effects: inout Effects) -> Outcome {
        closeLap(at: now, trigger: .command, into: &effects)
        skipWorkoutStep(at: now, into: &effects)
        return outcome
    }

    private var outcome: Outcome {
        .changed(runState, elapsedMilliseconds: run?.total.elapsedMilliseconds ?? 0)
    }

    private mutating func seed(at now: Instant) {
        odometer.seed(at: now)
        run?.source.restart(at: now)
        run?.restartClimb()
        seedPace(at: now)
        previousHeartRate = nil
    }

    private mutating func seedPace(at now: Instant) {
        guard let metres = run?.total.metres else { return }
        let moment = paceMoment(at: now)
        run?.pace.seed(from: moment, metres: metres)
    }

    /// The moment of the counted distance: that of a sensor is counted up to now.
    private func paceMoment(at now: Instant) -> Duration? {
        run?.source.sensor == nil ? odometer.anchor?.moment : .nanoseconds(now.nanoseconds)
    }

    /// Applies a tick, or the `ticks` of a hole at the moment of the last; `lateness` is that of the first.
    mutating func apply(at tick: Instant, lateness: Duration, ticks: Int64, into effects: inout Effects) {
        guard let before = run?.total.elapsedMilliseconds else { return }
        run?.addTicks(ticks, lateness: lateness)
        let elapsed = before + ticks * TickSchedule.period.wholeMilliseconds
        age(at: tick, into: &effects)
        if ticks == 1, let beats = heart.beatsPerMinute(at: tick), !heart.isStale(at: tick) {
            run?.addHeartRate(beats.value, settings)
        }
        if elapsed / 1000 != before / 1000 { countSecond(at: tick, into: &effects) }
        if elapsed / 5000 != before / 5000 { measurePace(at: tick) }
        let isSecond = elapsed / 1000 != before / 1000
        if isWorkoutInProgress {
            if isSecond { advanceWorkout(at: tick, into: &effects) }
        } else {
            closeAutoLaps(at: tick, elapsedBefore: before, elapsed: elapsed, into: &effects)
        }
        if isSecond { judgeAlerts(at: tick, into: &effects) }
        if isSecond { closeForgotten(at: tick, into: &effects) }
        guard run != nil else { return }
        let isDue = elapsed.isMultiple(of: stateEvery)
        guard isSecond || isDue else { return }
        let state = state(at: tick)
        if isSecond { effects.append(second: state) }
        if isDue { effects.state = (state, effects.state?.isChange ?? false) }
    }

    /// Applies a hole in one step; a hole longer than `autoStopMinutes` pauses the run where it began.
    mutating func cross(_ hole: (since: Instant, ticks: Int64), at now: Instant, into effects: inout Effects) {
        let seconds = (now - hole.since).inSeconds
        let limit = settings.autoStopMinutes * 60
        let isTooLong = limit > 0 && seconds > Double(limit)
        run?.addGap()
        run?.excuseQuiet(at: now)
        emit(.gap(.sleep, seconds: seconds, metres: nil, counted: !isTooLong), at: now, into: &effects)
        if isTooLong {
            _ = pause(at: hole.since, trigger: .auto, into: &effects)
            nextSecond = now
            return
        }
        let last = hole.since + TickSchedule.period * Int(hole.ticks)
        run?.clock.finish(ticks: hole.ticks)
        apply(at: last, lateness: now - hole.since - TickSchedule.period, ticks: hole.ticks, into: &effects)
    }

    private mutating func countSecond(at tick: Instant, into effects: inout Effects) {
        guard let sport = run?.sport, let isIndoor = run?.isIndoor else { return }
        measureSensors(at: tick, sport)
        selectSource(at: tick, sport, into: &effects)
        if run?.source.sensor != nil {
            countSensor(at: tick, sport, into: &effects)
        } else if !isIndoor {
            countPosition(at: tick, sport, into: &effects)
        }
        let isAbsent = freshness.value == .absent
        let isStanding = run?.source.sensor == nil ? odometer.isStanding && !isAbsent : run?.sensorSpeed == 0
        run?.countClimb(isStanding: isStanding)
        run?.countGrade()
        judgeAutoPause(at: tick, sport, into: &effects)
        guide(at: tick, into: &effects)
        followSun(at: tick, into: &effects)
        while let badge = run?.popBadge() { emit(.badge(badge), at: tick, into: &effects) }
    }

    private func hasAutoPause(_ sport: Sport) -> Bool {
        settings.autoPause.contains(sport)
    }

    private mutating func judgeAutoPause(at tick: Instant, _ sport: Sport, into effects: inout Effects) {
        guard hasAutoPause(sport) else {
            return report(run?.switchOffAutoPause() ?? nil, at: tick, into: &effects)
        }
        let speed = run?.source.sensor == nil ? odometer.speed : run?.sensorSpeed
        report(run?.judgeAutoPause(speed) ?? nil, at: tick, into: &effects)
    }

    mutating func stopAutoPause(at now: Instant, into effects: inout Effects) {
        report(run?.stopAutoPause() ?? nil, at: now, into: &effects)
    }

    private func report(_ change: AutoPauseDetector.Change?, at now: Instant, into effects: inout Effects) {
        guard let change, let metres = run?.total.metres else { return }
        switch change {
        case .began(let elapsed):
            emit(.autoPause(elapsedMilliseconds: elapsed, distanceMetres: metres), at: now, into: &effects)
        case .ended(let elapsed):
            emit(.autoResume(elapsedMilliseconds: elapsed, distanceMetres: metres), at: now, into: &effects)
        }
    }

    /// Counts a second of the position.
    private mutating func countPosition(at tick: Instant, _ sport: Sport, into effects: inout Effects) {
        var step = odometer.tick(at: tick, sport: sport)
        let isStated = run?.hasStatedDistance == true
        if !isStated, var limit = run?.limit {
            // The last metres of a sensor that the position replaces.
            if let rest = run?.source.popCounted(), rest.metres > 0 {
                run?.addDistance(limit.allow(rest.metres, over: rest.span, until: tick, isWhole: false))
            }
            step.hold(to: &limit, at: tick)
            run?.source.reduce(&step)
            run?.limit = limit
        }
        let isAbsent = freshness.value == .absent
        run?.speedometer.tick(
            at: tick, metres: step.metres, isStanding: odometer.isStanding, isStale: freshness.value != .fresh)
        let speed = run?.speedometer.speed
        let isStanding = odometer.isStanding && !isAbsent && !hasAutoPause(sport)
        run?.addSecond(metres: isStated ? 0 : step.metres, isStanding: isStanding, speed: speed)
        calibrate(step, at: tick, into: &effects)
        if step.beginsAnew { seedPace(at: tick) }
        report(step.gap, isCounted: step.gap?.isCounted ?? false, at: tick, into: &effects)
    }

    private mutating func report(
        _ gap: Odometer.Gap?, isCounted: Bool, at tick: Instant, into effects: inout Effects
    ) {
        guard let gap else { return }
        run?.addGap()
        emit(
            .gap(.position, seconds: gap.seconds, metres: gap.metres, counted: isCounted), at: tick, into: &effects)
    }

    /// Counts a second of the sensor in use. The odometer continues, so that the position can replace the sensor.
    private mutating func countSensor(at tick: Instant, _ sport: Sport, into effects: inout Effects) {
        guard let sensor = run?.source.sensor, var limit = run?.limit else { return }
        if run?.isIndoor == false {
            report(odometer.tick(at: tick, sport: sport).gap, isCounted: true, at: tick, into: &effects)
        }
        let speed = sensors.speed(of: sensor, at: tick, settings)
        run?.speedometer.tick(sensorSpeed: speed)
        let step = run?.source.popCounted() ?? DistanceSource.Step()
        let metres = limit.allow(step.metres, over: step.span, until: tick, isWhole: false)
        run?.limit = limit
        let average = run?.speedometer.speed
        let isStanding = speed == 0 && !hasAutoPause(sport)
        run?.addSecond(metres: metres, isStanding: isStanding, speed: average)
        run?.sensorSpeed = speed
    }

    /// Selects the source of the distance, and reports a change.
    private mutating func selectSource(at tick: Instant, _ sport: Sport, into effects: inout Effects) {
        let sensor = run?.source.sensor
        // A recording that states its distance has no other source.
        guard let before = run?.speedSource, run?.hasStatedDistance == false, sensor != nil || !sensors.list.isEmpty
        else { return }
        var position: DistanceSource.Position?
        if run?.isIndoor == false {
            let counted = odometer.isStanding ? odometer.newest : odometer.anchor
            position = DistanceSource.Position(
                isFresh: freshness.value == .fresh, countedUntil: counted?.arrivedAt,
                newestAt: odometer.newest?.arrivedAt)
        }
        let best = sensors.distanceSensor(at: tick, sport)
        let speed = sensor.flatMap { sensors.speed(of: $0, at: tick, settings) }
        guard run?.source.select(best, speed: speed, position, at: tick) == true, let after = run?.speedSource
        else { return }
        run?.speedometer.clear()
        run?.sensorSpeed = nil
        if after == .position, position?.isFresh == true { odometer.seed(at: tick) }
        seedPace(at: tick)
        if after != before { emit(.source(after, previous: before), at: tick, into: &effects) }
    }

    private mutating func measurePace(at tick: Instant) {
        guard let metres = run?.total.metres, let source = run?.speedSource, source != .none else { return }
        let speed = run?.sensorSpeed
        let moment = paceMoment(at: tick)
        run?.pace.tick(
            at: moment, metres: metres, isStanding: source == .position ? odometer.isStanding : speed == 0,
            isStale: source == .position ? freshness.value != .fresh : speed == nil)
    }

    private mutating func closeAutoLaps(
        at tick: Instant, elapsedBefore: Int64, elapsed: Int64, into effects: inout Effects
    ) {
        let every = Int64(settings.autoLapSeconds) * 1000
        if every > 0, elapsed / every != elapsedBefore / every { closeLap(at: tick, trigger: .time, into: &effects) }
        let stretch = Double(settings.autoLapMetres)
        if stretch > 0, let metres = run?.total.metres, let lapMetres = run?.lap.metres {
            let lapsBefore = ((metres - lapMetres) / stretch).rounded(.down)
            if (metres / stretch).rounded(.down) > lapsBefore { closeLap(at: tick, trigger: .distance, into: &effects) }
        }
    }

    mutating func closeLap(at now: Instant, trigger: Event.Trigger, into effects: inout Effects) {
        guard let lap = run?.closeLap(at: now) else { return }
        emit(.lap(lap.figures, number: lap.number, trigger), at: now, into: &effects)
    }
}
