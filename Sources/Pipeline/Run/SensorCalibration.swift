import Domain

/// Measures the wheel, or the stride of a foot pod, against the position.
///
/// It compares the two distances over seconds of fast movement with good positions, until both are 3 km long.
struct SensorCalibration {
    private var sensor: DistanceSensor?
    private var sensorMetres = 0.0
    private var positionMetres = 0.0
    /// Metres of the sensor since the last second.
    private var newMetres = 0.0
    /// Seconds in sequence in which the position was good.
    private var goodSeconds = 0
    private var isDone = false

    private static let length = 3000.0
    private static let slowest = 2.0
    private static let largestError = 15.0
    private static let shortestStretch = 10

    mutating func receive(_ stretch: SensorStretch, of sensor: DistanceSensor) {
        if sensor != self.sensor {
            self = SensorCalibration()
            self.sensor = sensor
        }
        newMetres += stretch.metres
    }

    /// Ends a second in which the position has counted `metres`.
    ///
    /// - Returns: the setting and its measured value, once.
    mutating func tick(metres: Double, isGap: Bool, _ position: Position?, _ settings: Settings) -> (SettingKey, Int)? {
        defer { newMetres = 0 }
        guard !isDone, let sensor, let position, !isGap, metres >= Self.slowest,
            position.accuracy ?? 0 <= Self.largestError
        else {
            goodSeconds = 0
            return nil
        }
        goodSeconds += 1
        guard goodSeconds > Self.shortestStretch else { return nil }
        positionMetres += metres
        sensorMetres += newMetres
        guard min(positionMetres, sensorMetres) >= Self.length else { return nil }
        isDone = true
        let ratio = positionMetres / sensorMetres
        let (key, present, range): (SettingKey, Int, ClosedRange<Double>)
        switch sensor.odometer {
        case .wheel, .powerMeterWheel:
            (key, present, range) = (.wheelMillimetres, settings.wheelMillimetres, 500...4000)
        case .footPod: (key, present, range) = (.stridePermille, settings.stridePermille, 500...2000)
        case .machine: return nil
        }
        let usual = Double(key == .wheelMillimetres ? Settings.usualWheel : 1000)
        let value = (usual * ratio).rounded()
        guard present == 0, range.contains(value) else { return nil }
        return (key, Int(value))
    }
}
