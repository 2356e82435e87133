import Domain

/// The own fields of the sensors, in the order of their first values, and where each value comes from.
///
/// A run begins with the fields that have a value then; from there on a field keeps its place, so that the columns of a
/// recording do not move.
struct OwnFieldTable {
    /// Where a value comes from.
    fileprivate enum Quantity: Equatable {
        /// A value of a kind that paced knows, by its place among that kind's values.
        case value(SensorKind, Int)
        /// A value of the kind `fields`, by its name: the program of the sensor may declare other fields meanwhile.
        case declared
        case watts, heartRate, cadence
    }

    fileprivate struct Slot {
        var field: OwnField
        var sensor: SensorID
        var quantity: Quantity
    }

    private var slots: [Slot] = []
    /// The fields of ``slots``, shared with the states.
    private(set) var fields: [OwnField] = []
    /// The sensors of ``slots``.
    private(set) var sensors: [SensorID] = []

    init() {
        slots.reserveCapacity(OwnField.limit)
    }

    /// Begins anew with the fields that have a value now.
    mutating func restart(_ sensors: SensorTable, at now: Instant, _ settings: Settings) {
        slots.removeAll(keepingCapacity: true)
        (fields, self.sensors) = ([], [])
        for sensor in sensors.slots where sensor.isListed {
            for kind in sensor.status.kinds where sensor.ownValues(kind, at: now) != nil {
                receive(kind, of: sensor, sensors, at: now, settings)
            }
        }
    }

    /// Receives that a sensor has measured values of a kind.
    mutating func receive(
        _ kind: SensorKind, of sensor: TrackedSensor, _ sensors: SensorTable, at now: Instant, _ settings: Settings
    ) {
        guard let values = sensor.ownValues(kind, at: now) else { return }
        func add(_ field: OwnField, _ index: Int) {
            guard values[index] != nil else { return }
            let quantity = kind == .fields ? Quantity.declared : .value(kind, index)
            guard let known = slots.firstIndex(where: { $0.field.name == field.name }) else {
                return append(Slot(field: field, sensor: sensor.status.id, quantity: quantity), sensors, at: now)
            }
            guard slots[known].sensor != sensor.status.id else { return }
            // The sensor that has gone leaves its place to one that measures the same.
            if slots[known].field.unit == field.unit, value(of: slots[known], sensors, at: now, nil) == nil {
                slots[known].sensor = sensor.status.id
                self.sensors[known] = sensor.status.id
                slots[known].quantity = quantity
            } else if kind != .fields, settings.recordAllSensors {
                addOther(field, of: sensor, quantity, sensors, at: now)
            }
        }
        if kind == .fields {
            for (index, field) in sensor.status.fields.enumerated() { add(field, index) }
        } else {
            for (index, row) in kind.fields.enumerated() { add(row.field, index) }
        }
    }

    /// Adds the sensors of power, heart rate and cadence that do not count, if they have values.
    mutating func addOthers(_ sensors: SensorTable, at now: Instant, _ sport: Sport) {
        let (power, cadence) = (sensors.powerSensor(at: now), sensors.cadenceSensor(at: now, sport))
        for sensor in sensors.slots where sensor.isListed {
            let id = sensor.status.id
            if sensor.watts(at: now) != nil, power != id {
                addOther(Self.power, of: sensor, .watts, sensors, at: now)
            }
            if sensor.heartRate(at: now) != nil {
                addOther(Self.heartRate, of: sensor, .heartRate, sensors, at: now)
            }
            if sensor.cadence(at: now, sport) != nil, cadence != id {
                addOther(Self.cadence, of: sensor, .cadence, sensors, at: now)
            }
        }
    }

    private static let power = OwnField(
        OwnFieldName("power")!, title: SanitizedText("Power")!, unit: SanitizedText("W"), icon: .bolt)
    private static let heartRate = OwnField(
        OwnFieldName("heart_rate")!, title: SanitizedText("Heart Rate")!, unit: SanitizedText("bpm"), icon: .heart)
    private static let cadence = OwnField(
        OwnFieldName("cadence")!, title: SanitizedText("Cadence")!, unit: SanitizedText("/min"), icon: .gauge)

    /// Adds the field of a further sensor under the next free number, from 2.
    private mutating func addOther(
        _ field: OwnField, of sensor: TrackedSensor, _ quantity: Quantity, _ sensors: SensorTable, at now: Instant
    ) {
        let id = sensor.status.id
        guard slots.count < OwnField.limit, !slots.contains(where: { $0.sensor == id && $0.quantity == quantity })
        else { return }
        for number in 2...OwnField.limit + 1 {
            let numbered = field.numbered(number)
            guard !slots.contains(where: { $0.field.name == numbered.name }) else { continue }
            return append(Slot(field: numbered, sensor: id, quantity: quantity), sensors, at: now)
        }
    }

    private mutating func append(_ slot: Slot, _ sensors: SensorTable, at now: Instant) {
        guard slots.count < OwnField.limit else { return }
        slots.append(slot)
        fields.append(slot.field)
        self.sensors.append(slot.sensor)
    }

    // MARK: Values

    func values(_ sensors: SensorTable, at now: Instant, _ sport: Sport?) -> OwnFieldValues {
        var values = OwnFieldValues()
        for index in slots.indices { values[index] = value(of: slots[index], sensors, at: now, sport) }
        return values
    }

    private func value(of slot: Slot, _ sensors: SensorTable, at now: Instant, _ sport: Sport?) -> Double? {
        guard let place = sensors.index(of: slot.sensor) else { return nil }
        return sensors.slots[place].ownValue(slot, at: now, sport)
    }
}

extension TrackedSensor {
    fileprivate func ownValue(_ slot: OwnFieldTable.Slot, at now: Instant, _ sport: Sport?) -> Double? {
        guard isListed else { return nil }
        return switch slot.quantity {
        case .value(let kind, let index): ownValue(kind, index, at: now)
        case .declared:
            status.fields.firstIndex { $0.name == slot.field.name }.flatMap { ownValue(.fields, $0, at: now) }
        case .watts: watts(at: now).map(Double.init)
        case .heartRate: heartRate(at: now).map(Double.init)
        case .cadence: cadence(at: now, sport)
        }
    }
}

/// Averages own fields over the seconds in which they have a value. It allocates nothing.
struct OwnFieldAverages {
    private var sums = InlineArray<16, Double>(repeating: 0)
    private var seconds = InlineArray<16, Int32>(repeating: 0)

    mutating func add(_ values: OwnFieldValues, count: Int) {
        for index in 0..<count {
            guard let value = values[index] else { continue }
            sums[index] += value
            seconds[index] += 1
        }
    }

    var values: OwnFieldValues {
        var values = OwnFieldValues()
        for index in 0..<OwnField.limit where seconds[index] > 0 {
            values[index] = sums[index] / Double(seconds[index])
        }
        return values
    }
}
