import Bluetooth
import Domain
import Linux
import Sensors
import Servers
import Storage
import Wire

/// Owns the sensors: the Bluetooth backends, the user's choice, and the file of known sensors.
///
///     backends ──▶ Inbox ──▶ remember, save keys ──▶ sensors.json
///     control.sock ──▶ use, forget, scan, pair ──▶ backends
///
/// The option `--sensors` with any value but `auto` has precedence over the user's choice.
final class SensorController {
    typealias Completion = (Result<ControlResult, RPCError>) -> Void

    private let inbox: Inbox
    private let run: RunController
    private let settings: SettingsController
    private let activities: ActivityService
    /// The file of ``sensors``; nil in the demo, which stores nothing.
    private let file: SensorStoreFile?
    private var sensors: SensorStore
    private var backends: SensorBackendSwitch?
    /// Decides whose heart rate counts.
    let heart: HeartSource
    /// Called when another choice of sensors is in force.
    var choiceChanged: () -> Void = {}
    private var unixSensor: UnixSensor?
    private var runIsActive = false
    /// The state directory is locked and writable.
    private var directoryIsReady = false
    /// The disk worker is writing ``sensors``.
    private var isWriting = false
    /// When the next write of ``sensors`` is due; nil if none failed.
    private var retryAt: Instant?

    private static let retryDelay = Duration.seconds(60)

    init(
        _ inbox: Inbox, _ run: RunController, _ settings: SettingsController, _ activities: ActivityService,
        file: SensorStoreFile?, _ sensors: SensorStore
    ) {
        self.inbox = inbox
        heart = HeartSource(inbox)
        self.run = run
        self.settings = settings
        self.activities = activities
        self.file = file
        self.sensors = sensors
    }

    /// The sensors at the start: the user's choice in the journal or an earlier release's file, else as configured.
    static func sensors(
        _ kept: SensorStore, _ userSettings: UserSettings, _ settings: Settings, _ configuration: Configuration
    ) -> SensorStore {
        var list = kept
        if userSettings.hasSensors || !kept.hasSelection {
            list.selected = settings.sensors
            list.isOff = userSettings.sensorsAreOff ?? (configuration.sensors == .off)
        }
        return list
    }

    /// The sensors that the option names, else those that the user chose.
    static func sensorSetting(_ options: Options, _ list: SensorStore) -> [String] {
        switch options.sensors {
        case .ours(let sensors): sensors
        case .auto, .off, .unix, nil: list.selected
        }
    }

    // MARK: Backends

    /// Connects the strap for tests, or starts the Bluetooth backends.
    func connect(in loop: EventLoop) throws(SystemError) {
        let report: (Input) -> Void = { [heart] in heart.receive($0) }
        switch settings.sensorOption {
        case .unix(let path):
            inbox.append(.input(.bluetooth(BluetoothStatus(backend: .unix))))
            unixSensor = try UnixSensor(path: path, loop: loop, report: report) { information in
                Log.write(.info, about: .sensors, Log.line(of: information))
            }
        case .off: break
        case .auto, .ours:
            if let preference = settings.configuration.bluetooth.preference {
                backends = try makeBackends(preference, in: loop, report: report)
            }
        }
    }

    private func makeBackends(
        _ preference: BackendSelector.Preference, in loop: EventLoop, report: @escaping (Input) -> Void
    ) throws(SystemError) -> SensorBackendSwitch {
        let adapter = settings.configuration.adapter
        let shell = { [unowned self, inbox] (backend: BluetoothStatus.Backend, reason, report) in
            SensorDriverShell(
                over: backend, reason: reason, ours: matchers, remembered: sensors.remembered, report: report,
                describe: { Log.write(.info, about: .sensors, Log.line(of: $0)) },
                remember: { inbox.append(.knownSensors($0)) })
        }
        return try SensorBackendSwitch(
            preference, isOff: settings.sensorOption == .auto && sensors.isOff, loop: loop,
            makeKernel: { [unowned self, inbox] (reason, report) throws(SystemError) in
                try KernelSensorBackend(
                    adapter: adapter, shell(.kernel, reason, report), keys: sensors.keys, loop: loop,
                    keep: { inbox.append(.keys($0)) })
            },
            makeBus: { (reason, report) throws(SystemError) in
                try BluetoothdSensorBackend(adapter: adapter, shell(.bluetoothd, reason, report), loop: loop)
            },
            report: report,
            changed: { backend, reason in
                let name = backend == .kernel ? "kernel" : "bluetoothd"
                Log.write(
                    .notice, about: .links, "Bluetooth backend: " + name + (reason.map { " (\($0.text))" } ?? ""))
            })
    }

    /// Disconnects the sensors and stops the backends.
    func disconnect() {
        unixSensor = nil
        backends = nil
    }

    /// Reports the start or end of activity of the run to the backends.
    func runChanged(isActive: Bool) {
        guard isActive != runIsActive else { return }
        runIsActive = isActive
        unixSensor?.runChanged(isActive: isActive)
        backends?.runChanged(isActive: isActive)
    }

    private var matchers: [SensorMatcher] {
        run.settings.sensors.compactMap { SensorMatcher($0) }
    }

    /// Applies the chosen sensors to the backend, or stops it if none is used.
    private func applyChoice() {
        choiceChanged()
        if sensors.isOff {
            backends?.stop()
        } else {
            backends?.select(matchers)
        }
    }

    // MARK: Requests

    /// - Throws: ``RPCError`` -32004 if an option decides which sensors are used.
    private func checkChoiceIsFree() throws(RPCError) {
        // The demo ignores the option.
        if settings.sensorOption != .auto, !settings.isDemo { throw .overridden(by: "--sensors") }
    }

    func use(_ selection: SensorSelection, at now: Instant) throws(RPCError) -> ControlResult {
        try checkChoiceIsFree()
        var list = sensors
        try selection.apply(to: &list)
        if settings.isDemo, list.isOff {
            throw .invalidValue("sensor", "the demo simulates its sensors, and cannot switch them off")
        }
        adopt(list, at: now)
        saveChoice(at: now)
        applyChoice()
        return .link(run.state(at: now).heart.link)
    }

    func forget(_ sensor: String?, at now: Instant) throws(RPCError) -> ControlResult {
        try checkChoiceIsFree()
        var list = sensors
        try list.forget(sensor)
        let choiceChanges = list.selected != sensors.selected
        adopt(list, at: now)
        if choiceChanges { saveChoice(at: now) }
        backends?.forget(sensor.map { SensorMatcher($0) } ?? nil, remaining: matchers)
        return .done
    }

    /// Changes the setting `sensors`.
    func change(_ change: SettingChange, at now: Instant) throws(RPCError) {
        try checkChoiceIsFree()
        var list = sensors
        list.selected = change.values.sensors
        adopt(list, at: now)
        applyChoice()
        settings.save(change, at: now)
    }

    /// Brings the default choice of sensors back.
    ///
    /// - Throws: ``RPCError`` -32004 if an option chooses the sensors.
    func reset(at now: Instant) throws(RPCError) {
        try checkChoiceIsFree()
        var list = sensors
        list.selected = settings.resetSensors(at: now)
        list.isOff = settings.sensorsAreOff
        adopt(list, at: now)
        applyChoice()
    }

    /// Starts a scan. `completion` receives its result when the inbox is drained.
    func scan(seconds: Int, _ completion: @escaping Completion) throws(RPCError) {
        try start { [inbox] backends in
            backends.scan(for: .seconds(seconds)) { sensors in
                inbox.append(.completion { _ in completion(.success(.sensors(sensors))) })
            }
        }
    }

    /// Starts a pairing. `completion` receives its result when the inbox is drained.
    func pair(_ sensor: String, _ completion: @escaping Completion) throws(RPCError) {
        guard let matcher = SensorMatcher(sensor) else {
            throw .notFound("sensor", "this is not an address or a name of a sensor")
        }
        try start { [inbox] backends in
            backends.pair(matcher) { result in inbox.append(.completion { _ in completion(result.response) }) }
        }
    }

    /// Sets the zero offset of a power meter. `completion` receives its result when the inbox is drained.
    func zero(_ sensor: String?, _ completion: @escaping Completion) throws(RPCError) {
        guard let backends else { throw .unavailable("Bluetooth is not used") }
        backends.compensateOffset(sensor.map { SensorMatcher($0) } ?? nil) { [inbox] result in
            inbox.append(.completion { _ in completion(result.response) })
        }
    }

    private func start(_ operation: (SensorBackendSwitch) -> SensorRequestError?) throws(RPCError) {
        guard let backends else { throw .unavailable("Bluetooth is not used") }
        switch operation(backends) {
        case .busy: throw .busy("another scan or pairing is in progress")
        case .unavailable(let reason): throw .unavailable("Bluetooth is not available: \(reason.rawValue)")
        case nil: break
        }
    }

    // MARK: Choice and known sensors

    /// Stores the user's choice of sensors, including whether any is used.
    func saveChoice(at now: Instant) {
        settings.save(sensors: sensors.selected, areOff: sensors.isOff, at: now)
    }

    /// Adopts the user's choice in the journal, if it could not be read at the start.
    func adoptChoice(_ ours: [String], at now: Instant) {
        guard settings.sensorOption == .auto else { return }
        var list = sensors
        list.selected = ours
        list.isOff = settings.sensorsAreOff
        adopt(list, at: now)
        applyChoice()
    }

    /// Stores the sensors that have sent a measurement.
    func remember(_ remembered: [KnownSensor], at now: Instant) {
        var list = sensors
        list.remembered = remembered
        adopt(list, at: now)
    }

    /// Stores the keys of paired sensors.
    func save(_ keys: [LongTermKey], at now: Instant) {
        var list = sensors
        list.keys = keys
        adopt(list, at: now)
    }

    /// Merges the list of a file that could not be read at the start.
    func merge(_ kept: SensorStore, at now: Instant) {
        var list = sensors
        list.add(kept)
        adopt(list, at: now)
        // The file may lack changes that were made since the start.
        if list.remembered != kept.remembered || list.keys != kept.keys { retryAt = now }
    }

    /// Replaces the list. Publishes a changed choice of sensors; writes changed known sensors and keys to the file.
    private func adopt(_ list: SensorStore, at now: Instant) {
        guard list != sensors else { return }
        // With the option `--sensors`, the setting stays and only known sensors and keys change.
        let choiceChanges = list.selected != sensors.selected
        let fileChanges = list.remembered != sensors.remembered || list.keys != sensors.keys
        sensors = list
        if choiceChanges {
            var settings = run.settings
            settings.sensors = list.selected
            run.change([.sensors], to: settings, at: now)
        }
        if fileChanges { writeFile(at: now) }
    }

    // MARK: File

    /// The state directory is locked and writable.
    func enableWriting() {
        directoryIsReady = true
    }

    /// Retries a failed write when it is due.
    func tick(at now: Instant) {
        guard directoryIsReady, let retryAt, now >= retryAt else { return }
        self.retryAt = nil
        writeFile(at: now)
    }

    /// Submits the list to the disk worker, one write at a time. Waits until the state directory is ready.
    private func writeFile(at now: Instant) {
        guard let file, !isWriting else { return }
        guard directoryIsReady else {
            retryAt = now
            return
        }
        let list = sensors
        isWriting = activities.submit(.write(list, in: file)) { [unowned self] reply, now in
            isWriting = false
            if case .failure(let failure) = reply { logFailure("\(failure)", at: now) }
            if list.remembered != sensors.remembered || list.keys != sensors.keys { writeFile(at: now) }
        }
        if !isWriting { writeFileNow(at: now) }
    }

    /// Writes the list on the calling thread. Blocks on the disk.
    private func writeFileNow(at now: Instant) {
        do {
            try file?.write(sensors)
        } catch {
            logFailure("\(error)", at: now)
        }
    }

    /// Writes a list that is not written yet, after the disk worker has ended.
    func close(at now: Instant) {
        if directoryIsReady, isWriting || retryAt != nil { writeFileNow(at: now) }
    }

    private func logFailure(_ reason: String, at now: Instant) {
        Log.write(
            .warning, about: .sensors,
            "cannot write \(file?.path ?? ""): \(reason); the sensors are kept in memory, retrying each minute")
        retryAt = now + Self.retryDelay
    }
}

extension Options.Bluetooth {
    /// Nil if Bluetooth is disabled.
    fileprivate var preference: BackendSelector.Preference? {
        switch self {
        case .off: nil
        case .auto: .auto
        case .kernel: .kernel
        case .bluetoothd: .bluetoothd
        }
    }
}
