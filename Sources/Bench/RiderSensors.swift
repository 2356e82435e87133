import Domain
import Pipeline

/// Six sensors of a rider, each with one notification a second: the strap, a power meter, speed and cadence, a foot pod,
/// a trainer and a radar.
struct RiderSensors {
    private var seconds: UInt32 = 0

    private static let kinds: [SensorKind] = [
        .heartRate, .cyclingPower, .cyclingSpeedCadence, .runningSpeedCadence, .fitnessMachine, .radar,
    ]

    private static func id(_ kind: SensorKind) -> SensorID {
        .bluetooth(
            LEAddress(BluetoothAddress(value: 0xC000_0000_0000 + UInt64(kinds.firstIndex(of: kind) ?? 0)), .random))
    }

    /// Connects the sensors.
    func connect(to run: inout ScriptedRun) {
        for kind in Self.kinds {
            run.receive(.sensor(SensorStatus(Self.id(kind), kinds: [kind], link: LinkStatus(.connected))))
        }
    }

    /// Sends the notifications of the next second, except the strap's.
    mutating func notify(_ run: inout ScriptedRun) {
        seconds += 1
        let time = UInt16(truncatingIfNeeded: seconds * 1024)
        let wheel = RevolutionCount(revolutions: seconds * 4, eventTime: time)
        let crank = RevolutionCount(revolutions: seconds & 0xFFFF, eventTime: time)
        var power = CyclingPowerMeasurement(watts: Int16(180 + seconds % 50))
        power.crank = crank
        var machine = FitnessMachineRecord()
        machine.rawSpeed = 2880
        machine.watts = 200
        var threats = RadarThreats()
        threats.update(RadarThreat(id: 1, metres: UInt8(100 - seconds % 100), kilometresPerHour: 40))
        let measurements: [SensorMeasurement] = [
            .power(power), .speedCadence(CyclingSpeedCadenceMeasurement(wheel: wheel, crank: crank)),
            .running(RunningMeasurement(rawSpeed: 768, cadence: 170)), .fitnessMachine(machine), .radar(threats),
        ]
        for measurement in measurements {
            run.receive(.measurement(Self.id(measurement.kind), measurement))
        }
    }
}
