package import Domain

/// What the board's supply comes to: faults for people, and when a run is to be closed before the battery is empty.
///
/// A battery that is being charged is never low. What was raised is cleared 3 % higher, so that a gauge which trembles says it once. A
/// supply that nothing is known of any more stays what it was for a minute: gauges fail to answer now and then.
package struct BatteryPolicy: Equatable, Sendable {
    /// In percent; 0 is off.
    package struct Limits: Equatable, Sendable {
        package var warning: Int
        package var closing: Int

        package init(warning: Int = 15, closing: Int = 4) {
            self.warning = warning
            self.closing = closing
        }
    }

    /// The battery is nearly empty and is not being charged: no run begins by itself.
    package private(set) var isExhausted = false
    private var isLow = false
    /// When the battery was known last.
    private var knownAt: Instant?
    private var underVoltageAt: Instant?

    /// What was raised is cleared so many percent higher.
    private static let margin = 3
    /// For so long an alarm is kept, and what is not known any more is believed.
    private static let memory = Duration.seconds(60)

    package init() {}

    /// Takes how the board is supplied now, nil where nothing says it.
    ///
    /// - Returns: the faults that begin or end.
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
