import Domain
import Pipeline

/// Eight sensors of other programs, the most that there can be, which measure four times a second: a power meter, two of muscle
/// oxygen, gears, an e-bike, body temperature, and two with eight fields of their own.
struct PublishedSensors {
    private var count = 0.0

    private static let kinds: [SensorKind] = [
        .cyclingPower, .muscleOxygen, .muscleOxygen, .gears, .eBike, .bodyTemperature, .fields, .fields,
    ]

    private static func id(_ number: Int) -> SensorID {
        .external(ExternalSensorName("program-\(number)")!)
    }
    private static let ids = kinds.indices.map(id)

    func connect(to run: inout ScriptedRun) {
        for (number, kind) in Self.kinds.enumerated() {
            var status = SensorStatus(Self.ids[number], kinds: [kind], link: LinkStatus(.connected))
            if kind == .fields {
                status.fields = (0..<OwnField.perSensor).map { index in
                    OwnField(
                        OwnFieldName("field_\(number)_\(index)")!, title: SanitizedText("Field \(index)")!, decimals: 2)
                }
            }
            run.receive(.sensor(status))
        }
    }

    /// Sends the measurements of a second.
    mutating func measure(_ run: inout ScriptedRun) {
        for _ in 0..<4 {
            count += 1
            let values = OwnFieldValues((0..<8).map { 20 + count / 10 + Double($0) })
            for (number, kind) in Self.kinds.enumerated() {
                let measurement =
                    kind == .cyclingPower
                    ? SensorMeasurement.power(CyclingPowerMeasurement(watts: 210)) : .values(kind, values)
                run.receive(.measurement(Self.ids[number], measurement))
            }
        }
    }
}
