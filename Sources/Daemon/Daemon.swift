import Bluetooth
import Board
import Domain
import Glibc
import Gnss
import Linux
import Pipeline
import Servers
import Simulation
import Storage
import Wire

/// Wires the devices to the pipeline, and the pipeline to the sockets and the journal, in one loop on one thread.
///
///     strap, gpsd or simulator ──▶ receive ──▶ RunEngine ──▶ finishStep ──▶ state.sock
///     control.sock ──────────────▶ dispatch ───────▲              └────▶ RunRecorder ──▶ journal
package final class Daemon {
    let loop: EventLoop
    let options: Options
    /// The configuration file's values. Options have precedence.
    var configuration: Configuration
    var engine: RunEngine
    /// The effects of the engine's steps since the last flush.
    var effects: Effects
    var recorder: RunRecorder
    var undecided: ProvisionalResume?
    /// The activity that was closed on low battery. It resumes when power returns.
    var closed: SuspendedActivity?
    var powerWatch = BatteryPolicy()
    private var eventLimit = EventLimit()
    /// Starts runs automatically; nil if that is disabled.
    var autoStart: AutoStart?
    /// The moment to which the next automatic start is backdated; nil if none is due.
    var begins: Instant?
    /// Reports changes of the journal's status.
    private var recorderSource: DescriptorSource?
    /// Reads the journal and writes files, on a thread that may wait for the disk.
    private(set) var diskWorker: DiskWorker?
    private(set) var exports: ExportQueue?
    var stateServer: StateServer?
    var control: ControlServer?
    private var timer: TimerSource?
    private var signals: [SignalSource] = []
    let service: SystemdReporter
    var shutdown: Shutdown
    var systemState: SystemState?
    var endTimer: TimerSource?
    private var gpsd: GpsdClient?
    private var strap: UnixStrap?
    var strapWays: StrapBackendSwitch?
    /// The file of ``straps``; nil in the demo, which stores nothing.
    let strapFile: StrapStoreFile?
    var straps: StrapStore
    /// The disk worker is writing ``straps``.
    var isWritingStraps = false
    /// When the next write of ``straps`` is due; nil if none failed.
    var strapsRetryAt: Instant?
    let statePreparation: StateDirectoryOpener
    var isStateReady = false
    var continuity: Continuity
    /// The settings that users have changed over control.sock.
    var made: UserSettings
    let stateDirectory: String
    /// Token of the next deferred response.
    var nextToken: PendingResponse.Token = 0
    private var simulator: Simulator?
    private var clockWatch: TimedatedMonitor?
    private var power: PowerMonitor?
    /// When the system clock is read next.
    private var clockAt: Instant
    private var runIsActive = false

    /// Creates a daemon on sockets that listen already.
    ///
    /// - Parameters:
    ///   - directory: the state directory.
    ///   - strapFile: the file of known straps; nil in the demo.
    ///   - journal: runs `preparation` on its thread before it writes.
    ///   - finding: the result of the first attempt to open the state directory; nil if the disk has not answered yet.
    ///   - isService: true if systemd started this process.
    init(
        _ options: Options, _ configuration: Configuration, state: consuming FileDescriptor,
        control: consuming FileDescriptor, directory: String, strapFile: StrapStoreFile?, _ journal: Journal,
        _ preparation: StateDirectoryOpener, _ finding: StateDirectoryStatus?, service: SystemdReporter, isService: Bool
    ) throws(SystemError) {
        let now = Clock.now()
        loop = try EventLoop()
        self.options = options
        self.service = service
        shutdown = Shutdown(closesRun: isService && configuration.startsAutomatically)
        self.configuration = configuration
        self.strapFile = strapFile
        stateDirectory = directory
        statePreparation = preparation
        var damages: [UserSettings.Damage] = []
        made = UserSettings(options.isDemo ? [] : finding?.journal?.settings ?? [], damages: &damages)
        var settings = made.over(Self.defaultSettings(options, configuration))
        let kept = finding?.straps ?? StrapStore()
        straps = Self.straps(kept, made, settings, configuration)
        settings.straps = Self.strapSetting(options, kept: straps)
        var begun = StartupState(
            Pipeline(settings: settings, isDemo: options.isDemo, at: now), journal, configuration.exportAtStop, at: now)
        let numbers = finding.flatMap { begun.adopt($0, isServing: false, at: now) }
        engine = begun.engine
        effects = begun.effects
        recorder = begun.recorder
        undecided = begun.undecided
        closed = begun.closed
        continuity = begun.continuity
        autoStart = configuration.startsAutomatically && !options.isDemo ? AutoStart() : nil
        clockAt = now
        for signal in Self.signals { signals.append(try onSignal(signal)) }
        stateServer = try StateServer(
            socket: state, loop: loop,
            limits: ClientLimits(total: configuration.maxStateClients, perUser: configuration.maxStateClientsPerUser),
            bootID: Clock.bootID(),
            instance: String(UInt64.random(in: 0...UInt64.max), radix: 16),
            settings: engine.settings)
        if let numbers { stateServer?.renumberEvents(numbers.events, after: finding?.journal?.events ?? []) }
        self.control = try ControlServer(
            socket: control, loop: loop,
            limits: ClientLimits(
                total: configuration.maxControlClients, perUser: configuration.maxControlClientsPerUser)
        ) { [unowned self] request, peer in dispatch(to: request, from: peer) }
        timer = try loop.timer { [unowned self] in onTimer() }
        recorderSource = try recorder.journal.watch(in: loop) { [unowned self] in onRecorderStatus() }
        let diskWorker = try DiskWorker(in: directory, loop: loop)
        self.diskWorker = diskWorker
        exports = ExportQueue(
            diskWorker, recorder.journal, directory: configuration.exportDirectory ?? directory + "/exports"
        ) { [unowned self] in receive($0) }
        if let finding { begin(finding) }
        repairSettings(damages, at: now)
        if kept.hasSelection, !made.saysStraps { saveStrapSetting(at: now) }
        try connectDevices()
        onTimer()
    }

    /// The signals that the daemon handles.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// - Returns: the exit status, after a signal has ended the loop.
    func run() throws(SystemError) -> Int32 {
        if options.isDemo, engine.runState == .idle {
            _ = try? perform(.start(nil, indoor: false), at: Clock.now())
        }
        finishStep()
        reportStatus()
        service.ready()
        let status = try loop.run()
        engine.step(.shutDown, at: Clock.now(), into: &effects)
        flushEngine()
        power?.close()
        strap = nil
        strapWays = nil
        gpsd = nil
        simulator = nil
        control = nil
        stateServer?.close()
        // An active or paused run stays open in the journal: the next start resumes it.
        closeRecording()
        return status
    }

    private func connectDevices() throws(SystemError) {
        if !Clock.canQuerySynchronisation {
            clockWatch = try TimedatedMonitor(loop: loop) { Clock.setSynchronised(isSynchronised: $0) }
        }
        let report: (Input) -> Void = { [unowned self] in receive($0) }
        if options.isDemo {
            simulator = try Simulator(seed: 1, loop: loop, report: report)
            return
        }
        power = try PowerMonitor(PowerSupplies(), loop: loop) { [unowned self] in receive($0) }
        if case .at(let host, let port, let device) = configuration.gpsd {
            gpsd = try GpsdClient(host: host, port: port, device: device, loop: loop, report: report)
        }
        switch strapOption {
        case .unix(let path):
            receive(.bluetooth(BluetoothStatus(backend: .unix)))
            strap = try UnixStrap(path: path, loop: loop, report: report) { information in
                Log.write(.info, about: .straps, Log.line(of: information))
            }
        case .off: break
        case .auto, .ours:
            if let wish = configuration.bluetooth.wish { strapWays = try makeStrapWays(wish, report: report) }
        }
    }

    // MARK: Inputs

    func onTimer() {
        let now = Clock.now()
        catchUp(to: now)
        if now >= clockAt {
            clockAt = now + .seconds(1)
            step(.systemClock(Clock.systemTime(), isSynchronised: Clock.isSynchronised()), at: now)
            step(.recorder(recorder.journal.status(at: now)), at: now)
            recorder.noteClock(engine.state(at: now), at: now)
            if let fault = eventLimit.fault(at: now) { step(fault, at: now) }
            exports?.tick(at: now)
            retryStraps(at: now)
            Log.reportSuppressed()
        }
        finishStep()
        if service.mayStandOtherwise { reportStatus() }
        service.ticked(next: engine.deadline)
    }

    private func onRecorderStatus() {
        for line in recorder.journal.drainReports() { Log.write(.notice, line) }
        if let finding = statePreparation.popFinding() { adopt(finding) }
        receive(.recorder(recorder.journal.status(at: Clock.now())))
    }

    /// Performs a command. An activity that it starts gets the journal's next number.
    func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        try engine.step(command, activity: recorder.activityNumber, at: now, into: &effects)
    }

    func receive(_ input: Input) {
        let now = Clock.now()
        catchUp(to: now)
        step(input, at: now)
        finishStep()
    }

    /// Publishes what was due before `now`, so that a later input cannot change it. A replay does the same.
    func catchUp(to now: Instant) {
        engine.step(.time, at: now, into: &effects)
        flushEngine()
    }

    /// Passes an input to the engine; its effects are flushed later.
    func step(_ input: Input, at now: Instant) {
        engine.step(.input(input), at: now, into: &effects)
    }

    private func dispatch(to request: ControlRequest, from peer: PeerCredentials) -> ControlServer.Reply {
        defer { finishStep() }
        do throws(RPCError) {
            let now = Clock.now()
            catchUp(to: now)
            return try execute(request, from: peer, at: now)
        } catch {
            return .now(.failure(error))
        }
    }

    private func execute(
        _ request: ControlRequest, from peer: PeerCredentials, at now: Instant
    ) throws(RPCError) -> ControlServer.Reply {
        switch request {
        case .run(let command):
            Log.write(of: peer, "requests \(command.word.text)")
            do throws(CommandRejection) {
                return try .result(result(of: perform(command, at: now), command))
            } catch {
                throw .notInThisState(error)
            }
        case .status: return .result(.state(engine.state(at: now), sequence: stateServer?.stateSequence ?? 0))
        case .settings: return .result(.settings(engine.settings))
        case .setting(let key): return .result(.setting(key, engine.settings))
        case .change(let change):
            Log.write(of: peer, "changes the setting \(change.key.rawValue)")
            return try .result(self.change(change, at: now))
        case .scan(let seconds): return .later(try scan(seconds: seconds))
        case .use(let use):
            Log.write(of: peer, "selects a strap")
            return try .result(self.use(use, at: now))
        case .pair(let strap):
            Log.write(of: peer, "pairs with a strap")
            return .later(try pair(strap))
        case .activities(let request):
            switch request {
            case .edit(let id, _, _): Log.write(of: peer, "edits activity \(id)")
            case .delete(let id): Log.write(of: peer, "deletes activity \(id)")
            case .recover(let file): Log.write(of: peer, "requests the recovery of \(file)")
            case .list, .get, .track: break
            }
            return .later(try execute(request, at: now))
        case .forget(let strap):
            Log.write(of: peer, "forgets \(strap == nil ? "all straps" : "a strap")")
            return try .result(forget(strap, at: now))
        }
    }

    private func result(of outcome: Pipeline.Outcome, _ command: RunCommand) -> ControlResult {
        switch outcome {
        // A client with one button sends `toggle` for every change, so its result is the state.
        case .started where command == .toggle: .run(.active, elapsedMilliseconds: 0)
        case .started(let activity): .activity(activity)
        case .changed(let state, let elapsed): .run(state, elapsedMilliseconds: elapsed)
        case .ended(let summary): .summary(summary)
        }
    }

    // MARK: Outputs

    func flushEngine() {
        let now = Clock.now()
        let outputs = eventLimit.limited(effects.outputs, at: now)
        let settings = engine.settings
        let events = recorder.record(
            effects.entries, outputs, seconds: effects.seconds,
            zones: settings.useHeartRateZones ? settings.zones : nil, at: now)
        logEnd(effects.entries)
        publish(outputs, events)
        if let since = autoStart?.receive(outputs) { begins = since }
        decideProvisionalResume(effects.entries, outputs, at: now)
        if let (state, isChange) = effects.state { stateServer?.publish(state, isChange: isChange) }
        effects.removeAll()
    }

    /// Logs and publishes outputs and the lines of their events.
    func publish(_ outputs: [Output], _ events: [EventLine]) {
        for case .event(let event) in outputs {
            if let (level, text) = Log.line(of: event) { Log.write(level, about: Log.subject(of: event), text) }
            if case .stop = event.kind { exports?.scanAfterCommit() }
            service.mayStandOtherwise = true
        }
        stateServer?.publish(outputs, events: events)
    }

    /// Publishes pending outputs and arms the timer for the next tick or idle second.
    func finishStep() {
        flushEngine()
        if beginByItself(at: Clock.now()) { flushEngine() }
        timer?.arm(at: engine.deadline)
        let isActive = engine.runState == .active
        if isActive != runIsActive {
            runIsActive = isActive
            strap?.runChanged(isActive: isActive)
            strapWays?.runChanged(isActive: isActive)
        }
    }
}
