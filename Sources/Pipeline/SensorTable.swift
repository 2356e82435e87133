import Domain

/// The sensors of the list, and the newest values of each.
struct SensorTable: Sendable {
    /// The sensors in the order of ``list``, then those that are no longer listed.
    private(set) var slots: [TrackedSensor] = []
    /// The sensors of the state, the strap first.
    private(set) var list: [SensorStatus] = []

    init(_ slots: [TrackedSensor] = []) {
        self.slots = slots
        arrange()
    }

    // MARK: Inputs

    /// - Returns: the duration of the link's former state if it has another one now.
    mutating func receive(_ status: SensorStatus, at now: Instant) -> Duration? {
        defer { arrange() }
        guard let index = index(of: status.id) else {
            if slots.count == SensorReadings.capacity, slots.last?.isListed == false { slots.removeLast() }
            guard slots.count < SensorReadings.capacity else { return nil }
            slots.append(TrackedSensor(status, at: now))
            return status.link.state == .connected ? .zero : nil
        }
        let after = now - slots[index].linkedAt
        return slots[index].receive(status, at: now) ? after : nil
    }

    mutating func remove(_ id: SensorID) {
        slots.removeAll { $0.status.id == id }
        arrange()
    }

    /// Receives that all links are lost: the sensors are not listed until their next status.
    mutating func disconnect() {
        for index in slots.indices {
            slots[index].disconnected()
            slots[index].isListed = false
        }
        arrange()
    }

    /// - Returns: the distance that the measurement adds, and the sensor.
    mutating func receive(
        _ measurement: SensorMeasurement, from id: SensorID, at now: Instant, _ settings: Settings
    ) -> (sensor: DistanceSensor, stretch: SensorStretch)? {
        guard let index = index(of: id), slots[index].isListed,
            let (odometer, stretch) = slots[index].receive(measurement, at: now, settings)
        else { return nil }
        return (DistanceSensor(id: id, odometer: odometer), stretch)
    }

    func sensor(_ id: SensorID) -> TrackedSensor? {
        index(of: id).map { slots[$0] }
    }

    func index(of id: SensorID) -> Int? {
        slots.firstIndex { $0.status.id == id }
    }

    private mutating func arrange() {
        let listed = slots.filter(\.isListed)
        let straps = listed.filter { !$0.isExternal && $0.status.kinds.contains(.heartRate) }
        let others = listed.filter { !$0.isExternal && !$0.status.kinds.contains(.heartRate) }
        // A sensor of another program takes the place of none of ours.
        let ordered = straps + others + listed.filter(\.isExternal)
        slots = ordered + slots.filter { !$0.isListed }
        list = ordered.map(\.status)
    }

    // MARK: Values

    /// The values of each sensor of the list.
    func readings(at now: Instant, _ settings: Settings) -> SensorReadings {
        var readings = SensorReadings()
        for index in list.indices { readings[index] = slots[index].reading(at: now, settings) }
        return readings
    }

    func vehicles(of id: SensorID, at now: Instant) -> RadarThreats? {
        index(of: id).flatMap { slots[$0].vehicles(at: now) }
    }

    /// The sensor whose power counts: the first power meter that is present, else the first machine.
    func powerSensor(at now: Instant) -> SensorID? {
        for slot in slots where slot.isListed && slot.power(at: now) != nil { return slot.status.id }
        for slot in slots where slot.isListed && slot.machineRecord(at: now)?.watts != nil { return slot.status.id }
        return nil
    }

    /// The sensor whose air pressure counts: the first one that is present and has one.
    func barometer(at now: Instant) -> SensorID? {
        for slot in slots where slot.isListed {
            if case .environment(let environment)? = slot.measurement(.environment, at: now),
                environment.decipascals != nil
            {
                return slot.status.id
            }
        }
        return nil
    }

    /// Watts of a sensor.
    func watts(of id: SensorID, at now: Instant) -> Int? {
        index(of: id).flatMap { slots[$0].watts(at: now) }
    }

    /// Part of the left pedal in percent.
    func leftBalance(of id: SensorID, at now: Instant) -> Double? {
        guard let power = index(of: id).flatMap({ slots[$0].power(at: now) }), power.isBalanceOfLeft,
            let balance = power.balance
        else { return nil }
        return Double(balance) / 2
    }

    /// The cadence of the first sensor that is present and has one of the sport.
    func cadence(at now: Instant, _ sport: Sport) -> Double? {
        for slot in slots where slot.isListed {
            if let cadence = slot.cadence(at: now, sport) { return cadence }
        }
        return nil
    }

    /// The sensor whose cadence counts.
    func cadenceSensor(at now: Instant, _ sport: Sport) -> SensorID? {
        slots.first { $0.isListed && $0.cadence(at: now, sport) != nil }?.status.id
    }

    /// Metres per second by a sensor; nil if it is absent, or has no speed yet.
    func speed(of sensor: DistanceSensor, at now: Instant, _ settings: Settings) -> Double? {
        index(of: sensor.id).flatMap { slots[$0].speed(sensor.odometer, at: now, settings) }
    }

    /// The first sensor in the order of ``DistanceSensor/Odometer`` that is present and suits the sport.
    func distanceSensor(at now: Instant, _ sport: Sport) -> DistanceSensor? {
        for odometer in DistanceSensor.Odometer.allCases where odometer.suits(sport) {
            for slot in slots where slot.isListed && slot.isPresent(odometer, at: now) {
                return DistanceSensor(id: slot.status.id, odometer: odometer)
            }
        }
        return nil
    }
}

/// A counter of distance: a sensor, and which of its services.
struct DistanceSensor: Hashable, Sendable {
    /// In the order in which they are used.
    enum Odometer: CaseIterable, Sendable {
        case wheel, powerMeterWheel, footPod, machine

        func suits(_ sport: Sport) -> Bool {
            switch self {
            case .wheel, .powerMeterWheel: sport == .ride || sport == .other
            case .footPod: sport != .ride
            case .machine: true
            }
        }

        var source: SpeedSource {
            switch self {
            case .wheel, .powerMeterWheel: .wheel
            case .footPod: .footPod
            case .machine: .machine
            }
        }
    }

    var id: SensorID
    var odometer: Odometer
}
