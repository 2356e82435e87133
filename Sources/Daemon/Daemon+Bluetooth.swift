import Bluetooth
import Domain
import Linux
import Sensors
import Storage

/// Creates the Bluetooth backends and the switch between them.
extension Daemon {
    func makeStrapWays(
        _ wish: BackendSelector.Preference, report: @escaping (Input) -> Void
    ) throws(SystemError) -> StrapBackendSwitch {
        let describe: (DeviceInformation) -> Void = { Log.write(.info, about: .straps, Log.line(of: $0)) }
        return try StrapBackendSwitch(
            wish, isOff: strapOption == .auto && straps.isOff, loop: loop,
            makeKernel: { [unowned self] (reason, report) throws(SystemError) in
                try KernelStrapBackend(
                    adapter: configuration.adapter, ours: patterns, remembered: straps.remembered, keys: straps.keys,
                    reason: reason, loop: loop, report: report, describe: describe,
                    remember: { [unowned self] in remember($0) }, keep: { [unowned self] in save($0) })
            },
            makeBus: { [unowned self] (reason, report) throws(SystemError) in
                try BluetoothdStrapBackend(
                    adapter: configuration.adapter, ours: patterns, remembered: straps.remembered, reason: reason,
                    loop: loop, report: report, describe: describe, remember: { [unowned self] in remember($0) })
            },
            report: report,
            changed: { backend, reason in
                let name = backend == .kernel ? "kernel" : "bluetoothd"
                Log.write(
                    .notice, about: .links, "Bluetooth backend: " + name + (reason.map { " (\($0.text))" } ?? ""))
            })
    }
}

extension Options.Bluetooth {
    /// Nil if Bluetooth is disabled.
    var wish: BackendSelector.Preference? {
        switch self {
        case .off: nil
        case .auto: .auto
        case .kernel: .kernel
        case .bluetoothd: .bluetoothd
        }
    }
}
