package import Domain
import Linux

/// Reads the board's power status from the kernel's drivers.
///
/// Batteries are the supplies of type `Battery` whose scope is not `Device`, which excludes a mouse's battery.
/// Several batteries count as one: the percentages are weighted by full capacity if all report it in the same unit,
/// otherwise the lowest percentage counts. They are charging if one reports `Charging` or `Full` and none
/// `Discharging`. The status is more reliable than the presence of a charger. Missing and invalid values are unknown.
///
/// Reading may block on an I2C bus, so it must not run in the loop.
///
/// Source: Linux, Documentation/ABI/testing/sysfs-class-power; drivers/hwmon/raspberrypi-hwmon.c, whose
/// `in0_lcrit_alarm` is 1 if the voltage was too low at any time in the 2 s before the driver's last check.
package struct PowerSupplies: DeviceSource {
    private let supplies: String
    private let sensors: String

    /// The most supplies, and sensors, that are read.
    private static let limit = 64

    package init(supplies: String = "/sys/class/power_supply", sensors: String = "/sys/class/hwmon") {
        self.supplies = supplies
        self.sensors = sensors
    }

    package var isAnyPresent: Bool {
        !devices(in: supplies).isEmpty || voltageSensor != nil
    }

    /// The power status. Nil if nothing is known.
    package func read() -> PowerStatus? {
        let batteries = devices(in: supplies).compactMap { Battery($0) }
        var power = PowerStatus()
        power.batteryPercent = Battery.percent(of: batteries)
        power.isCharging = Battery.areCharging(batteries)
        switch voltageSensor.map({ text(of: "\($0)/in0_lcrit_alarm") }) {
        case "0": power.isUnderVoltage = false
        case "1": power.isUnderVoltage = true
        default: break
        }
        return power == PowerStatus() ? nil : power
    }

    private var voltageSensor: String? {
        devices(in: sensors).first { text(of: "\($0)/name") == "rpi_volt" }
    }

    /// The devices of a class; empty if the kernel lacks the class.
    private func devices(in directory: String) -> [String] {
        ((try? names(in: directory, limit: Self.limit)) ?? []).map { "\(directory)/\($0)" }
    }
}

private struct Battery {
    var percent: Int?
    var status: String
    /// The full capacity in µWh, and in µAh.
    var energy: Int?
    var charge: Int?

    /// Nil if the directory is no battery of the board, or the battery is not present.
    init?(_ directory: String) {
        guard text(of: directory + "/type") == "Battery", text(of: directory + "/scope") != "Device",
            text(of: directory + "/present") != "0"
        else { return nil }
        percent = Int(text(of: directory + "/capacity")).flatMap { (0...100).contains($0) ? $0 : nil }
        status = text(of: directory + "/status")
        energy = Self.content(directory + "/energy_full")
        charge = Self.content(directory + "/charge_full")
    }

    /// A capacity up to 1 MWh or 1 MAh; nil beyond.
    private static func content(_ path: String) -> Int? {
        Int(text(of: path)).flatMap { (1...1_000_000_000_000).contains($0) ? $0 : nil }
    }

    static func percent(of batteries: [Battery]) -> Int? {
        let known = batteries.filter { $0.percent != nil }
        for content in [\Battery.energy, \Battery.charge] {
            let weights = known.compactMap { $0[keyPath: content] }
            guard !known.isEmpty, weights.count == known.count else { continue }
            let sum = weights.reduce(0, +)
            let left = zip(known, weights).reduce(0) { $0 + ($1.0.percent ?? 0) * $1.1 }
            return (left + sum / 2) / sum
        }
        return known.compactMap(\.percent).min()
    }

    static func areCharging(_ batteries: [Battery]) -> Bool? {
        let words = Set(batteries.map(\.status))
        if words.contains("Discharging") { return false }
        if words.contains("Charging") || words.contains("Full") { return true }
        return words.contains("Not charging") ? false : nil
    }
}

/// The first line of a small file. Empty if the file is unreadable or has 64 bytes or more.
private func text(of path: String) -> String {
    guard let file = try? FileDescriptor.open(path, 0) else { return "" }
    let text = file.readText(limit: 64)
    guard text.utf8.count < 64 else { return "" }
    return String(text.prefix { !$0.isNewline })
}
