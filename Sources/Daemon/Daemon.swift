import Adapters
import Domain
import Glibc
import Linux
import Pipeline
import Sensors

/// The wiring: devices into the pipeline, what it says out to the sockets, all in one loop on one thread.
///
///     strap, gpsd or simulator ──▶ receive ──▶ Recollection ──▶ turn ──▶ state.sock
///     control.sock ──────────────▶ answer ──────▲                 └────▶ RunRecorder ──▶ journal
package final class Daemon {
    let loop: EventLoop
    let options: Options
    /// What the configuration file says, where no option wins over it.
    var configuration: Configuration
    /// The pipeline, and what has reached it lately.
    var recollection: RunEngine
    var recorder: RunRecorder
    var undecided: ProvisionalResume?
    /// An activity that goes on when power returns.
    var closed: SuspendedActivity?
    var powerWatch = BatteryPolicy()
    private var eventLimit = EventLimit()
    /// Begins a run by itself; nil where that is not wanted.
    var autoStart: AutoStart?
    /// When a run is to have begun that begins by itself.
    var begins: Instant?
    /// Says that the recording stands otherwise.
    private var recorderSource: DescriptorSource?
    /// Reads what is recorded.
    private(set) var clerk: DiskWorker?
    private(set) var exports: ExportQueue?
    var publisher: StateServer?
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
    /// Where ``straps`` is kept; nil in the demo, which keeps nothing.
    let strapFile: StrapStoreFile?
    var straps: StrapStore
    /// The list is on its way to the disk.
    var isWritingStraps = false
    /// When the list is tried again that is not on the disk; nil where it is.
    var strapsRetryAt: Instant?
    let statePreparation: StateDirectoryOpener
    var isStateReady = false
    var continuity: Continuity
    /// What people have set.
    var made: UserSettings
    let stateDirectory: String
    /// What the next answer that comes later goes by.
    var nextToken: PendingResponse.Token = 0
    private var simulator: Simulator?
    private var clockWatch: TimedatedMonitor?
    private var power: PowerMonitor?
    /// When the system's clock is read next.
    private var clockAt: Instant
    private var runIsActive = false

    /// The sockets must listen already.
    ///
    /// - Parameters:
    ///   - directory: the state directory.
    ///   - strapFile: where the straps are kept; nil in the demo.
    ///   - journal: prepares the directory, or has prepared it.
    ///   - finding: what the first attempt has found; nil where the disk has not answered yet.
    ///   - isService: systemd has started this program.
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
        recollection = begun.recollection
        recorder = begun.recorder
        undecided = begun.undecided
        closed = begun.closed
        continuity = begun.continuity
        autoStart = configuration.startsAutomatically && !options.isDemo ? AutoStart() : nil
        clockAt = now
        for signal in Self.signals { signals.append(try onSignal(signal)) }
        publisher = try StateServer(
            socket: state, loop: loop,
            limits: ClientLimits(total: configuration.maxStateClients, perUser: configuration.maxStateClientsPerUser),
            bootID: Clock.bootID(),
            instance: String(UInt64.random(in: 0...UInt64.max), radix: 16),
            settings: recollection.pipeline.settings,
            keep: { [journal = recorder.journal] event, sequence, line in
                journal.append(
                    .event(sequence: sequence, activity: event.activity, at: event.at, line: line), at: event.at)
            })
        if let numbers { publisher?.renumberEvents(numbers.events, after: finding?.journal?.events ?? []) }
        self.control = try ControlServer(
            socket: control, loop: loop,
            limits: ClientLimits(
                total: configuration.maxControlClients, perUser: configuration.maxControlClientsPerUser)
        ) { [unowned self] request, peer in dispatch(to: request, from: peer) }
        timer = try loop.timer { [unowned self] in onTimer() }
        recorderSource = try recorder.journal.watch(in: loop) { [unowned self] in onRecorderStatus() }
        let clerk = try DiskWorker(in: directory, loop: loop)
        self.clerk = clerk
        exports = ExportQueue(
            clerk, recorder.journal, directory: configuration.exportDirectory ?? directory + "/exports"
        ) { [unowned self] in receive($0) }
        if let finding { begin(finding) }
        repairSettings(damages, at: now)
        if kept.saysWhatPeopleWant, !made.saysStraps { saveStrapSetting(at: now) }
        try connectDevices()
        onTimer()
    }

    /// The signals that it goes by.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// Runs until a signal ends it; returns the status to exit with.
    func run() throws(SystemError) -> Int32 {
        if options.isDemo, recollection.pipeline.runState == .idle {
            _ = try? perform(.start(nil, indoor: false), at: Clock.now())
        }
        finishStep()
        reportStatus()
        service.ready()
        let status = try loop.run()
        recollection.shutDown(at: Clock.now())
        flushEngine()
        power?.close()
        strap = nil
        strapWays = nil
        gpsd = nil
        simulator = nil
        control = nil
        publisher?.close()
        // A run that is on stays open: the next start goes on with it.
        closeRecording()
        return status
    }

    var pipeline: Pipeline { recollection.pipeline }

    private func connectDevices() throws(SystemError) {
        if !Clock.mayBeAsked {
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
            receive(.bluetooth(BluetoothStatus(way: .unix)))
            strap = try UnixStrap(path: path, loop: loop, report: report) { information in
                Log.write(.info, about: .straps, Log.line(of: information))
            }
        case .off: break
        case .auto, .ours:
            if let wish = configuration.bluetooth.wish { strapWays = try makeStrapWays(wish, report: report) }
        }
    }

    // MARK: What comes in

    func onTimer() {
        let now = Clock.now()
        catchUp(to: now)
        if now >= clockAt {
            clockAt = now + .seconds(1)
            recollection.receive(.systemClock(Clock.systemTime(), isSynchronised: Clock.isSynchronised()), at: now)
            recollection.receive(.recorder(recorder.journal.status(at: now)), at: now)
            recorder.noteClock(recollection.pipeline.state(at: now), at: now)
            if let fault = eventLimit.fault(at: now) { recollection.receive(fault, at: now) }
            exports?.tick(at: now)
            retryStraps(at: now)
            Log.reportSuppressed()
        }
        finishStep()
        if service.mayStandOtherwise { reportStatus() }
        service.ticked(next: pipeline.deadline)
    }

    private func onRecorderStatus() {
        for line in recorder.journal.drainReports() { Log.write(.notice, line) }
        if let finding = statePreparation.popFinding() { adopt(finding) }
        receive(.recorder(recorder.journal.status(at: Clock.now())))
    }

    /// Carries out a command; an activity that it begins gets the journal's next number.
    func perform(_ command: RunCommand, at now: Instant) throws(CommandRejection) -> Pipeline.Outcome {
        recollection.number(next: recorder.activityNumber)
        return try recollection.perform(command, at: now)
    }

    func receive(_ input: Input) {
        let now = Clock.now()
        catchUp(to: now)
        recollection.receive(input, at: now)
        finishStep()
    }

    /// What is due is said before something new changes it, so that a replay says the same.
    func catchUp(to now: Instant) {
        recollection.advance(to: now)
        flushEngine()
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
            Log.write(of: peer, "asks for \(command.word.text)")
            do throws(CommandRejection) {
                return try .result(result(of: perform(command, at: now), command))
            } catch {
                throw .notInThisState(error)
            }
        case .status: return .result(.state(pipeline.state(at: now), sequence: publisher?.stateSequence ?? 0))
        case .settings: return .result(.settings(pipeline.settings))
        case .setting(let key): return .result(.setting(key, pipeline.settings))
        case .change(let change):
            Log.write(of: peer, "changes \(change.key.rawValue)")
            return try .result(self.change(change, at: now))
        case .scan(let seconds): return .later(try scan(seconds: seconds))
        case .use(let use):
            Log.write(of: peer, "says which strap is used")
            return try .result(self.use(use, at: now))
        case .pair(let strap):
            Log.write(of: peer, "pairs with a strap")
            return .later(try pair(strap))
        case .activities(let request):
            switch request {
            case .edit(let id, _, _): Log.write(of: peer, "edits activity \(id)")
            case .delete(let id): Log.write(of: peer, "deletes activity \(id)")
            case .recover(let file): Log.write(of: peer, "asks for the recovery of \(file)")
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
        // One button wants to know what it has led to, whichever command it was.
        case .started where command == .toggle: .run(.active, elapsedMilliseconds: 0)
        case .started(let activity): .activity(activity)
        case .changed(let state, let elapsed): .run(state, elapsedMilliseconds: elapsed)
        case .ended(let summary): .summary(summary)
        }
    }

    // MARK: What goes out

    func flushEngine() {
        let entries = recollection.drainEntries()
        let outputs = eventLimit.limited(recollection.pipeline.drainOutputs(), at: Clock.now())
        let settings = recollection.pipeline.settings
        recorder.record(
            entries, outputs, seconds: recollection.pipeline.seconds,
            zones: settings.useHeartRateZones ? settings.zones : nil, at: Clock.now())
        logEnd(entries)
        publish(outputs)
        if let since = autoStart?.receive(outputs) { begins = since }
        decideProvisionalResume(entries, outputs, at: Clock.now())
        if let (state, isChange) = recollection.pipeline.popState() { publisher?.publish(state, isChange: isChange) }
        recollection.pipeline.discardSeconds()
    }

    func publish(_ outputs: [Output]) {
        for case .event(let event) in outputs {
            if let (level, text) = Log.line(of: event) { Log.write(level, about: Log.subject(of: event), text) }
            if case .stop = event.kind { exports?.scanAfterCommit() }
            service.mayStandOtherwise = true
        }
        publisher?.publish(outputs)
    }

    /// Says what there is to say, and sleeps until the next tick or the next second.
    func finishStep() {
        flushEngine()
        if beginByItself(at: Clock.now()) { flushEngine() }
        timer?.arm(at: recollection.pipeline.deadline)
        let isActive = recollection.pipeline.runState == .active
        if isActive != runIsActive {
            runIsActive = isActive
            strap?.runChanged(isActive: isActive)
            strapWays?.runChanged(isActive: isActive)
        }
    }
}
