package import Domain
import Glibc
package import Linux

/// All input devices that have one of the keys in use, including those that appear later.
///
/// A device may appear before udev sets its permissions, and a radio remote comes and goes. So the
/// directory is rescanned after each change, and with growing delays while a device cannot be opened.
package final class InputDevices {
    /// A key event, or a change of the devices.
    package enum Report: Equatable, Sendable {
        case pressed(KeyCode, device: Int, at: Instant)
        case released(KeyCode, device: Int, at: Instant)
        /// A device was opened.
        case found(name: String, path: String)
        case disconnected(device: Int, name: String)
        /// A device cannot be opened; it is retried. Reported once for each device and error.
        case failed(path: String, SystemError)
    }

    private struct Open {
        let device: InputDevice
        let source: DescriptorSource
    }

    private let directory: String
    private let configuration: PanelConfiguration
    private let keys: Set<KeyCode>
    private let loop: EventLoop
    private let report: (Report) -> Void
    private var watch: DirectoryWatch?
    private var timer: TimerSource?
    private var rest = Duration.zero
    /// Keyed by numbers that are never reused.
    private var open: [Int: Open] = [:]
    private var next = 0
    private var reportedErrors: [String: SystemError] = [:]

    /// The most open devices.
    private static let limit = 32
    private static let minimumRetryDelay = Duration.milliseconds(500)
    private static let maximumRetryDelay = Duration.seconds(30)

    /// - Parameters:
    ///   - directory: /dev/input.
    ///   - report: must not release this object.
    package init(
        _ configuration: PanelConfiguration, in directory: String, loop: EventLoop, report: @escaping (Report) -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        self.directory = directory
        self.loop = loop
        self.report = report
        keys = [configuration.toggle, configuration.lap, configuration.mark, configuration.stop].reduce([]) {
            $0.union($1)
        }
        timer = try loop.timer { [unowned self] in rescan() }
        if !keys.isEmpty { timer?.arm(at: Clock.now()) }
    }

    /// Reads all pending events, so that a released key does not count as held.
    package func drain() {
        for number in open.keys.sorted() { read(number) }
    }

    // MARK: Devices

    private func rescan() {
        if watch == nil {
            watch = try? DirectoryWatch(directory, loop: loop) { [unowned self] isThere in
                if !isThere { watch = nil }
                // udev needs a moment for a new device; its changes are reported here too.
                rest = .zero
                timer?.arm(at: Clock.now() + .milliseconds(50))
            }
        }
        var isComplete = watch != nil
        let wanted = configuration.devices.filter { $0.hasPrefix("/") }.map(Self.number)
        if wanted.contains(nil) { isComplete = false }
        let paths = ((try? names(in: directory)) ?? []).filter { $0.hasPrefix("event") }.map { directory + "/" + $0 }
        reportedErrors = reportedErrors.filter { paths.contains($0.key) }
        for path in paths where !openDevice(path, wanted: wanted.compactMap(\.self)) { isComplete = false }
        rest = isComplete ? .zero : min(max(rest * 2, Self.minimumRetryDelay), Self.maximumRetryDelay)
        timer?.arm(at: isComplete ? nil : Clock.now() + rest)
    }

    /// False if the device must be retried.
    private func openDevice(_ path: String, wanted: [UInt64]) -> Bool {
        guard let number = Self.number(of: path), !open.values.contains(where: { $0.device.number == number }),
            open.count < Self.limit
        else { return true }
        do throws(SystemError) {
            guard let device = try InputDevice(path, keys: keys), isWanted(device, wanted) else { return true }
            let id = next
            let source = try loop.watch(device.descriptor, for: .reading) { [unowned self] _ in read(id) }
            next += 1
            open[id] = Open(device: device, source: source)
            reportedErrors[path] = nil
            report(.found(name: device.name, path: path))
            return true
        } catch {
            // The directory watch reports the removal.
            if error.code == ENOENT || error.code == ENODEV || error.code == ENXIO { return true }
            if reportedErrors.updateValue(error, forKey: path) != error { report(.failed(path: path, error)) }
            return false
        }
    }

    private func isWanted(_ device: InputDevice, _ wanted: [UInt64]) -> Bool {
        configuration.devices.isEmpty || configuration.devices.contains(device.name) || wanted.contains(device.number)
    }

    /// The device number of the file at a path.
    private static func number(of path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_rdev) : nil
    }

    // MARK: Events

    private func read(_ id: Int) {
        guard let device = open[id]?.device else { return }
        guard let changes = device.changes() else {
            open[id] = nil
            report(.disconnected(device: id, name: device.name))
            return
        }
        for change in changes {
            report(
                change.isDown
                    ? .pressed(change.key, device: id, at: change.at)
                    : .released(change.key, device: id, at: change.at))
        }
    }
}
