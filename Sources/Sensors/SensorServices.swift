package import Domain

extension SensorKind {
    /// The kinds of Bluetooth's sensors.
    package static let ofBluetooth = allCases.filter { $0.service != nil }

    /// The service that makes a device a sensor of this kind; nil for a kind that only other programs measure.
    package var service: AttributeUUID? {
        switch self {
        case .heartRate: .heartRateService
        case .cyclingSpeedCadence: .cyclingSpeedCadenceService
        case .cyclingPower: .cyclingPowerService
        case .runningSpeedCadence: .runningSpeedCadenceService
        case .fitnessMachine: .fitnessMachineService
        case .environment: .environmentService
        case .radar: .radarService
        case .gears, .eBike, .muscleOxygen, .bodyTemperature, .fields: nil
        }
    }

    /// The kind whose measurements a characteristic notifies; nil for any other characteristic.
    package init?(characteristic: AttributeUUID) {
        guard let kind = SensorKind.allCases.first(where: { $0.characteristics.contains(characteristic) }) else {
            return nil
        }
        self = kind
    }

    /// The characteristics that notify measurements. A device of a kind with a service has at least one of them.
    package var characteristics: [AttributeUUID] {
        switch self {
        case .heartRate: [.heartRateMeasurement]
        case .cyclingSpeedCadence: [.cyclingSpeedCadenceMeasurement]
        case .cyclingPower: [.cyclingPowerMeasurement]
        case .runningSpeedCadence: [.runningSpeedCadenceMeasurement]
        case .fitnessMachine: FitnessMachine.allCases.map(\.data)
        case .environment: [.pressure, .temperature, .humidity]
        case .radar: [.radarMeasurement]
        case .gears, .eBike, .muscleOxygen, .bodyTemperature, .fields: []
        }
    }
}

/// Decodes the notifications of one connection, whatever its services are.
package struct SensorDecoder: Equatable, Sendable {
    private var machine = FitnessMachineMerger()
    private var radar = RadarMerger()

    package init() {}

    /// Returns the measurement of a notified value; nil for a malformed one and for an unknown characteristic.
    package mutating func measurement(
        _ value: Span<UInt8>, of characteristic: AttributeUUID, at now: Instant
    ) -> SensorMeasurement? {
        switch characteristic {
        case .heartRateMeasurement: return (try? HeartRateMeasurement(value)).map { .heartRate($0) }
        case .cyclingSpeedCadenceMeasurement:
            return (try? CyclingSpeedCadenceMeasurement(value)).map { .speedCadence($0) }
        case .cyclingPowerMeasurement: return (try? CyclingPowerMeasurement(value)).map { .power($0) }
        case .runningSpeedCadenceMeasurement: return (try? RunningMeasurement(value)).map { .running($0) }
        case .pressure, .temperature, .humidity:
            return (try? EnvironmentMeasurement(value, of: characteristic)).map { .environment($0) }
        case .radarMeasurement:
            guard let measurement = try? RadarMeasurement(value) else { return nil }
            radar.received(measurement)
            return .radar(radar.threats)
        default:
            guard let kind = FitnessMachine.allCases.first(where: { $0.data == characteristic }),
                let part = try? FitnessMachineRecord(value, of: kind)
            else { return nil }
            machine.received(part, at: now)
            return machine.record(at: now).map { .fitnessMachine($0) }
        }
    }
}
