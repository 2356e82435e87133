/// What reaches the pipeline from outside, beside commands. Inputs are applied in the order in which they were read.
package enum Input: Equatable, Sendable {
    case fix(Fix)
    case heart(HeartRateMeasurement)
    /// The strap's battery, 0 to 100 %.
    case battery(percent: Int)
    case heartLink(LinkStatus)
    case gpsdLink(LinkStatus)
    case bluetooth(BluetoothStatus)
    /// What the system's clock says now, and whether the kernel calls it synchronised.
    case systemClock(UTC, isSynchronised: Bool)
    case setting(SettingKey, Settings)
    /// A fault of the shell begins or changes its words; the pipeline raises its own.
    case raise(FaultName, message: String)
    case clear(FaultName)
    /// How the recording stands. It is the machine's own and is not recorded.
    case recorder(RecorderStatus)
    /// How the board is supplied; nil is not known. It is the machine's own and is not recorded.
    case power(PowerStatus?)
}
