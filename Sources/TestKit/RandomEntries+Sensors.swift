import Domain
import Pipeline

extension RandomEntries {
    mutating func sensorID() -> SensorID {
        guard let address = address() else {
            return ExternalSensorName("sensor-\(small() as UInt8)").map { flag() ? .external($0) : .board } ?? .board
        }
        return .bluetooth(LEAddress(address, pick([.public, .random])))
    }

    mutating func sensor() -> SensorStatus {
        var sensor = SensorStatus(sensorID(), kinds: SensorKind.allCases.filter { _ in flag() }, link: status())
        sensor.batteryPercent = maybe(small() as UInt8).map { Int($0) }
        sensor.manufacturer = foreign()
        sensor.model = foreign()
        sensor.serialNumber = foreign()
        sensor.firmware = foreign()
        if sensor.kinds.contains(.fields) { sensor.fields = (0..<3).map { ownField($0) } }
        return sensor
    }

    mutating func trackedSensor() -> TrackedSensor {
        var sensor = TrackedSensor(sensor(), at: instant())
        sensor.isListed = flag()
        sensor.newest = many(3) { Timestamped($0.sensorMeasurement(), at: $0.instant()) }
        sensor.wheel = meter(.wheel)
        sensor.crank = meter(.crank)
        sensor.powerMeterWheel = meter(.powerMeterWheel)
        sensor.powerMeterCrank = meter(.crank)
        for counter in [\TrackedSensor.footPod, \.machine] {
            sensor[keyPath: counter].total = maybe(small())
            sensor[keyPath: counter].at = maybe(instant())
            sensor[keyPath: counter].isConnecting = flag()
        }
        return sensor
    }

    private mutating func meter(_ rotor: RevolutionMeter.Rotor) -> RevolutionMeter {
        var memory = RevolutionMeter.Memory()
        memory.base = revolutions()
        memory.eventAt = instant()
        memory.unchangedAt = instant()
        memory.receivedAt = maybe(instant())
        memory.quietSince = instant()
        memory.rate = maybe(number())
        memory.isConnecting = flag()
        return RevolutionMeter(rotor, memory)
    }

    mutating func sensorMeasurement() -> SensorMeasurement {
        switch pick(SensorKind.allCases) {
        case .heartRate: .heartRate(measurement())
        case .cyclingSpeedCadence:
            .speedCadence(CyclingSpeedCadenceMeasurement(wheel: revolutions(), crank: revolutions()))
        case .cyclingPower: .power(power())
        case .runningSpeedCadence:
            .running(
                RunningMeasurement(
                    rawSpeed: small(), cadence: small(), strideCentimetres: maybe(small()),
                    totalDecimetres: maybe(small()), isRunning: flag()))
        case .fitnessMachine: .fitnessMachine(record())
        case .environment:
            .environment(
                EnvironmentMeasurement(
                    decipascals: maybe(small()), centidegrees: maybe(small()), rawHumidity: maybe(small())))
        case .radar: .radar(threats())
        case .gears: ownValues(.gears)
        case .eBike: ownValues(.eBike)
        case .muscleOxygen: ownValues(.muscleOxygen)
        case .bodyTemperature: ownValues(.bodyTemperature)
        case .fields: ownValues(.fields)
        }
    }

    private mutating func ownValues(_ kind: SensorKind) -> SensorMeasurement {
        .values(kind, OwnFieldValues((0..<OwnField.perSensor).map { _ in maybe(number()) }))
    }

    private mutating func ownField(_ number: Int) -> OwnField {
        OwnField(
            OwnFieldName("field_\(number)")!, title: foreign() ?? SanitizedText("Field")!,
            unit: maybe(SanitizedText("°")!),
            decimals: number, icon: pick(OwnField.Icon.allCases),
            nativeField: maybe(7))
    }

    private mutating func power() -> CyclingPowerMeasurement {
        var power = CyclingPowerMeasurement(watts: small())
        power.balance = maybe(small())
        power.isBalanceOfLeft = flag()
        power.accumulatedTorque = maybe(small())
        power.isTorqueOfCrank = flag()
        power.wheel = revolutions()
        power.crank = revolutions()
        power.force = extremes()
        power.torque = extremes()
        power.angle = extremes()
        power.topDeadSpotAngle = maybe(small())
        power.bottomDeadSpotAngle = maybe(small())
        power.energyKilojoules = maybe(small())
        power.needsOffsetCompensation = flag()
        return power
    }

    private mutating func record() -> FitnessMachineRecord {
        var record = FitnessMachineRecord()
        record.rawSpeed = maybe(small())
        record.pace = maybe(small())
        record.cadence = maybe(small() as UInt16).map { Double($0) / 2 }
        record.strokeCount = maybe(small())
        record.totalMetres = maybe(small())
        record.inclination = maybe(small())
        record.resistance = maybe(small())
        record.watts = maybe(small())
        record.kilocalories = maybe(small())
        record.heartRate = maybe(small())
        record.elapsedSeconds = maybe(small())
        return record
    }

    private mutating func threats() -> RadarThreats {
        var threats = RadarThreats()
        while flag() { threats.update(RadarThreat(id: small(), metres: small(), kilometresPerHour: small())) }
        return threats
    }

    private mutating func revolutions() -> RevolutionCount? {
        maybe(RevolutionCount(revolutions: small(), eventTime: small()))
    }

    private mutating func extremes() -> CyclingPowerMeasurement.Extremes? {
        maybe(CyclingPowerMeasurement.Extremes(maximum: small(), minimum: small()))
    }
}
