package import Domain

/// Raises the faults of the power supply, and decides when a run is closed before the battery is empty.
///
/// A charging battery is never low. A fault is cleared 3 % above its limit, so that a fluctuating reading raises
/// it once. An unknown supply keeps its last state for a minute, because gauges fail to answer now and then.
package struct BatteryPolicy: Equatable, Sendable {
    /// Limits in percent; 0 disables one.
    package struct Limits: Equatable, Sendable {
        package var warning: Int
        package var closing: Int

        package init(warning: Int = 15, closing: Int = 4) {
            self.warning = warning
            self.closing = closing
        }
    }

    /// Whether the battery is nearly empty and not charging: no run starts automatically.
    package private(set) var isExhausted = false
    private var isLow = false
    /// When the charge was last known.
    private var knownAt: Instant?
    private var underVoltageAt: Instant?

    /// Hysteresis in percent.
    private static let margin = 3
    /// Time for which an alarm, or the last known state, is kept.
    private static let memory = Duration.seconds(60)

    package init() {}

    /// Evaluates the state of the power supply; nil if it is unknown.
    ///
    /// - Returns: The inputs that raise or clear faults.
    package mutating func evaluate(_ power: PowerStatus?, limits: Limits, at now: Instant) -> [Input] {
        let before = self
        if let percent = power?.batteryPercent {
            knownAt = now
            let isCharging = power?.isCharging == true
            isLow = Self.judge(percent, limits.warning, isCharging: isCharging, before: isLow)
            isExhausted = Self.judge(percent, limits.closing, isCharging: isCharging, before: isExhausted)
        } else if let knownAt, now - knownAt >= Self.memory {
            isLow = false
            isExhausted = false
        }
        if power?.isUnderVoltage == true {
            underVoltageAt = now
        } else if let at = underVoltageAt, now - at >= Self.memory {
            underVoltageAt = nil
        }
        var inputs: [Input] = []
        func report(_ name: FaultName, _ was: Bool, _ isNow: Bool, _ message: @autoclosure () -> String) {
            if was != isNow { inputs.append(isNow ? .raise(name, message: message()) : .clear(name)) }
        }
        report(
            .batteryLow, before.isLow, isLow,
            "the battery is at \(limits.warning) % or less: charge it"
                + (limits.closing > 0 ? "; at \(limits.closing) % the run is closed" : ""))
        report(
            .batteryEmpty, before.isExhausted, isExhausted,
            "the battery is at \(limits.closing) % or less, a run is closed: charge it, and the run goes on")
        report(
            .underVoltage, before.underVoltageAt != nil, underVoltageAt != nil,
            "the supply voltage is too low: use a stronger power supply, or a shorter, thicker cable")
        return inputs
    }

    private static func judge(_ percent: Int, _ limit: Int, isCharging: Bool, before: Bool) -> Bool {
        if limit == 0 || isCharging { return false }
        return percent <= limit || before && percent < limit + margin
    }
}
