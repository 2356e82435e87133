import Domain
import Pipeline

/// A rider with a position, a wheel sensor and other sensors, on a run.
///
/// Positions and notifications come once a second, at different times of the second.
struct Rider {
    var run: ScriptedRun
    var wheel = SimulatedCounter(.wheel)
    /// Millimetres of a turn of the wheel in truth.
    var wheelMillimetres = 2000.0
    var hasPosition = true
    var hasWheel = true
    /// What else each second sends.
    var sends: [(SensorID, SensorMeasurement)] = []

    static let speedSensor = SensorID.bluetooth(LEAddress(BluetoothAddress("C0:00:00:00:00:01")!, .random))
    static let powerMeter = SensorID.bluetooth(LEAddress(BluetoothAddress("C0:00:00:00:00:02")!, .random))
    static let footPod = SensorID.bluetooth(LEAddress(BluetoothAddress("C0:00:00:00:00:03")!, .random))
    static let trainer = SensorID.bluetooth(LEAddress(BluetoothAddress("C0:00:00:00:00:04")!, .random))
    static let radar = SensorID.bluetooth(LEAddress(BluetoothAddress("C0:00:00:00:00:05")!, .random))

    init(_ settings: Settings = Settings()) {
        run = ScriptedRun(settings)
    }

    mutating func connect(_ sensor: SensorID, _ kinds: [SensorKind], _ state: LinkState = .connected) {
        run.receive(.sensor(SensorStatus(sensor, kinds: kinds, link: LinkStatus(state))))
    }

    mutating func connectWheel(_ state: LinkState = .connected) {
        connect(Self.speedSensor, [.cyclingSpeedCadence], state)
    }

    /// Rides with a notification at 0.4 s, and a fix at 0.99 s of each second.
    mutating func ride(seconds: Int, speed: Double) {
        for _ in 0..<seconds {
            let rate = speed * 1000 / wheelMillimetres
            wheel.turn(rate, seconds: 0.4)
            run.wait(.milliseconds(400))
            if hasWheel { run.receive(.measurement(Self.speedSensor, .speedCadence(measurement))) }
            for (sensor, measurement) in sends { run.receive(.measurement(sensor, measurement)) }
            wheel.turn(rate, seconds: 0.6)
            run.wait(.milliseconds(590))
            run.metres += speed
            if hasPosition { run.fix(speed: speed) }
            run.wait(.milliseconds(10))
        }
    }

    private var measurement: CyclingSpeedCadenceMeasurement {
        CyclingSpeedCadenceMeasurement(wheel: wheel.count)
    }

    var distance: Double { run.activity?.total.distanceMetres ?? 0 }

    /// The sources that events have reported, in order.
    var sources: [SpeedSource] {
        run.events.compactMap { if case .source(let source, _) = $0.kind { source } else { nil } }
    }
}
