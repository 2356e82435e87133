import Domain

/// The alerts and the workout of a run.
extension Pipeline {
    /// Begins the workout of the settings with the run's next step, or ends it if the settings have none.
    mutating func restartWorkout() {
        guard let total = run?.total else { return }
        run?.workout =
            settings.workout.isEmpty
            ? nil : WorkoutProgress(milliseconds: total.elapsedMilliseconds, metres: total.metres)
    }

    /// Whether a workout closes the laps.
    var isWorkoutInProgress: Bool {
        run?.workout?.step(of: settings.workout) != nil
    }

    var workoutStatus: WorkoutStatus? {
        guard let total = run?.total, let workout = run?.workout else { return nil }
        let target = workout.step(of: settings.workout)?.target
        return workout.status(
            settings.workout, milliseconds: total.elapsedMilliseconds, metres: total.metres,
            target: target.flatMap { run?.alerts.state(of: $0.quantity) })
    }

    /// Ends the steps that are over. Each closes a lap.
    mutating func advanceWorkout(at tick: Instant, into effects: inout Effects) {
        guard isWorkoutInProgress, let total = run?.total else { return }
        while let ended = run?.workout?.advance(
            settings.workout, milliseconds: total.elapsedMilliseconds, metres: total.metres)
        {
            if case .distance = ended.length {
                closeLap(at: tick, trigger: .distance, into: &effects)
            } else {
                closeLap(at: tick, trigger: .time, into: &effects)
            }
            reportWorkout(at: tick, into: &effects)
        }
    }

    /// Ends the step in progress, because a command has closed the lap.
    mutating func skipWorkoutStep(at now: Instant, into effects: inout Effects) {
        guard isWorkoutInProgress, let total = run?.total else { return }
        run?.workout?.skip(settings.workout, milliseconds: total.elapsedMilliseconds, metres: total.metres)
        reportWorkout(at: now, into: &effects)
    }

    /// Reports the step in progress, or the end of the workout.
    private mutating func reportWorkout(at now: Instant, into effects: inout Effects) {
        guard let step = run?.workout?.step else { return }
        let text = step < settings.workout.count ? settings.workout[step].text : nil
        emit(.workout(step: step, steps: settings.workout.count, text: text), at: now, into: &effects)
    }

    /// Judges a second of the run, and reports the alerts that are due.
    mutating func judgeAlerts(at tick: Instant, into effects: inout Effects) {
        let target = run?.workout?.step(of: settings.workout)?.target
        guard !settings.alerts.isEmpty || target != nil, let total = run?.total, let isIndoor = run?.isIndoor else {
            return
        }
        var reports: [AlertReport] = []
        let alerts = settings.alerts
        let values = targetValues(at: tick)
        run?.alerts.judge(values, alerts, target: target, at: tick, into: &reports)
        run?.alerts.judge(
            milliseconds: total.elapsedMilliseconds, metres: total.metres, alerts, at: tick, into: &reports)
        for alert in alerts {
            switch alert.subject {
            case .positionLost where !isIndoor:
                run?.alerts.judge(positionIsFresh: freshness.value == .fresh, at: tick, into: &reports)
            case .sensorLost: run?.alerts.judge(sensors.list, at: tick, into: &reports)
            case .range, .distance, .time, .positionLost: break
            }
        }
        for report in reports { emit(.alert(report), at: tick, into: &effects) }
    }

    private func targetValues(at tick: Instant) -> AlertMonitor.Values {
        var values = AlertMonitor.Values()
        if !heart.isStale(at: tick), let beats = heart.beatsPerMinute(at: tick)?.value {
            values.heartRate = Double(beats)
            values.zone = (settings.zones?.zone(of: beats)).map(Double.init)
        }
        values.power = run?.power.average3s
        values.powerZone = values.power.flatMap(settings.powerZone).map(Double.init)
        values.cadence = run?.cadence
        values.speed = run?.speedometer.speed
        values.pace = (run?.pace.pace).map { 1 / $0 }
        return values
    }
}
