import Domain

/// The ticks and seconds of a run.
extension Run {
    /// Counts what is due in the active time of a tick, or of a hole.
    mutating func count(
        _ span: ActiveSpan, isHole: Bool, at tick: Instant, in world: inout World, into effects: inout Effects
    ) {
        if !isHole, let beats = world.heart.beatsPerMinute(at: tick) {
            if !world.heart.isStale(at: tick) {
                addHeartRate(beats.value, world.settings)
            } else if world.rules >= .shownValues {
                // A screen has shown it for 3 s: nobody shall see a maximum below it.
                raiseMaximumHeartRate(to: beats.value)
            }
        }
        if span.isSecond { countSecond(at: tick, in: &world, into: &effects) }
        if span.completes(milliseconds: 5000) { measurePace(at: tick, in: &world) }
        if isWorkoutInProgress(world.settings.workout) {
            if span.isSecond { advanceWorkout(at: tick, in: &world, into: &effects) }
        } else {
            closeAutoLaps(span, at: tick, in: &world, into: &effects)
        }
        if span.isSecond { judgeAlerts(at: tick, in: &world, into: &effects) }
    }

    private mutating func countSecond(at tick: Instant, in world: inout World, into effects: inout Effects) {
        measureSensors(at: tick, in: &world)
        selectSource(at: tick, in: &world, into: &effects)
        if let sensor = source.sensor {
            count(sensor, at: tick, in: &world, into: &effects)
        } else if !isIndoor {
            countPosition(at: tick, in: &world, into: &effects)
        }
        let isAbsent = world.freshness.value == .absent
        countClimb(isStanding: source.sensor == nil ? world.odometer.isStanding && !isAbsent : sensorSpeed == 0)
        countGrade()
        judgeAutoPause(at: tick, in: &world, into: &effects)
        guide(at: tick, in: &world, into: &effects)
        followSun(at: tick, in: &world, into: &effects)
        while let badge = popBadge() { emit(.badge(badge), at: tick, in: &world, into: &effects) }
    }

    /// Measures power and cadence of a second.
    private mutating func measureSensors(at tick: Instant, in world: inout World) {
        power.tick(at: tick)
        let balance = world.sensors.powerSensor(at: tick).flatMap { world.sensors.leftBalance(of: $0, at: tick) }
        addSecond(cadence: world.sensors.cadence(at: tick, sport), leftBalance: balance, world.settings)
        if world.settings.recordAllSensors { world.ownFields.addOthers(world.sensors, at: tick, sport) }
        let count = world.ownFields.fields.count
        if count > 0 { addSecond(world.ownFields.values(world.sensors, at: tick, sport), count: count) }
    }

    /// Warns once before the light ends.
    mutating func followSun(at now: Instant, in world: inout World, into effects: inout Effects) {
        guard let status = world.followSun(at: now, lastPlace: placeBeforeOutage), !isWarnedOfDark else { return }
        isWarnedOfDark = true
        emit(.light(status), at: now, in: &world, into: &effects)
    }

    // MARK: Automatic pauses

    private func hasAutoPause(_ settings: Settings) -> Bool {
        settings.autoPause.contains(sport)
    }

    private mutating func judgeAutoPause(at tick: Instant, in world: inout World, into effects: inout Effects) {
        let change =
            hasAutoPause(world.settings)
            ? judgeAutoPause(source.sensor == nil ? world.odometer.speed : sensorSpeed) : switchOffAutoPause()
        report(change, at: tick, in: &world, into: &effects)
    }

    mutating func stopAutoPause(at now: Instant, in world: inout World, into effects: inout Effects) {
        report(stopAutoPause(), at: now, in: &world, into: &effects)
    }

    private func report(
        _ change: AutoPauseDetector.Change?, at now: Instant, in world: inout World, into effects: inout Effects
    ) {
        switch change {
        case .began(let elapsed):
            emit(
                .autoPause(elapsedMilliseconds: elapsed, distanceMetres: metres), at: now, in: &world, into: &effects)
        case .ended(let elapsed):
            emit(
                .autoResume(elapsedMilliseconds: elapsed, distanceMetres: metres), at: now, in: &world, into: &effects)
        case nil: break
        }
    }

    // MARK: Distance

    /// Counts a second of the position.
    private mutating func countPosition(at tick: Instant, in world: inout World, into effects: inout Effects) {
        var step = world.odometer.tick(at: tick, sport: sport)
        if !hasStatedDistance {
            // The last metres of a sensor that the position replaces.
            let rest = source.takeCounted()
            if rest.metres > 0 {
                addDistance(limit.allow(rest.metres, over: rest.span, until: tick, isWhole: false))
            }
            step.hold(to: &limit, at: tick)
            source.reduce(&step)
        }
        let freshness = world.freshness.value
        let isStanding = world.odometer.isStanding
        speedometer.tick(at: tick, metres: step.metres, isStanding: isStanding, isStale: freshness != .fresh)
        addSecond(
            metres: hasStatedDistance ? 0 : step.metres,
            isStanding: isStanding && freshness != .absent && !hasAutoPause(world.settings), speed: speedometer.speed)
        calibrate(step, at: tick, in: &world, into: &effects)
        if step.restartsPace { seedPace(at: tick, in: &world) }
        report(step.gap, isCounted: step.gap?.isCounted ?? false, at: tick, in: &world, into: &effects)
    }

    /// Compares the sensor with a second of the position.
    private mutating func calibrate(
        _ step: Odometer.Step, at tick: Instant, in world: inout World, into effects: inout Effects
    ) {
        let isGood = world.freshness.value == .fresh && !step.restartsPace && step.gap == nil
        let measured = calibration.tick(
            metres: step.metres, isGap: !isGood, world.position?.value, world.settings)
        guard let (key, value) = measured else { return }
        emit(.calibration(key, value), at: tick, in: &world, into: &effects)
    }

    private mutating func report(
        _ gap: Odometer.Gap?, isCounted: Bool, at tick: Instant, in world: inout World, into effects: inout Effects
    ) {
        guard let gap else { return }
        addGap()
        emit(
            .gap(.position, seconds: gap.seconds, metres: gap.metres, counted: isCounted), at: tick, in: &world,
            into: &effects)
    }

    /// Counts a second of the sensor in use. The odometer continues, so that the position can replace the sensor.
    private mutating func count(
        _ sensor: DistanceSensor, at tick: Instant, in world: inout World, into effects: inout Effects
    ) {
        if !isIndoor {
            let gap = world.odometer.tick(at: tick, sport: sport).gap
            report(gap, isCounted: true, at: tick, in: &world, into: &effects)
        }
        let speed = world.sensors.speed(of: sensor, at: tick, world.settings)
        speedometer.tick(sensorSpeed: speed)
        let step = source.takeCounted()
        addSecond(
            metres: limit.allow(step.metres, over: step.span, until: tick, isWhole: false),
            isStanding: speed == 0 && !hasAutoPause(world.settings), speed: speedometer.speed)
        sensorSpeed = speed
    }

    /// Selects the source of the distance, and reports a change.
    private mutating func selectSource(at tick: Instant, in world: inout World, into effects: inout Effects) {
        let sensor = source.sensor
        // A recording that states its distance has no other source.
        guard !hasStatedDistance, sensor != nil || !world.sensors.list.isEmpty else { return }
        let before = speedSource
        var position: DistanceSource.Position?
        if !isIndoor {
            let counted = world.odometer.isStanding ? world.odometer.newest : world.odometer.anchor
            position = DistanceSource.Position(
                isFresh: world.freshness.value == .fresh, countedUntil: counted?.arrivedAt,
                newestAt: world.odometer.newest?.arrivedAt)
        }
        let best = world.sensors.distanceSensor(at: tick, sport)
        let speed = sensor.flatMap { world.sensors.speed(of: $0, at: tick, world.settings) }
        guard source.select(best, speed: speed, position, at: tick) else { return }
        let after = speedSource
        speedometer.clear()
        sensorSpeed = nil
        if after == .position, position?.isFresh == true { world.odometer.seed(at: tick) }
        seedPace(at: tick, in: &world)
        if after != before { emit(.source(after, previous: before), at: tick, in: &world, into: &effects) }
    }

    // MARK: Pace and laps

    mutating func seedPace(at now: Instant, in world: inout World) {
        pace.seed(from: paceMoment(at: now, in: &world), metres: metres)
    }

    /// The moment of the counted distance: that of a sensor is counted up to now.
    private func paceMoment(at now: Instant, in world: inout World) -> Duration? {
        source.sensor == nil ? world.odometer.anchor?.moment : .nanoseconds(now.nanoseconds)
    }

    private mutating func measurePace(at tick: Instant, in world: inout World) {
        let source = speedSource
        guard source != .none else { return }
        pace.tick(
            at: paceMoment(at: tick, in: &world), metres: metres,
            isStanding: source == .position ? world.odometer.isStanding : sensorSpeed == 0,
            isStale: source == .position ? world.freshness.value != .fresh : sensorSpeed == nil)
    }

    private mutating func closeAutoLaps(
        _ span: ActiveSpan, at tick: Instant, in world: inout World, into effects: inout Effects
    ) {
        let every = Int64(world.settings.autoLapSeconds) * 1000
        if every > 0, span.completes(milliseconds: every) {
            closeLap(at: tick, trigger: .time, in: &world, into: &effects)
        }
        let stretch = Double(world.settings.autoLapMetres)
        guard stretch > 0 else { return }
        let lapsBefore = ((metres - lapMetres) / stretch).rounded(.down)
        if (metres / stretch).rounded(.down) > lapsBefore {
            closeLap(at: tick, trigger: .distance, in: &world, into: &effects)
        }
    }

    mutating func closeLap(at now: Instant, trigger: Event.Trigger, in world: inout World, into effects: inout Effects)
    {
        let lap = closeLap(at: now)
        emit(.lap(lap.figures, number: lap.number, trigger), at: now, in: &world, into: &effects)
    }
}
