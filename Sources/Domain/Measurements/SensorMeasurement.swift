/// One notification of a sensor.
package enum SensorMeasurement: Equatable, Sendable {
    case heartRate(HeartRateMeasurement)
    case speedCadence(CyclingSpeedCadenceMeasurement)
    case power(CyclingPowerMeasurement)
    case running(RunningMeasurement)
    /// The machine's record as it is known after the notification.
    case fitnessMachine(FitnessMachineRecord)
    case environment(EnvironmentMeasurement)
    /// The vehicles as they are known after the notification.
    case radar(RadarThreats)
    /// The values of a kind's own fields, in their order (``SensorKind/fields``, ``SensorStatus/fields``).
    case values(SensorKind, OwnFieldValues)

    package var kind: SensorKind {
        switch self {
        case .heartRate: .heartRate
        case .speedCadence: .cyclingSpeedCadence
        case .power: .cyclingPower
        case .running: .runningSpeedCadence
        case .fitnessMachine: .fitnessMachine
        case .environment: .environment
        case .radar: .radar
        case .values(let kind, _): kind
        }
    }
}
