/// One input of the pipeline other than a command. Inputs are applied in the order in which they were read.
package enum Input: Equatable, Sendable {
    case fix(Fix)
    case heart(HeartRateMeasurement)
    /// Metres since the start, stated by a recording. They replace the distance by positions.
    case distance(Double)
    /// The climb since the start, stated by a recording. It replaces the one by altitudes.
    case climb(StatedClimb)
    /// The time of a 3D fix during an indoor run, which receives no fixes: it may set the time of day.
    case receiverClock(UTC, arrivedAt: Instant)
    /// The strap's battery, 0 to 100 %.
    case battery(percent: Int)
    case heartLink(LinkStatus)
    /// A sensor of the list has come or changed. The strap is one of them.
    case sensor(SensorStatus)
    case sensorRemoved(SensorID)
    /// A measurement other than the heart rate. Pressure of the board and of the Environmental Sensing Service are among
    /// them.
    case measurement(SensorID, SensorMeasurement)
    case gpsdLink(LinkStatus)
    case bluetooth(BluetoothStatus)
    /// `CLOCK_REALTIME`, and whether the kernel reports it as synchronised.
    case systemClock(UTC, isSynchronised: Bool)
    /// `CLOCK_REALTIME` of a machine whose real-time clock is right as far as it can be judged, not synchronised.
    case rtcClock(UTC)
    case setting(SettingKey, Settings)
    /// The course to follow; nil: none is loaded any more.
    case course(LoadedCourse?)
    /// The virtual partner; nil: there is none any more.
    case partner(Partner?)
    /// The newest observation of the topic `weather`; nil: the topic has none any more.
    indirect case weather(WeatherObservation?)
    /// Raises a fault of an adapter, or changes its message. The pipeline raises its own faults itself.
    case raise(FaultName, message: String)
    case clear(FaultName)
    /// Status of the recorder. It describes this machine and is not recorded.
    case recorder(RecorderStatus)
    /// Status of the power supply; nil if unknown. It describes this machine and is not recorded.
    case power(PowerStatus?)
}
