import Bluetooth
import Domain
import Linux
import Sensors
import Servers
import Storage
import Wire

/// Owns the straps: the Bluetooth backends, the user's choice, and the file of known straps.
///
///     backends ──▶ Inbox ──▶ remember, save keys ──▶ straps.json
///     control.sock ──▶ use, forget, scan, pair ──▶ backends
///
/// The option `--strap` with any value but `auto` has precedence over the user's choice.
final class StrapController {
    typealias Completion = (Result<ControlResult, RPCError>) -> Void

    private let inbox: Inbox
    private let run: RunController
    private let settings: SettingsController
    private let activities: ActivityService
    /// The file of ``straps``; nil in the demo, which stores nothing.
    private let file: StrapStoreFile?
    private var straps: StrapStore
    private var backends: StrapBackendSwitch?
    private var unixStrap: UnixStrap?
    private var runIsActive = false
    /// The state directory is locked and writable.
    private var directoryIsReady = false
    /// The disk worker is writing ``straps``.
    private var isWriting = false
    /// When the next write of ``straps`` is due; nil if none failed.
    private var retryAt: Instant?

    private static let retryDelay = Duration.seconds(60)

    init(
        _ inbox: Inbox, _ run: RunController, _ settings: SettingsController, _ activities: ActivityService,
        file: StrapStoreFile?, _ straps: StrapStore
    ) {
        self.inbox = inbox
        self.run = run
        self.settings = settings
        self.activities = activities
        self.file = file
        self.straps = straps
    }

    /// The straps at the start: the user's choice in the journal or an earlier release's file, else as configured.
    static func straps(
        _ kept: StrapStore, _ userSettings: UserSettings, _ settings: Settings, _ configuration: Configuration
    ) -> StrapStore {
        var list = kept
        if userSettings.hasStraps || !kept.hasSelection {
            list.selected = settings.straps
            list.isOff = userSettings.strapsAreOff ?? (configuration.straps == .off)
        }
        return list
    }

    /// The straps that the option names, else those that the user chose.
    static func strapSetting(_ options: Options, _ list: StrapStore) -> [String] {
        switch options.strap {
        case .ours(let straps): straps
        case .auto, .off, .unix, nil: list.selected
        }
    }

    // MARK: Backends

    /// Connects the strap, or starts the Bluetooth backends.
    func connect(in loop: EventLoop) throws(SystemError) {
        let report: (Input) -> Void = { [inbox] in inbox.append(.input($0)) }
        switch settings.strapOption {
        case .unix(let path):
            inbox.append(.input(.bluetooth(BluetoothStatus(backend: .unix))))
            unixStrap = try UnixStrap(path: path, loop: loop, report: report) { information in
                Log.write(.info, about: .straps, Log.line(of: information))
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
    ) throws(SystemError) -> StrapBackendSwitch {
        let describe: (DeviceInformation) -> Void = { Log.write(.info, about: .straps, Log.line(of: $0)) }
        let remember: ([KnownStrap]) -> Void = { [inbox] in inbox.append(.knownStraps($0)) }
        let adapter = settings.configuration.adapter
        return try StrapBackendSwitch(
            preference, isOff: settings.strapOption == .auto && straps.isOff, loop: loop,
            makeKernel: { [unowned self, inbox] (reason, report) throws(SystemError) in
                try KernelStrapBackend(
                    adapter: adapter, ours: matchers, remembered: straps.remembered, keys: straps.keys, reason: reason,
                    loop: loop, report: report, describe: describe, remember: remember,
                    keep: { inbox.append(.keys($0)) })
            },
            makeBus: { [unowned self] (reason, report) throws(SystemError) in
                try BluetoothdStrapBackend(
                    adapter: adapter, ours: matchers, remembered: straps.remembered, reason: reason, loop: loop,
                    report: report, describe: describe, remember: remember)
            },
            report: report,
            changed: { backend, reason in
                let name = backend == .kernel ? "kernel" : "bluetoothd"
                Log.write(
                    .notice, about: .links, "Bluetooth backend: " + name + (reason.map { " (\($0.text))" } ?? ""))
            })
    }

    /// Disconnects the strap and stops the backends.
    func disconnect() {
        unixStrap = nil
        backends = nil
    }

    /// Reports the start or end of activity of the run to the strap.
    func runChanged(isActive: Bool) {
        guard isActive != runIsActive else { return }
        runIsActive = isActive
        unixStrap?.runChanged(isActive: isActive)
        backends?.runChanged(isActive: isActive)
    }

    private var matchers: [StrapMatcher] {
        run.settings.straps.compactMap { StrapMatcher($0) }
    }

    /// Applies the chosen straps to the backend, or stops it if none is used.
    private func applyChoice() {
        if straps.isOff {
            backends?.stop()
        } else {
            backends?.use(matchers)
        }
    }

    // MARK: Requests

    /// - Throws: ``RPCError`` -32004 if an option decides which strap is used.
    private func checkChoiceIsFree() throws(RPCError) {
        // The demo ignores the option.
        if settings.strapOption != .auto, !settings.isDemo { throw .overridden(by: "--strap") }
    }

    func use(_ selection: StrapSelection, at now: Instant) throws(RPCError) -> ControlResult {
        try checkChoiceIsFree()
        var list = straps
        try selection.apply(to: &list)
        adopt(list, at: now)
        saveChoice(at: now)
        applyChoice()
        return .link(run.state(at: now).heart.link)
    }

    func forget(_ strap: String?, at now: Instant) throws(RPCError) -> ControlResult {
        try checkChoiceIsFree()
        var list = straps
        try list.forget(strap)
        let choiceChanges = list.selected != straps.selected
        adopt(list, at: now)
        if choiceChanges { saveChoice(at: now) }
        backends?.forget(strap.map { StrapMatcher($0) } ?? nil, remaining: matchers)
        return .done
    }

    /// Changes the setting `straps`.
    func change(_ change: SettingChange, at now: Instant) throws(RPCError) {
        try checkChoiceIsFree()
        var list = straps
        list.selected = change.values.straps
        adopt(list, at: now)
        applyChoice()
        settings.save(change, at: now)
    }

    /// Brings the default choice of straps back.
    ///
    /// - Throws: ``RPCError`` -32004 if an option chooses the straps.
    func reset(at now: Instant) throws(RPCError) {
        try checkChoiceIsFree()
        var list = straps
        list.selected = settings.resetStraps(at: now)
        list.isOff = settings.strapsAreOff
        adopt(list, at: now)
        applyChoice()
    }

    /// Starts a scan. `completion` receives its result when the inbox is drained.
    func scan(seconds: Int, _ completion: @escaping Completion) throws(RPCError) {
        try start { [inbox] backends in
            backends.scan(for: .seconds(seconds)) { straps in
                inbox.append(.completion { _ in completion(.success(.straps(straps))) })
            }
        }
    }

    /// Starts a pairing. `completion` receives its result when the inbox is drained.
    func pair(_ strap: String, _ completion: @escaping Completion) throws(RPCError) {
        guard let matcher = StrapMatcher(strap) else {
            throw .notFound("strap", "this is not an address or a name of a strap")
        }
        try start { [inbox] backends in
            backends.pair(matcher) { result in inbox.append(.completion { _ in completion(result.response) }) }
        }
    }

    private func start(_ operation: (StrapBackendSwitch) -> StrapRequestError?) throws(RPCError) {
        guard let backends else { throw .unavailable("Bluetooth is not used") }
        switch operation(backends) {
        case .busy: throw .busy("another scan or pairing is in progress")
        case .unavailable(let reason): throw .unavailable("Bluetooth is not available: \(reason.rawValue)")
        case nil: break
        }
    }

    // MARK: Choice and known straps

    /// Stores the user's choice of straps, including whether any is used.
    func saveChoice(at now: Instant) {
        settings.save(straps: straps.selected, areOff: straps.isOff, at: now)
    }

    /// Adopts the user's choice in the journal, if it could not be read at the start.
    func adoptChoice(_ ours: [String], at now: Instant) {
        guard settings.strapOption == .auto else { return }
        var list = straps
        list.selected = ours
        list.isOff = settings.strapsAreOff
        adopt(list, at: now)
        applyChoice()
    }

    /// Stores the straps that have sent a beat.
    func remember(_ remembered: [KnownStrap], at now: Instant) {
        var list = straps
        list.remembered = remembered
        adopt(list, at: now)
    }

    /// Stores the keys of paired straps.
    func save(_ keys: [LongTermKey], at now: Instant) {
        var list = straps
        list.keys = keys
        adopt(list, at: now)
    }

    /// Merges the list of a file that could not be read at the start.
    func merge(_ kept: StrapStore, at now: Instant) {
        var list = straps
        list.add(kept)
        adopt(list, at: now)
        // The file may lack changes that were made since the start.
        if list.remembered != kept.remembered || list.keys != kept.keys { retryAt = now }
    }

    /// Replaces the list. Publishes a changed choice of straps; writes changed known straps and keys to the file.
    private func adopt(_ list: StrapStore, at now: Instant) {
        guard list != straps else { return }
        // With the option `--strap`, the setting stays and only known straps and keys change.
        let choiceChanges = list.selected != straps.selected
        let fileChanges = list.remembered != straps.remembered || list.keys != straps.keys
        straps = list
        if choiceChanges {
            var settings = run.settings
            settings.straps = list.selected
            run.change([.straps], to: settings, at: now)
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
        let list = straps
        isWriting = activities.submit(.write(list, in: file)) { [unowned self] reply, now in
            isWriting = false
            if case .failure(let failure) = reply { logFailure("\(failure)", at: now) }
            if list.remembered != straps.remembered || list.keys != straps.keys { writeFile(at: now) }
        }
        if !isWriting { writeFileNow(at: now) }
    }

    /// Writes the list on the calling thread. Blocks on the disk.
    private func writeFileNow(at now: Instant) {
        do {
            try file?.write(straps)
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
            .warning, about: .straps,
            "cannot write \(file?.path ?? ""): \(reason); the straps are kept in memory, retrying each minute")
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
