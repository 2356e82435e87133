/// What a sensor measures. One device may have several kinds: a trainer often has three.
///
/// The raw values are those of the sockets.
package enum SensorKind: String, CaseIterable, Sendable {
    case heartRate = "heart-rate"
    /// Wheel revolutions, crank revolutions or both. The flags of a measurement show which.
    case cyclingSpeedCadence = "speed-cadence"
    case cyclingPower = "power"
    case runningSpeedCadence = "foot-pod"
    /// A bike trainer, a treadmill, a cross trainer or a rower.
    case fitnessMachine = "fitness-machine"
    /// Pressure, temperature, humidity.
    case environment
    /// A rear radar, which reports vehicles.
    case radar
    /// The gears of a bike: which are chosen, and their teeth.
    case gears
    /// The drive of an e-bike.
    case eBike = "e-bike"
    /// The oxygen of a muscle.
    case muscleOxygen = "muscle-oxygen"
    /// Core and skin temperature.
    case bodyTemperature = "body-temperature"
    /// Fields that the program of the sensor declares.
    case fields
}
