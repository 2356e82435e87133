import Domain

/// Start, ticks and end of a run.
extension Pipeline {
    mutating func start(
        _ sport: Sport, indoor: Bool, back: Duration, at now: Instant, into effects: inout Effects
    ) -> Outcome {
        lastActivity += 1
        world.ownFields.restart(world.sensors, at: now, world.settings)
        var started = Run(id: lastActivity, sport: sport, isIndoor: indoor, at: now)
        started.begin(back: back, at: now, in: &world, into: &effects)
        run = started
        return .started(activity: lastActivity)
    }

    /// - Returns: nil while idle.
    mutating func end(at now: Instant, isKept: Bool, into effects: inout Effects) -> Outcome? {
        guard let summary = run?.end(at: now, isKept: isKept, in: &world, into: &effects) else { return nil }
        ticks = run?.ticks ?? TickStats()
        run = nil
        world.heart.clear()
        world.previousHeartRate = nil
        nextSecond = now + .seconds(1)
        return .ended(summary)
    }

    /// Stops a run without sign of life for `autoStopMinutes`, and rolls it back to its last one.
    mutating func closeForgotten(at now: Instant, into effects: inout Effects) {
        let minutes = world.settings.autoStopMinutes
        guard minutes > 0, let sign = run?.sign, sign.isJudged, now - sign.quietSince >= .seconds(minutes * 60)
        else { return }
        run?.rollBackToSign()
        _ = end(at: sign.at, isKept: true, into: &effects)
        nextSecond = now + .seconds(1)
        publish(at: now, into: &effects)
    }

    /// Applies a tick, or the `ticks` of a hole at the moment of the last; `lateness` is that of the first.
    mutating func apply(at tick: Instant, lateness: Duration, ticks: Int64, into effects: inout Effects) {
        guard let span = run?.addTicks(ticks, lateness: lateness) else { return }
        age(at: tick, into: &effects)
        run?.count(span, isHole: ticks > 1, at: tick, in: &world, into: &effects)
        if span.isSecond { closeForgotten(at: tick, into: &effects) }
        guard run != nil else { return }
        let isDue = span.end.isMultiple(of: stateEvery)
        guard span.isSecond || isDue else { return }
        let state = state(at: tick)
        if span.isSecond { effects.append(second: state) }
        if isDue { effects.state = (state, effects.state?.isChange ?? false) }
    }

    /// Applies a hole in one step, or pauses the run where it began.
    mutating func cross(_ hole: (since: Instant, ticks: Int64), at now: Instant, into effects: inout Effects) {
        run?.enter(hole, at: now, in: &world, into: &effects)
        guard runState == .active else {
            nextSecond = now
            return
        }
        let last = hole.since + TickSchedule.period * Int(hole.ticks)
        apply(at: last, lateness: now - hole.since - TickSchedule.period, ticks: hole.ticks, into: &effects)
    }
}
