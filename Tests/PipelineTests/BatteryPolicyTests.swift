import Domain
import Pipeline
import Testing

private let start = Instant(milliseconds: 1_000_000)

/// A policy with the default limits, and its faults.
private struct Watching {
    var watch = BatteryPolicy()
    var limits = BatteryPolicy.Limits()
    var now = start

    /// Returns the names of raised faults, and those of cleared ones after a minus.
    mutating func take(_ power: PowerStatus?, after seconds: Int64 = 10) -> [String] {
        now += .seconds(seconds)
        return watch.evaluate(power, limits: limits, at: now).map { input in
            switch input {
            case .raise(let name, _): name.rawValue
            case .clear(let name): "-" + name.rawValue
            default: "?"
            }
        }
    }

    mutating func take(percent: Int, isCharging: Bool? = false) -> [String] {
        take(PowerStatus(batteryPercent: percent, isCharging: isCharging))
    }
}

@Test func batteryLowIsRaisedAt15AndClearedAt18Percent() {
    var watching = Watching()
    #expect(watching.take(percent: 16) == [])
    #expect(watching.take(percent: 15) == ["battery-low"])
    #expect(watching.take(percent: 17) == [])
    #expect(watching.take(percent: 14) == [])
    #expect(watching.take(percent: 18) == ["-battery-low"])
    #expect(!watching.watch.isExhausted)
}

@Test func batteryEmptyIsRaisedAtItsLimitAndClearedWhileCharging() {
    var watching = Watching()
    #expect(watching.take(percent: 4) == ["battery-low", "battery-empty"])
    #expect(watching.watch.isExhausted)
    #expect(watching.take(percent: 6) == [])
    #expect(watching.watch.isExhausted)
    #expect(watching.take(percent: 3, isCharging: true) == ["-battery-low", "-battery-empty"])
    #expect(!watching.watch.isExhausted)
    // A gauge without a charging state counts as not charging.
    #expect(watching.take(percent: 3, isCharging: nil) == ["battery-low", "battery-empty"])
}

@Test func zeroLimitDisablesBatteryFaults() {
    var watching = Watching(limits: BatteryPolicy.Limits(warning: 0, closing: 0))
    #expect(watching.take(percent: 0) == [])
    #expect(!watching.watch.isExhausted)
}

@Test func batteryFaultsClearOneMinuteAfterTheLastReading() {
    var watching = Watching()
    #expect(watching.take(percent: 2) == ["battery-low", "battery-empty"])
    #expect(watching.take(nil, after: 59) == [])
    #expect(watching.take(PowerStatus(isUnderVoltage: false), after: 1) == ["-battery-low", "-battery-empty"])
    #expect(!watching.watch.isExhausted)
}

@Test func underVoltageClearsOneMinuteAfterTheLastAlarm() {
    var watching = Watching()
    #expect(watching.take(PowerStatus(isUnderVoltage: true)) == ["under-voltage"])
    #expect(watching.take(PowerStatus(isUnderVoltage: false), after: 50) == [])
    #expect(watching.take(PowerStatus(isUnderVoltage: true), after: 5) == [])
    #expect(watching.take(PowerStatus(isUnderVoltage: false), after: 59) == [])
    #expect(watching.take(nil, after: 1) == ["-under-voltage"])
}

@Test func batteryFaultMessagesNameTheRemedy() {
    var watch = BatteryPolicy()
    let inputs = watch.evaluate(
        PowerStatus(batteryPercent: 1, isCharging: false, isUnderVoltage: true), limits: BatteryPolicy.Limits(),
        at: start)
    #expect(
        inputs == [
            .raise(
                .batteryLow, message: "the battery is at 15 % or less: charge it; at 4 % the run is closed"),
            .raise(
                .batteryEmpty,
                message: "the battery is at 4 % or less, a run is closed: charge it, and the run goes on"),
            .raise(
                .underVoltage,
                message: "the supply voltage is too low: use a stronger power supply, or a shorter, thicker cable"),
        ])
}
