import Domain

/// The alerts and the workout of a run.
extension Run {
    /// Begins the workout of the settings with the next step, or ends it if the settings have none.
    mutating func restartWorkout(_ settings: Settings) {
        workout =
            settings.workout.isEmpty ? nil : WorkoutProgress(milliseconds: elapsedMilliseconds, metres: metres)
    }

    /// Whether a workout closes the laps.
    func isWorkoutInProgress(_ steps: [WorkoutStep]) -> Bool {
        workout?.step(of: steps) != nil
    }

    func workoutStatus(_ steps: [WorkoutStep]) -> WorkoutStatus? {
        workout?.status(
            steps, milliseconds: elapsedMilliseconds, metres: metres,
            target: workout?.step(of: steps)?.target.flatMap { alerts.state(of: $0.quantity) })
    }

    /// Ends the steps that are over. Each closes a lap.
    mutating func advanceWorkout(at tick: Instant, in world: inout World, into effects: inout Effects) {
        let (milliseconds, metres) = (elapsedMilliseconds, metres)
        while let ended = workout?.advance(world.settings.workout, milliseconds: milliseconds, metres: metres) {
            if case .distance = ended.length {
                closeLap(at: tick, trigger: .distance, in: &world, into: &effects)
            } else {
                closeLap(at: tick, trigger: .time, in: &world, into: &effects)
            }
            reportWorkout(at: tick, in: &world, into: &effects)
        }
    }

    /// Ends the step in progress, because a command has closed the lap.
    mutating func skipWorkoutStep(at now: Instant, in world: inout World, into effects: inout Effects) {
        guard isWorkoutInProgress(world.settings.workout) else { return }
        let (milliseconds, metres) = (elapsedMilliseconds, metres)
        workout?.skip(world.settings.workout, milliseconds: milliseconds, metres: metres)
        reportWorkout(at: now, in: &world, into: &effects)
    }

    /// Reports the step in progress, or the end of the workout.
    private func reportWorkout(at now: Instant, in world: inout World, into effects: inout Effects) {
        guard let step = workout?.step else { return }
        let steps = world.settings.workout
        let text = step < steps.count ? steps[step].text : nil
        emit(.workout(step: step, steps: steps.count, text: text), at: now, in: &world, into: &effects)
    }

    /// Judges a second of the run, and reports the alerts that are due.
    mutating func judgeAlerts(at tick: Instant, in world: inout World, into effects: inout Effects) {
        let wanted = world.settings.alerts
        let target = workout?.step(of: world.settings.workout)?.target
        guard !wanted.isEmpty || target != nil else { return }
        var reports: [AlertReport] = []
        let values = targetValues(at: tick, in: &world)
        alerts.judge(values, wanted, target: target, by: world.rules, at: tick, into: &reports)
        let (milliseconds, metres) = (elapsedMilliseconds, metres)
        alerts.judge(milliseconds: milliseconds, metres: metres, wanted, at: tick, into: &reports)
        for alert in wanted {
            switch alert.subject {
            case .positionLost where !isIndoor:
                alerts.judge(positionIsFresh: world.freshness.value == .fresh, at: tick, into: &reports)
            case .sensorLost: alerts.judge(world.sensors.list, at: tick, into: &reports)
            case .range, .distance, .time, .positionLost: break
            }
        }
        for report in reports { emit(.alert(report), at: tick, in: &world, into: &effects) }
    }

    private func targetValues(at tick: Instant, in world: inout World) -> AlertMonitor.Values {
        var values = AlertMonitor.Values()
        if !world.heart.isStale(at: tick), let beats = world.heart.beatsPerMinute(at: tick)?.value {
            values.heartRate = Double(beats)
            values.zone = (world.settings.zones?.zone(of: beats)).map(Double.init)
        }
        values.power = power.average3s
        values.powerZone = values.power.flatMap(world.settings.powerZone).map(Double.init)
        values.cadence = cadence
        values.speed = speedometer.speed
        values.pace = pace.pace.map { 1 / $0 }
        return values
    }
}
