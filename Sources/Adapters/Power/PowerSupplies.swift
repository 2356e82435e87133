package import Domain
import Linux

/// What the kernel's drivers say of the board's supply.
///
/// Batteries are the supplies of type `Battery` whose scope is not `Device`: a mouse's battery is not ours. Several are one, each weighted
/// by what it holds when it is full, if all of them tell that in the same unit; else the lowest counts. It is charging while one of them
/// says `Charging` or `Full` and none says `Discharging`: what is plugged in says less than that. What is missing or makes no sense is not
/// known.
///
/// Reading may wait for an I2C bus, and is not for the loop.
///
/// Source: Linux, Documentation/ABI/testing/sysfs-class-power; drivers/hwmon/raspberrypi-hwmon.c, whose `in0_lcrit_alarm` is 1 when the
/// voltage was too low at any time in the 2 s before its driver last looked.
package struct PowerSupplies: Sendable {
    private let supplies: String
    private let sensors: String

    /// More supplies, or sensors, than any board has are not looked at.
    private static let limit = 64

    package init(supplies: String = "/sys/class/power_supply", sensors: String = "/sys/class/hwmon") {
        self.supplies = supplies
        self.sensors = sensors
    }

    /// Whether there is anything to be read. Asks no device: names are the kernel's own.
    package var areThere: Bool {
        !devices(in: supplies).isEmpty || voltageSensor != nil
    }

    /// How the board is supplied; nil where nothing says it.
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

    /// The devices of a class; none where the kernel does not know it.
    private func devices(in directory: String) -> [String] {
        ((try? names(in: directory, limit: Self.limit)) ?? []).map { "\(directory)/\($0)" }
    }
}

/// One battery of the board.
private struct Battery {
    var percent: Int?
    var status: String
    /// What it holds when it is full, in µWh or in µAh.
    var energy: Int?
    var charge: Int?

    /// Nil for what is no battery of the board, or is not there.
    init?(_ directory: String) {
        guard text(of: directory + "/type") == "Battery", text(of: directory + "/scope") != "Device",
            text(of: directory + "/present") != "0"
        else { return nil }
        percent = Int(text(of: directory + "/capacity")).flatMap { (0...100).contains($0) ? $0 : nil }
        status = text(of: directory + "/status")
        energy = Self.content(directory + "/energy_full")
        charge = Self.content(directory + "/charge_full")
    }

    /// The largest that makes sense is a megawatt-hour.
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

/// The one line of a small file; empty where it cannot be read, or is longer than any of these is.
private func text(of path: String) -> String {
    guard let file = try? FileDescriptor.open(path, 0) else { return "" }
    let text = file.readText(limit: 64)
    guard text.utf8.count < 64 else { return "" }
    return String(text.prefix { !$0.isNewline })
}
