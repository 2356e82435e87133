import Board
import Domain
import Gnss
import Linux
import Simulation

/// The devices and clocks of this machine other than the sensors. They report to the inbox.
struct Devices: ~Copyable {
    private var gpsd: GpsdClient?
    private var simulator: Simulator?
    private var power: DeviceMonitor<PowerSupplies>?
    private var barometer: DeviceMonitor<Barometers>?
    private var clockWatch: TimedatedMonitor?

    /// Connects gpsd, the power supplies and the barometer, or starts the simulator. A replay has none of these.
    init(_ inbox: Inbox, _ options: Options, _ configuration: Configuration, loop: EventLoop) throws(SystemError) {
        if !Clock.canQuerySynchronisation {
            clockWatch = try TimedatedMonitor(loop: loop) { Clock.setSynchronised(isSynchronised: $0) }
        }
        let report: (Input) -> Void = { [inbox] in inbox.append(.input($0)) }
        if let demo = options.demo { simulator = try Simulator(demo, seed: 1, loop: loop, report: report) }
        if options.isDemo { return }
        let powerTiming = DeviceMonitor<PowerSupplies>.Timing(interval: .seconds(10), rest: .seconds(60))
        power = try DeviceMonitor(PowerSupplies(), thread: "paced-power", powerTiming, loop: loop) { [inbox] in
            switch $0 {
            case .reading(let power): inbox.append(.power(power))
            case .absent: inbox.append(.power(nil))
            case .unanswered: break
            }
        }
        if case .directory(let directory) = configuration.barometer {
            barometer = try Self.barometer(Barometers(directory: directory), inbox, loop: loop)
        }
        if case .at(let host, let port, let device) = configuration.gpsd {
            gpsd = try GpsdClient(host: host, port: port, device: device, loop: loop, report: report)
        }
    }

    private static func barometer(
        _ barometers: Barometers, _ inbox: Inbox, loop: EventLoop
    ) throws(SystemError) -> DeviceMonitor<Barometers> {
        var reporter = BarometerReporter()
        let timing = DeviceMonitor<Barometers>.Timing(interval: .seconds(1), rest: .seconds(5))
        return try DeviceMonitor(barometers, thread: "paced-barometer", timing, loop: loop) { [inbox] report in
            for action in reporter.received(report) {
                switch action {
                case .input(let input): inbox.append(.input(input))
                case .log(let level, let text): Log.write(level, about: .barometer, text)
                }
            }
        }
    }

    /// Disconnects all devices.
    mutating func close() {
        power?.close()
        power = nil
        barometer?.close()
        barometer = nil
        gpsd = nil
        simulator = nil
    }
}
