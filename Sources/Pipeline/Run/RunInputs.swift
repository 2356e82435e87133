import Domain

/// What a run receives of its inputs.
extension Run {
    /// Receives an accepted fix.
    mutating func receive(_ fix: Fix, at point: TrackPoint, isJump: Bool, now: Instant) {
        speedometer.receive(point)
        receive(altitudeOf: fix)
        if movement.receive(point, isJump: isJump) { recordSign(at: now, isDevice: true) }
    }

    /// Receives that the position has become fresh, stale or absent.
    mutating func receive(_ freshness: Event.Freshness) {
        if freshness != .fresh { speedometer.clear() }
        if freshness == .absent { pace.clear() }
    }

    /// - Parameters:
    ///   - value: the heart rate if it is valid, and `previous` that of the notification before.
    ///   - beat: the moment of the last beat on the beat clock, and whether beats before it are missing.
    mutating func receive(
        _ measurement: HeartRateMeasurement, value: Int?, previous: Int?, beat: (at: Instant?, gap: Bool),
        at now: Instant
    ) {
        if state == .active {
            if let value, let previous { raiseMaximumHeartRate(to: min(value, previous)) }
            if let beatAt = beat.at {
                variability.receive(measurement.rrIntervals, until: beatAt, gap: beat.gap)
            } else if beat.gap {
                variability.interrupt()
            }
        }
        if let energy = measurement.energyKilojoules { receive(strapEnergy: energy) }
        if value != nil { recordSign(at: now, isDevice: true) }
    }

    /// - Parameter distance: what the sensor has covered, if it measures that.
    mutating func receive(
        _ measurement: SensorMeasurement, from id: SensorID, _ distance: (DistanceSensor, SensorStretch)?,
        at now: Instant, in world: inout World
    ) {
        guard state == .active else { return }
        if let (sensor, stretch) = distance, stretch.metres > 0 {
            source.receive(stretch, of: sensor)
            calibration.receive(stretch, of: sensor)
            recordSign(at: now, isDevice: true)
        }
        switch measurement {
        case .environment(let environment):
            // A second barometer would add its difference to the first one.
            guard let decipascals = environment.decipascals, world.sensors.barometer(at: now) == id else { return }
            receive(pascals: Double(decipascals) / 10)
        case .power, .fitnessMachine:
            guard world.sensors.powerSensor(at: now) == id, let watts = world.sensors.watts(of: id, at: now) else {
                return
            }
            guard world.rules < .powerLimit || watts <= PowerLimit.watts else { return power.receiveSpike() }
            power.receive(watts: watts, at: now)
            if watts > 0 { recordSign(at: now, isDevice: true) }
        case .heartRate, .speedCadence, .running, .radar, .values: break
        }
    }

    // MARK: The course

    mutating func load(_ course: LoadedCourse?, in world: inout World) {
        if let course, course.course != nil, course.hash == guide?.loaded.hash {
            guide?.loaded = course
        } else {
            restartGuide(world)
        }
    }

    /// Begins to follow the loaded course; indoors there is no position to follow it with.
    mutating func restartGuide(_ world: World) {
        guard !isIndoor else { return }
        guide = world.course.flatMap {
            CourseGuide($0, isOnFoot: sport.isOnFoot, climbScore: world.settings.climbScore)
        }
    }

    /// Guides by an accepted fix.
    mutating func guide(
        by point: TrackPoint, track: Double?, at now: Instant, in world: inout World, into effects: inout Effects
    ) {
        guide?.receive(
            CourseMatcher.Fix(
                coordinate: point.coordinate, at: point.arrivedAt, accuracy: point.accuracy, speed: point.speed,
                track: track))
        reportGuide(at: now, in: &world, into: &effects)
    }

    /// Guides through a second of active time.
    mutating func guide(at tick: Instant, in world: inout World, into effects: inout Effects) {
        guard guide != nil else { return }
        let second = guidedSecond
        guide?.tick(at: tick, second)
        reportGuide(at: tick, in: &world, into: &effects)
    }

    private mutating func reportGuide(at now: Instant, in world: inout World, into effects: inout Effects) {
        while let kind = guide?.popEvent() {
            emit(kind, at: now, in: &world, into: &effects)
            if case .climb = kind, world.settings.climbLaps, state == .active {
                closeLap(at: now, trigger: .distance, in: &world, into: &effects)
            }
        }
    }
}
