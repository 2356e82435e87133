import Domain

/// Inputs of the sensors besides heart rate and position.
extension Pipeline {
    mutating func receive(_ status: SensorStatus, at now: Instant, into effects: inout Effects) {
        let after = sensors.receive(status, at: now)
        // The strap's link has its own input.
        if let after, !status.kinds.contains(.heartRate) {
            emit(.link(.sensor, status.link, after: after), at: now, into: &effects)
        }
        changed(at: now, into: &effects)
    }

    mutating func remove(_ sensor: SensorID, at now: Instant, into effects: inout Effects) {
        sensors.remove(sensor)
        changed(at: now, into: &effects)
    }

    mutating func receive(
        _ measurement: SensorMeasurement, from id: SensorID, at now: Instant, into effects: inout Effects
    ) {
        let vehicles = sensors.vehicles(of: id, at: now)?.count ?? 0
        let distance = sensors.receive(measurement, from: id, at: now, settings)
        if case .radar = measurement, let threats = sensors.vehicles(of: id, at: now),
            threats.count > vehicles || threats.count == 0 && vehicles > 0
        {
            let nearest = threats.nearest
            emit(
                .radar(
                    vehicles: threats.count, metres: (nearest?.metres).map(Int.init),
                    metresPerSecond: (nearest?.kilometresPerHour).map { Double($0) / 3.6 }), at: now, into: &effects)
        }
        guard runState == .active else { return }
        if let (sensor, stretch) = distance, stretch.metres > 0 {
            run?.source.receive(stretch, of: sensor)
            run?.calibration.receive(stretch, of: sensor)
            run?.showSign(at: now, isDevice: true)
        }
        switch measurement {
        case .environment(let environment):
            // A second barometer would add its difference to the first one.
            guard let decipascals = environment.decipascals, sensors.barometer(at: now) == id else { return }
            run?.receive(pascals: Double(decipascals) / 10)
        case .power, .fitnessMachine:
            guard sensors.powerSensor(at: now) == id, let watts = sensors.watts(of: id, at: now) else { return }
            guard rules == .first || watts <= PowerLimit.watts else {
                run?.power.receiveSpike()
                return
            }
            run?.power.receive(watts: watts, at: now)
            if watts > 0 { run?.showSign(at: now, isDevice: true) }
        case .heartRate, .speedCadence, .running, .radar: break
        }
    }

    /// Measures power and cadence of a second.
    mutating func measureSensors(at tick: Instant, _ sport: Sport) {
        run?.power.tick(at: tick)
        let balance = sensors.powerSensor(at: tick).flatMap { sensors.leftBalance(of: $0, at: tick) }
        run?.addSecond(cadence: sensors.cadence(at: tick, sport), leftBalance: balance, settings)
    }

    /// Compares the sensor with a second of the position.
    mutating func calibrate(_ step: Odometer.Step, at tick: Instant, into effects: inout Effects) {
        let isGood = freshness.value == .fresh && !step.beginsAnew && step.gap == nil
        let measured = run?.calibration.tick(
            metres: step.metres, isGap: !isGood, position?.value, settings)
        guard let (key, value) = measured ?? nil else { return }
        emit(.calibration(key, value), at: tick, into: &effects)
    }
}
