package import Domain

/// One sensor of the list: its status, its newest measurements, and its counters.
///
/// A sensor that is no longer listed keeps its counters for a while, so that a restart of the daemon loses no distance.
package struct TrackedSensor: Equatable, Sendable {
    package var status: SensorStatus
    /// Since when the link has its state.
    package var linkedAt: Instant
    package var isListed = true
    /// The newest measurement of each kind.
    package var newest: [Timestamped<SensorMeasurement>] = []
    package var wheel = RevolutionMeter(.wheel)
    package var crank = RevolutionMeter(.crank)
    package var powerMeterWheel = RevolutionMeter(.powerMeterWheel)
    package var powerMeterCrank = RevolutionMeter(.crank)
    package var footPod = DistanceCounter()
    package var machine = DistanceCounter()

    package init(_ status: SensorStatus, at now: Instant) {
        self.status = status
        linkedAt = now
        newest.reserveCapacity(SensorKind.allCases.count)
    }

    /// The age at which a value is absent. Environmental sensors may send each minute only.
    static func lifetime(of kind: SensorKind) -> Duration {
        switch kind {
        case .environment: .seconds(120)
        // Slow values, and programs that send on a change and once in a while.
        case .bodyTemperature: .seconds(60)
        case .gears, .eBike, .muscleOxygen, .fields: .seconds(10)
        default: RevolutionMeter.lifetime
        }
    }

    // MARK: Inputs

    /// - Returns: Whether the state of the link has changed.
    mutating func receive(_ status: SensorStatus, at now: Instant) -> Bool {
        let hasChanged = status.link.state != self.status.link.state
        if hasChanged {
            linkedAt = now
            disconnected()
        }
        // The values are in the order of the fields that were declared then.
        if status.fields != self.status.fields { newest.removeAll { $0.value.kind == .fields } }
        self.status = status
        isListed = true
        return hasChanged
    }

    mutating func disconnected() {
        wheel.disconnected()
        crank.disconnected()
        powerMeterWheel.disconnected()
        powerMeterCrank.disconnected()
        footPod.disconnected()
        machine.disconnected()
    }

    /// Receives a measurement.
    ///
    /// - Returns: the distance that it adds to what one of the odometers has measured.
    mutating func receive(
        _ measurement: SensorMeasurement, at now: Instant, _ settings: Settings
    ) -> (odometer: DistanceSensor.Odometer, SensorStretch)? {
        store(measurement, at: now)
        switch measurement {
        case .heartRate, .environment, .radar, .values: return nil
        case .speedCadence(let counts):
            if let count = counts.crank { _ = crank.received(count, at: now) }
            guard let count = counts.wheel else { return nil }
            let counted = wheel.received(count, at: now)
            return (.wheel, SensorStretch(counted, of: wheel, settings))
        case .power(let power):
            if let count = power.crank { _ = powerMeterCrank.received(count, at: now) }
            guard let count = power.wheel else { return nil }
            let counted = powerMeterWheel.received(count, at: now)
            return (.powerMeterWheel, SensorStretch(counted, of: powerMeterWheel, settings))
        case .running(let running):
            guard running.hasSpeed else { return nil }
            let stretch = footPod.received(
                running.totalDecimetres, width: 32, unit: 0.1, speed: running.speed, at: now)
            return (.footPod, stretch.scaled(by: settings.strideFactor))
        case .fitnessMachine(let record):
            guard record.totalMetres != nil || record.speed != nil else { return nil }
            return (
                .machine, machine.received(record.totalMetres, width: 24, unit: 1, speed: record.speed ?? 0, at: now)
            )
        }
    }

    private mutating func store(_ measurement: SensorMeasurement, at now: Instant) {
        guard let index = newest.firstIndex(where: { $0.value.kind == measurement.kind }) else {
            newest.append(Timestamped(measurement, at: now))
            return
        }
        var measurement = measurement
        // Each characteristic has one value.
        if case .environment(var new) = measurement, case .environment(let old) = newest[index].value {
            new.decipascals = new.decipascals ?? old.decipascals
            new.centidegrees = new.centidegrees ?? old.centidegrees
            new.rawHumidity = new.rawHumidity ?? old.rawHumidity
            measurement = .environment(new)
        }
        newest[index] = Timestamped(measurement, at: now)
    }

    // MARK: Values

    /// The newest measurement of a kind; nil if it is too old.
    func measurement(_ kind: SensorKind, at now: Instant) -> SensorMeasurement? {
        for place in newest.indices where newest[place].value.kind == kind {
            return newest[place].age(at: now) < Self.lifetime(of: kind) ? newest[place].value : nil
        }
        return nil
    }

    var isExternal: Bool {
        if case .external = status.id { true } else { false }
    }

    var isRadar: Bool { status.kinds.contains(.radar) }

    func vehicles(at now: Instant) -> RadarThreats? {
        guard case .radar(let threats)? = measurement(.radar, at: now) else { return nil }
        return threats
    }

    func power(at now: Instant) -> CyclingPowerMeasurement? {
        guard case .power(let power)? = measurement(.cyclingPower, at: now) else { return nil }
        return power
    }

    func machineRecord(at now: Instant) -> FitnessMachineRecord? {
        guard case .fitnessMachine(let record)? = measurement(.fitnessMachine, at: now) else { return nil }
        return record
    }

    func running(at now: Instant) -> RunningMeasurement? {
        guard case .running(let running)? = measurement(.runningSpeedCadence, at: now) else { return nil }
        return running
    }

    /// The values of a kind with own fields.
    func ownValues(_ kind: SensorKind, at now: Instant) -> OwnFieldValues? {
        for place in newest.indices {
            guard case .values(kind, let values) = newest[place].value else { continue }
            return newest[place].age(at: now) < Self.lifetime(of: kind) ? values : nil
        }
        return nil
    }

    /// One of them, without a copy of the others.
    func ownValue(_ kind: SensorKind, _ index: Int, at now: Instant) -> Double? {
        for place in newest.indices {
            guard case .values(kind, let values) = newest[place].value else { continue }
            return newest[place].age(at: now) < Self.lifetime(of: kind) ? values[index] : nil
        }
        return nil
    }

    /// Of a sensor that is no strap of the run.
    func heartRate(at now: Instant) -> Int? {
        guard case .heartRate(let heart)? = measurement(.heartRate, at: now), heart.beatsPerMinute > 0 else {
            return nil
        }
        return Int(heart.beatsPerMinute)
    }

    /// Watts of the power meter, else of the machine.
    func watts(at now: Instant) -> Int? {
        (power(at: now)?.watts ?? machineRecord(at: now)?.watts).map(Int.init)
    }

    /// Turns of the crank, or steps, per minute. Which of them depends on the sport.
    func cadence(at now: Instant, _ sport: Sport?) -> Double? {
        let crank = (crank.rate(at: now) ?? powerMeterCrank.rate(at: now)).map { $0 * 60 }
        let steps = running(at: now).map { Double($0.cadence) }
        let ofMachine = machineRecord(at: now)?.cadence
        return switch sport {
        case .ride: crank ?? ofMachine
        case .run, .walk, .hike: steps ?? ofMachine
        case .other, nil: crank ?? steps ?? ofMachine
        }
    }

    /// Metres per second by one of the odometers; nil if it is absent, or has no speed yet.
    func speed(_ odometer: DistanceSensor.Odometer, at now: Instant, _ settings: Settings) -> Double? {
        switch odometer {
        case .wheel: wheel.rate(at: now).map { $0 * settings.wheelMetres }
        case .powerMeterWheel: powerMeterWheel.rate(at: now).map { $0 * settings.wheelMetres }
        case .footPod: running(at: now).flatMap { $0.hasSpeed ? $0.speed * settings.strideFactor : nil }
        case .machine: machineRecord(at: now)?.speed
        }
    }

    /// Whether one of the odometers is present.
    func isPresent(_ odometer: DistanceSensor.Odometer, at now: Instant) -> Bool {
        switch odometer {
        case .wheel: wheel.isPresent(at: now)
        case .powerMeterWheel: powerMeterWheel.isPresent(at: now)
        case .footPod: running(at: now)?.hasSpeed == true
        case .machine: machineRecord(at: now).map { $0.totalMetres != nil || $0.speed != nil } ?? false
        }
    }

    /// The values for screens.
    func reading(at now: Instant, _ settings: Settings) -> SensorReading {
        var reading = SensorReading()
        reading.measuredAt = newest.lazy.filter { $0.age(at: now) < Self.lifetime(of: $0.value.kind) }
            .map(\.measuredAt).max()
        // Own fields are not here: a sensor of these alone has no other value.
        guard reading.measuredAt != nil, status.kinds.contains(where: { !$0.hasFields }) else { return reading }
        reading.watts = watts(at: now)
        reading.cadence = cadence(at: now, nil)
        reading.speed = DistanceSensor.Odometer.allCases.lazy.compactMap { speed($0, at: now, settings) }.first
        reading.heartRate = heartRate(at: now)
        if case .environment(let environment)? = measurement(.environment, at: now) {
            reading.pressure = environment.decipascals.map { Double($0) / 10 }
            reading.temperature = environment.centidegrees.map { Double($0) / 100 }
            reading.humidity = environment.rawHumidity.map { Double($0) / 100 }
        }
        if let threats = vehicles(at: now) {
            reading.vehicles = threats.count
            reading.vehicleDistance = (threats.nearest?.metres).map(Int.init)
            reading.vehicleSpeed = (threats.nearest?.kilometresPerHour).map { Double($0) / 3.6 }
        }
        return reading
    }

    /// The slot with every moment moved later by `shift`.
    func shifted(by shift: Duration) -> TrackedSensor {
        var shifted = self
        shifted.linkedAt += shift
        for index in newest.indices { shifted.newest[index].measuredAt += shift }
        shifted.wheel = wheel.shifted(by: shift)
        shifted.crank = crank.shifted(by: shift)
        shifted.powerMeterWheel = powerMeterWheel.shifted(by: shift)
        shifted.powerMeterCrank = powerMeterCrank.shifted(by: shift)
        shifted.footPod.at? += shift
        shifted.machine.at? += shift
        return shifted
    }
}

/// A distance that a sensor has measured, and when.
struct SensorStretch: Equatable, Sendable {
    var from: Instant
    var to: Instant
    var metres: Double

    init(from: Instant, to: Instant, metres: Double) {
        self.from = from
        self.to = to
        self.metres = metres
    }

    /// - Parameter meter: has counted the revolutions.
    fileprivate init(_ counted: RevolutionMeter.Counted, of meter: RevolutionMeter, _ settings: Settings) {
        let end = meter.memory.eventAt
        self.init(from: end - counted.span, to: end, metres: Double(counted.revolutions) * settings.wheelMetres)
    }

    fileprivate func scaled(by factor: Double) -> SensorStretch {
        SensorStretch(from: from, to: to, metres: metres * factor)
    }

    /// The metres after a moment, if the speed was constant.
    func metres(after moment: Instant) -> Double {
        guard moment > from else { return metres }
        guard moment < to else { return 0 }
        return metres * (to - moment).inSeconds / (to - from).inSeconds
    }
}

/// Measures distance by the total of a foot pod or a machine; without one, by the speed.
package struct DistanceCounter: Equatable, Sendable {
    /// The newest total that counts; nil if there was none.
    package var total: UInt32?
    /// The time of ``total``, or of the last notification.
    package var at: Instant?
    /// Whether the next notification is the first of a connection, which may be old.
    package var isConnecting = true

    /// The speed of a total above which the counter was reset, in metres per second.
    private static let fastest = 35.0

    package init() {}

    mutating func disconnected() {
        isConnecting = true
    }

    /// Receives one notification.
    ///
    /// - Parameters:
    ///   - width: bits of the total, after which it wraps.
    ///   - unit: metres of a unit of the total.
    fileprivate mutating func received(
        _ total: UInt32?, width: UInt32, unit: Double, speed: Double, at now: Instant
    ) -> SensorStretch {
        if isConnecting {
            isConnecting = false
            if self.total == nil { at = now }
            return SensorStretch(from: now, to: now, metres: 0)
        }
        defer {
            self.total = total
            at = now
        }
        guard let at, now > at else { return SensorStretch(from: now, to: now, metres: 0) }
        let seconds = (now - at).inSeconds
        var metres = seconds < RevolutionMeter.lifetime.inSeconds ? speed * seconds : 0
        if let total, let before = self.total {
            let difference = Double((total &- before) & (width == 32 ? .max : 1 << width - 1)) * unit
            // Anything else is a reset.
            metres = difference <= Self.fastest * (seconds + 2) ? difference : 0
        }
        return SensorStretch(from: at, to: now, metres: metres)
    }
}

extension Settings {
    /// Metres of a turn of the wheel: of a tyre 25-622 while it is unknown.
    package var wheelMetres: Double {
        Double(wheelMillimetres > 0 ? wheelMillimetres : Self.usualWheel) / 1000
    }

    static let usualWheel = 2105

    /// Distance over that of the foot pod.
    var strideFactor: Double {
        stridePermille > 0 ? Double(stridePermille) / 1000 : 1
    }
}
