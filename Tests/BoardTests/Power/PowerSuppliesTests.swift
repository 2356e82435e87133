import Board
import Domain
import Foundation
import Linux
import TestKit
import Testing

/// A directory tree like that of /sys.
struct FakeSupplies {
    let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: path("supply"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: path("hwmon"), withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { directory.path + "/" + name }

    var supplies: PowerSupplies {
        PowerSupplies(supplies: path("supply"), sensors: path("hwmon"))
    }

    func write(_ name: String, _ values: [String: String]) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        for (key, value) in values {
            try Data((value + "\n").utf8).write(to: URL(filePath: path(name + "/" + key)))
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    func battery(_ name: String, _ capacity: String, _ status: String, _ more: [String: String] = [:]) throws {
        let values = ["type": "Battery", "capacity": capacity, "status": status, "present": "1"]
        try write("supply/" + name, values.merging(more) { $1 })
    }
}

@Suite struct PowerSuppliesTests {
    private let fake: FakeSupplies

    init() throws {
        fake = try FakeSupplies()
    }

    private var power: PowerStatus? { fake.supplies.read() }

    @Test func boardWithoutASupplyReportsNothing() throws {
        #expect(!fake.supplies.isAnyPresent)
        #expect(power == nil)
        #expect(!PowerSupplies(supplies: "/nowhere", sensors: "/nowhere").isAnyPresent)
        #expect(PowerSupplies(supplies: "/nowhere", sensors: "/nowhere").read() == nil)
    }

    @Test(arguments: [
        ("Charging", true), ("Full", true), ("Discharging", false), ("Not charging", false), ("Unknown", nil),
        ("", nil),
    ])
    func batteryReportsWhetherItCharges(status: String, isCharging: Bool?) throws {
        try fake.battery("BAT0", "62", status)
        #expect(fake.supplies.isAnyPresent)
        #expect(power == PowerStatus(batteryPercent: 62, isCharging: isCharging))
    }

    @Test func deviceBatteryIsIgnored() throws {
        try fake.battery("hidpp_battery_0", "5", "Discharging", ["scope": "Device"])
        #expect(power == nil)
        try fake.battery("BAT0", "80", "Discharging", ["scope": "System"])
        #expect(power?.batteryPercent == 80)
    }

    @Test func mainsSupplyIsIgnored() throws {
        try fake.write("supply/AC", ["type": "Mains", "online": "1"])
        try fake.write("supply/usb", ["type": "USB", "online": "1"])
        #expect(power == nil)
        try fake.battery("BAT0", "4", "Discharging")
        #expect(power == PowerStatus(batteryPercent: 4, isCharging: false))
    }

    @Test func absentBatteryIsIgnored() throws {
        try fake.battery("BAT0", "0", "Unknown", ["present": "0"])
        #expect(power == nil)
    }

    @Test(arguments: ["", "101", "-1", "4 %", "twelve", "99999999999999999999", String(repeating: "1", count: 5000)])
    func malformedCapacityIsNil(capacity: String) throws {
        try fake.battery("BAT0", capacity, "Discharging")
        #expect(power == PowerStatus(isCharging: false))
    }

    @Test func severalBatteriesAreCombinedByCapacity() throws {
        try fake.battery("BAT0", "100", "Full", ["energy_full": "10000000"])
        try fake.battery("BAT1", "20", "Discharging", ["energy_full": "30000000"])
        #expect(power == PowerStatus(batteryPercent: 40, isCharging: false))
        // With different units the lowest percentage counts.
        try fake.remove("supply/BAT1/energy_full")
        try fake.battery("BAT1", "20", "Charging", ["charge_full": "3000000"])
        #expect(power == PowerStatus(batteryPercent: 20, isCharging: true))
    }

    @Test(arguments: [("0", false), ("1", true), ("", nil), ("7", nil)])
    func underVoltageAlarmIsReported(alarm: String, isUnderVoltage: Bool?) throws {
        try fake.write("hwmon/hwmon0", ["name": "cpu_thermal", "in0_lcrit_alarm": "1"])
        #expect(!fake.supplies.isAnyPresent)
        try fake.write("hwmon/hwmon1", ["name": "rpi_volt", "in0_lcrit_alarm": alarm])
        #expect(fake.supplies.isAnyPresent)
        #expect(power?.isUnderVoltage == isUnderVoltage)
    }

    /// Without arguments the kernel's own directories are read.
    @Test func realMachineIsReadWithoutATrap() {
        let machine = PowerSupplies()
        let kernel = PowerSupplies(supplies: "/sys/class/power_supply", sensors: "/sys/class/hwmon")
        #expect("\(machine)" == "\(kernel)")
        let power = machine.read()
        #expect((0...100).contains(power?.batteryPercent ?? 0))
        #expect(power == nil || machine.isAnyPresent)
    }

    // MARK: On the loop

    /// The reports of a monitor.
    private final class Reports {
        var readings: [PowerStatus?] = []
    }

    private func turn(_ loop: EventLoop, until isDone: () -> Bool) throws {
        let end = Clock.now() + .seconds(60)
        while !isDone(), Clock.now() < end { try loop.runOnce(waiting: .milliseconds(10)) }
        #expect(isDone())
    }

    @Test func monitorFollowsABatteryThatComesAndGoes() throws {
        let loop = try EventLoop()
        let reports = Reports()
        let timing = DeviceMonitor<PowerSupplies>.Timing(interval: .milliseconds(20), rest: .milliseconds(50))
        let monitor = try DeviceMonitor(fake.supplies, thread: "power", timing, loop: loop) {
            reports.readings.append($0.power)
        }
        try turn(loop) { reports.readings == [nil, nil] }
        #expect(!monitor.hasThread)
        try fake.battery("BAT0", "62", "Discharging")
        try turn(loop) { reports.readings.last == PowerStatus(batteryPercent: 62, isCharging: false) }
        #expect(monitor.hasThread)
        try fake.battery("BAT0", "61", "Charging")
        try turn(loop) { reports.readings.last == PowerStatus(batteryPercent: 61, isCharging: true) }
        try fake.remove("supply/BAT0")
        try turn(loop) { reports.readings.last == .some(nil) }
        #expect(!monitor.hasThread)
        try fake.battery("BAT0", "60", "Full")
        try turn(loop) { reports.readings.last == PowerStatus(batteryPercent: 60, isCharging: true) }
        monitor.close()
        #expect(!monitor.hasThread)
    }

    /// A FIFO blocks its reader, like a bus that does not reply. The loop continues, and closing ends in time.
    @Test func blockedGaugeDoesNotBlockTheLoop() throws {
        try fake.battery("BAT0", "62", "Discharging")
        try fake.remove("supply/BAT0/capacity")
        #expect(mkfifo(fake.path("supply/BAT0/capacity"), 0o600) == 0)
        let loop = try EventLoop()
        let reports = Reports()
        let timing = DeviceMonitor<PowerSupplies>.Timing(interval: .seconds(10), rest: .seconds(60))
        let monitor = try DeviceMonitor(fake.supplies, thread: "power", timing, loop: loop) {
            reports.readings.append($0.power)
        }
        let begun = Clock.now()
        for _ in 0..<5 { try loop.runOnce(waiting: .milliseconds(10)) }
        monitor.close(waiting: .milliseconds(50))
        #expect(reports.readings.isEmpty)
        #expect(Clock.now() - begun < .seconds(5))
        // Lets the thread continue and end.
        try Data("62\n".utf8).write(to: URL(filePath: fake.path("supply/BAT0/capacity")))
    }
}

extension DeviceReport<PowerStatus> {
    /// The status of a reading; nil if there is none.
    fileprivate var power: PowerStatus? {
        if case .reading(let power) = self { power } else { nil }
    }
}
