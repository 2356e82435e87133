import Domain
import Sensors

extension SensorLink {
    /// Receives a strap's measurement, as ``SensorDriver`` passes it on.
    mutating func received(_ measurement: HeartRateMeasurement, at now: Instant) {
        received(isInUse: measurement.isSignOfWearing, at: now)
    }
}
