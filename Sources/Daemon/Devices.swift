import Board
import Domain
import Gnss
import Linux
import Simulation

/// The devices and clocks of this machine other than the strap. They report to the inbox.
struct Devices: ~Copyable {
    private var gpsd: GpsdClient?
    private var simulator: Simulator?
    private var power: PowerMonitor?
    private var clockWatch: TimedatedMonitor?

    /// Connects gpsd and the power supplies, or starts the simulator. A replay has none of these.
    init(_ inbox: Inbox, _ options: Options, _ gpsd: Options.Gpsd, loop: EventLoop) throws(SystemError) {
        if !Clock.canQuerySynchronisation {
            clockWatch = try TimedatedMonitor(loop: loop) { Clock.setSynchronised(isSynchronised: $0) }
        }
        let report: (Input) -> Void = { [inbox] in inbox.append(.input($0)) }
        if let demo = options.demo { simulator = try Simulator(demo, seed: 1, loop: loop, report: report) }
        if options.isDemo { return }
        power = try PowerMonitor(PowerSupplies(), loop: loop) { [inbox] in inbox.append(.power($0)) }
        if case .at(let host, let port, let device) = gpsd {
            self.gpsd = try GpsdClient(host: host, port: port, device: device, loop: loop, report: report)
        }
    }

    /// Disconnects all devices.
    mutating func close() {
        power?.close()
        power = nil
        gpsd = nil
        simulator = nil
    }
}
