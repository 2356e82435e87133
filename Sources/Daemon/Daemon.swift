import Domain
import Linux
import Pipeline
import Program
import Sensors
import Servers
import Storage
import Wire

/// The loop: passes each message of the inbox to the controller that owns its state.
///
///     strap, gpsd, simulator ───▶ Inbox ──▶ RunController ──▶ RunRecorder ──▶ journal
///     timers, signals, disk ───────▲  │            └────────▶ StateServer ──▶ state.sock
///                                     └──▶ settings, sensors, activities, uploads, service
///     control.sock ──▶ respond ───────────────────▲
///     publish.sock ──▶ respond ──▶ StateServer
///     sensor.sock ──▶ SensorDoor ──▶ Inbox
///
/// Everything runs on one thread. Adapters append to the inbox; the loop drains it after each callback. A request of
/// control.sock is executed in its callback, because its response is the result; the reports that it causes wait
/// in the inbox until it has returned.
package final class Daemon {
    private let loop: EventLoop
    private let inbox = Inbox()
    private let opener: StateDirectoryOpener
    private let stateServer: StateServer
    private var control: ControlServer?
    /// Nil if systemd passed no socket for it.
    private var publish: ControlServer?
    private var sensorServer: ControlServer?
    private let door: SensorDoor
    private let run: RunController
    private let settings: SettingsController
    private let activities: ActivityService
    private let uploads: UploadService
    private let courses: CourseService
    private let identity: DeviceService
    private let sensors: SensorController
    private let service: ServiceController
    private var devices: Devices
    /// Token of the next deferred response.
    private var nextToken: PendingResponse.Token = 0
    private var sources = Sources()
    private var unstored = UnstoredSettings()

    private struct Sources {
        var timer: TimerSource?
        var inbox: CallbackSource?
        var journal: DescriptorSource?
    }

    /// Creates a daemon on sockets that listen already.
    ///
    /// - Parameters:
    ///   - directory: the state directory.
    ///   - sensorFile: the file of known sensors; nil in the demo.
    ///   - journal: runs `opener` on its thread before it writes.
    ///   - status: the result of the first attempt to open the state directory; nil if the disk has not answered yet.
    ///   - isService: true if systemd started this process.
    ///   - replay: the source of `--replay`.
    init(
        _ options: Options, _ configuration: Configuration, state: consuming FileDescriptor,
        control: consuming FileDescriptor, publish: consuming FileDescriptor?,
        sensor: consuming FileDescriptor?, directory: String,
        sensorFile: SensorStoreFile?, _ journal: Journal,
        _ opener: StateDirectoryOpener, _ status: StateDirectoryStatus?, reporter: SystemdReporter, isService: Bool,
        replay: ReplaySource?
    ) throws(SystemError) {
        let now = Clock.now()
        loop = try EventLoop()
        self.opener = opener
        var damages: [UserSettings.Damage] = []
        let userSettings = UserSettings(options.isDemo ? [] : status?.journal?.settings ?? [], damages: &damages)
        var initial = userSettings.over(SettingsController.defaultSettings(options, configuration))
        let storedSensors = status?.sensors ?? SensorStore()
        let sensors = SensorController.sensors(storedSensors, userSettings, initial, configuration)
        initial.sensors = SensorController.sensorSetting(options, sensors)

        stateServer = try StateServer(
            socket: state, loop: loop,
            limits: ClientLimits(total: configuration.maxStateClients, perUser: configuration.maxStateClientsPerUser),
            bootID: Clock.bootID(), instance: String(UInt64.random(in: 0...UInt64.max), radix: 16),
            gpsd: (options.isDemo ? .off : configuration.gpsd).text, settings: initial)
        let pipeline = Pipeline(settings: initial, isDemo: options.isDemo, at: now)
        run = RunController(
            RecordingState(pipeline, journal, configuration.exportAtStop, isRecorded: replay == nil, at: now),
            stateServer, startsAutomatically: configuration.startsAutomatically && !options.isDemo, replay: replay,
            at: now)
        if let status { run.adopt(status, isServing: false, at: now) }
        settings = SettingsController(options, configuration, userSettings, run)
        activities = try ActivityService(
            inbox, run, in: directory, exportDirectory: configuration.exportDirectory, isDemo: options.isDemo,
            loop: loop,
            at: now)
        uploads = UploadService(inbox, run, activities)
        courses = CourseService(inbox, run, activities)
        identity = DeviceService(run, activities, in: directory) { [stateServer] in stateServer.device = $0 }
        self.sensors = SensorController(inbox, run, settings, activities, file: sensorFile, sensors)
        door = SensorDoor(
            inbox, run, self.sensors.heart,
            takesPositions: !options.isDemo && configuration.gpsd == .sensorSocket)
        self.sensors.choiceChanged = { [door] in door.choiceChanged() }
        service = try ServiceController(
            loop, inbox, reporter, closesRun: isService && configuration.startsAutomatically)
        devices = try Devices(inbox, options, configuration, loop: loop)
        if !options.isDemo { try self.sensors.connect(in: loop) }
        let methods = ControlServer.Service(ControlRequest.table) { [unowned self] call, peer, connection in
            respond(to: call, from: peer) { now throws(RPCError) in try execute(call, from: peer, connection, at: now) }
        }
        self.control = try ControlServer(
            socket: control, methods, loop: loop,
            limits: ClientLimits(
                total: configuration.maxControlClients, perUser: configuration.maxControlClientsPerUser))
        if let publish {
            let methods = ControlServer.Service(TopicRequest.table) { [unowned self] call, peer, _ in
                respond(to: call, from: peer) { now throws(RPCError) in
                    try execute(call.request, of: peer.user, at: now)
                    return .now(.success(.done))
                }
            }
            self.publish = try ControlServer(
                socket: publish, methods, loop: loop, limits: ControlServer.publisherLimits,
                spareDescriptors: ClientLimits.othersSpareDescriptors)
            stateServer.demandChanged = { [unowned self] in self.publish?.demand = stateServer.demand }
        }
        if let sensor {
            let invalid: (RPCError) -> Void = { [door] in door.refused($0, at: Clock.now()) }
            let methods = ControlServer.Service(SensorDoorRequest.table, invalid: invalid) {
                [unowned self] call, peer, connection in
                respond(to: call, from: peer) { now throws(RPCError) in
                    try door.execute(call.request, of: connection, at: now)
                    return .now(.success(.done))
                }
            }
            sensorServer = try ControlServer(
                socket: sensor, methods, loop: loop, limits: ControlServer.publisherLimits,
                spareDescriptors: ClientLimits.othersSpareDescriptors)
            sensorServer?.closed = { [door] in door.connectionClosed($0) }
        }
        self.control?.closed = { [uploads] in uploads.connectionClosed($0) }
        sources.timer = try loop.timer { [inbox] in inbox.append(.tick) }
        sources.journal = try journal.watch(in: loop) { [inbox] in inbox.append(.journal) }
        sources.inbox = try loop.afterEach { [unowned self] in drain() }

        if let device = status?.device { identity.adopt(device, at: now) }
        if let status { startWriting(status) }
        settings.repair(damages, at: now)
        if storedSensors.hasSelection, !userSettings.hasSensors { self.sensors.saveChoice(at: now) }
        inbox.append(.tick)
        drain()
    }

    /// - Returns: the exit status, after a signal has ended the loop.
    func serve() throws(SystemError) -> Int32 {
        if let start = settings.demoStart, run.runState == .idle { _ = try? run.perform(start, at: Clock.now()) }
        finish(at: Clock.now())
        reportStatus(at: Clock.now())
        service.reportReady()
        let status = try loop.run()
        drain()
        run.shutDown(at: Clock.now())
        devices.close()
        sensors.disconnect()
        control?.close()
        publish?.close()
        sensorServer?.close()
        stateServer.close()
        // An active or paused run stays open in the journal: the next start resumes it.
        closeRecording()
        return status
    }

    // MARK: Messages

    private func drain() {
        inbox.drain { message, moment in
            run.advance(to: moment)
            handle(message, at: moment)
            finish(at: moment)
            if case .tick = message { service.ticked(next: run.deadline) }
        }
    }

    private func handle(_ message: Inbox.Message, at now: Instant) {
        switch message {
        case .tick: onTick(at: now)
        case .input(let input): run.step(input, at: now)
        case .power(let power):
            run.receive(power, limits: settings.batteryLimits, resumeLimit: settings.resumeLimit, at: now)
        case .completion(let body): body(now)
        case .knownSensors(let sensors): self.sensors.remember(sensors, at: now)
        case .keys(let keys): sensors.save(keys, at: now)
        case .journal: onJournalStatus(at: now)
        case .stop(let signal): perform(service.stopRequested(by: signal, run.runState, at: now), at: now)
        case .reload: reload()
        }
    }

    private func onTick(at now: Instant) {
        guard run.onTick(at: now) else { return }
        activities.tick(at: now)
        uploads.tick(at: now)
        sensors.tick(at: now)
        unstored.tick(at: now)
        stateServer.advanceTopics(to: now)
        run.follow(stateServer.weather, at: now)
        Log.reportSuppressed()
    }

    /// Publishes pending effects, passes on what has changed, and arms the timer for the next tick or idle second.
    private func finish(at now: Instant) {
        run.finish(at: now)
        let changes = run.popChanges()
        if !changes.calibrations.isEmpty {
            for change in changes.calibrations { try? settings.apply(change, at: now) }
            run.finish(at: now)
        }
        if changes.hasExports { activities.exportAndIndexAfterCommit(at: now) }
        if changes.hasEvents { reportStatus(at: now) }
        sensors.runChanged(isActive: run.runState == .active)
        sources.timer?.arm(at: run.deadline)
    }

    private func reportStatus(at now: Instant) {
        service.reportStatus(run.runState, activity: run.activity(at: now)?.id)
    }

    // MARK: Requests

    private func respond<Request>(
        to call: RPCCall<Request>, from peer: PeerCredentials,
        executing execute: (Instant) throws(RPCError) -> ControlServer.Reply
    ) -> ControlServer.Reply {
        let now = Clock.now()
        run.advance(to: now)
        // Subscribers see the effects before the client sees the response.
        defer { finish(at: now) }
        do throws(RPCError) {
            let reply = try execute(now)
            if case .now(let result) = reply { log(call.logText, of: peer, result) }
            return reply
        } catch {
            log(call.logText, of: peer, .failure(error))
            return .now(.failure(error))
        }
    }

    /// Logs a request that changes something, once its result is known.
    private func log(_ action: String?, of peer: PeerCredentials, _ result: Result<ControlResult, RPCError>) {
        guard let action else { return }
        switch result {
        case .success: Log.write(of: peer, action)
        case .failure(let error): Log.write(of: peer, "\(action): rejected: \(error.detail ?? error.message)")
        }
    }

    private func execute(
        _ call: RPCCall<ControlRequest>, from peer: PeerCredentials, _ connection: Int, at now: Instant
    ) throws(RPCError) -> ControlServer.Reply {
        switch call.request {
        case .run(let command):
            if command == .stop || command == .discard, run.endWait(at: now) {
                return .now(.success(.run(.idle, elapsedMilliseconds: 0)))
            }
            do throws(CommandRejection) {
                return .now(.success(result(of: try run.perform(command, at: now), command)))
            } catch {
                throw .notInThisState(error)
            }
        case .startAtPosition(let sport):
            do throws(CommandRejection) {
                let outcome = try run.startAtPosition(sport, at: now)
                return .now(.success(outcome.map { result(of: $0, .start(sport, indoor: false)) } ?? .waiting))
            } catch {
                throw .notInThisState(error)
            }
        case .status:
            run.step(.recorder(run.recorderStatus(at: now)), at: now)
            return .now(.success(.state(run.state(at: now), sequence: stateServer.stateSequence)))
        case .settings: return .now(.success(.settings(run.settings)))
        case .setting(let key): return .now(.success(.setting(key, run.settings)))
        case .change(let change):
            if change.key == .sensors {
                try sensors.change(change, at: now)
            } else {
                try settings.apply(change, at: now)
            }
            return try whenStored(change.key, call, peer, at: now)
        case .reset(let key):
            if key == .sensors {
                try sensors.reset(at: now)
            } else {
                settings.reset(key, at: now)
            }
            return try whenStored(key, call, peer, at: now)
        case .use(let selection): return .now(.success(try sensors.use(selection, at: now)))
        case .forget(let sensor): return .now(.success(try sensors.forget(sensor, at: now)))
        case .scan(let seconds):
            return try later(call.logText, peer) { completion throws(RPCError) in
                try sensors.scan(seconds: seconds, completion)
            }
        case .pair(let sensor):
            return try later(call.logText, peer) { completion throws(RPCError) in try sensors.pair(sensor, completion) }
        case .zero(let sensor):
            return try later(call.logText, peer) { completion throws(RPCError) in try sensors.zero(sensor, completion) }
        case .presentDevice:
            guard let device = identity.device else { throw .unavailable("this paced has no name: see its log") }
            return .now(.success(.device(device)))
        case .device(let request):
            return try later(call.logText, peer) { completion throws(RPCError) in
                try identity.execute(request, completion, at: now)
            }
        case .activities, .courses, .upload, .lookUp:
            return try later(call.logText, peer) { completion throws(RPCError) in
                try execute(call, from: peer, connection, completion, at: now)
            }
        }
    }

    /// Starts the execution of a request about activities or courses.
    private func execute(
        _ call: RPCCall<ControlRequest>, from peer: PeerCredentials, _ connection: Int,
        _ completion: @escaping ActivityService.Completion, at now: Instant
    ) throws(RPCError) {
        switch call.request {
        case .activities(let activity): try activities.execute(activity, completion, at: now)
        case .courses(let course): try courses.execute(course, completion, at: now)
        case .upload(let upload): try uploads.execute(upload, of: connection, completion, at: now)
        case .lookUp(let lookup):
            try activities.lookUp(lookup, completion) { [unowned self] parameters, now throws(RPCError) in
                let found = try ControlRequest.table.call(lookup.method, parameters)
                let completion: ActivityService.Completion = { [unowned self] result in
                    log(found.logText, of: peer, result)
                    completion(result)
                }
                try execute(found, from: peer, connection, completion, at: now)
            }
        default: break
        }
    }

    private func execute(_ request: TopicRequest, of user: UInt32, at now: Instant) throws(RPCError) {
        switch request {
        case .publish(let publication):
            try stateServer.publish(publication, time: run.state(at: now).time, at: now)
        case .retract(let topic): try stateServer.retract(topic)
        case .notice(let notice):
            try stateServer.admit(notice, of: user, at: now)
            run.post(notice, at: now)
        }
    }

    /// Responds to a change of a setting when it is on the disk. The demo stores nothing.
    private func whenStored(
        _ key: SettingKey, _ call: RPCCall<ControlRequest>, _ peer: PeerCredentials, at now: Instant
    ) throws(RPCError) -> ControlServer.Reply {
        let recorder = run.recorderStatus(at: now)
        if settings.isDemo || recorder.state == .off { return .now(.success(.setting(key, run.settings))) }
        if recorder.state == .failed { throw UnstoredSettings.failure(key, recorder.message ?? "the disk has failed") }
        return try later(call.logText, peer) { completion in
            let number = unstored.wait(for: key, completion, at: now)
            // If too many wait, the deadline makes it an error.
            _ = run.journal.whenWritten(via: inbox) { [unowned self] _ in unstored.stored(number, run.settings) }
        }
    }

    /// Starts an operation. Its result completes the response.
    private func later(
        _ action: String?, _ peer: PeerCredentials,
        _ start: (@escaping ActivityService.Completion) throws(RPCError) -> Void
    ) throws(RPCError) -> ControlServer.Reply {
        let token = nextToken
        nextToken += 1
        try start { [unowned self] result in
            log(action, of: peer, result)
            control?.complete(token, result)
        }
        return .later(token)
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

    // MARK: Journal

    private func onJournalStatus(at now: Instant) {
        let reports = run.journal.drainReports()
        for line in reports { Log.write(.notice, line) }
        // An activity of a damaged journal may have been copied.
        if !reports.isEmpty { activities.updateIndex(at: now) }
        if let status = opener.popStatus() { adopt(status, at: now) }
        run.step(.recorder(run.recorderStatus(at: now)), at: now)
    }

    /// Adopts the content of the state directory: numbers, events, the activity that was
    /// left open, settings, sensors. Settings and recordings made since the start stay.
    ///
    /// - Parameter isClosing: the loop has ended. An interrupted activity is left to the next start.
    private func adopt(_ status: StateDirectoryStatus, isClosing: Bool = false, at now: Instant) {
        run.adopt(status, isServing: true, isClosing: isClosing, at: now)
        if !isClosing, let journal = status.journal, let choice = settings.adopt(journal.settings, at: now) {
            sensors.adoptChoice(choice, at: now)
        }
        if let stored = status.sensors { sensors.merge(stored, at: now) }
        if let device = status.device { identity.adopt(device, at: now) }
        startWriting(status)
        if isClosing { run.flush(at: now) }
    }

    /// Logs the result of opening the state directory. Starts writing if it is ready.
    private func startWriting(_ status: StateDirectoryStatus) {
        if status.isReady {
            sensors.enableWriting()
            run.journal.startWriting()
        }
        status.log()
    }

    // MARK: Reload

    /// SIGHUP: reads the configuration file again, on the disk worker's thread.
    private func reload() {
        service.reportReloading()
        let isSubmitted = activities.submit(.configuration(path: settings.configurationPath)) {
            [unowned self] reply, now in
            switch reply {
            case .success(.configuration(let assignments)): reload(assignments, at: now)
            case .success: reloaded(.error, "the file cannot be read")
            case .failure(let failure): reloaded(.error, "\(failure)")
            }
        }
        if !isSubmitted { reloaded(.error, "too many requests wait for the disk") }
    }

    private func reload(_ assignments: [ConfigurationFile.Assignment]?, at now: Instant) {
        do throws(UsageError) {
            let text = try settings.reload(assignments, at: now)
            let new = settings.configuration
            run.configure(formats: new.exportAtStop, syncSeconds: new.syncSeconds)
            activities.configure(exportDirectory: new.exportDirectory)
            stateServer.limits = ClientLimits(total: new.maxStateClients, perUser: new.maxStateClientsPerUser)
            control?.limits = ClientLimits(total: new.maxControlClients, perUser: new.maxControlClientsPerUser)
            reloaded(.notice, text)
        } catch {
            reloaded(.error, error.line.split(separator: "\n").joined(separator: "; "))
        }
    }

    /// Logs the result of the reload and reports its end to systemd.
    private func reloaded(_ level: LogLevel, _ words: String) {
        let rest = level == .error ? "; the configuration is unchanged" : ""
        Log.write(level, "configuration reload: " + words + rest, isOurs: true)
        service.reportReady()
    }

    // MARK: Shutdown

    private func perform(_ action: Shutdown.Action, at now: Instant) {
        switch action {
        case .querySystemState: service.querySystemState { [unowned self] in perform($0, at: $1) }
        case .stopRun: stopRun(at: now)
        case .end: service.endLoop()
        }
    }

    /// Stops the run because the system shuts down. Its files are exported in the time left, or at the next start.
    private func stopRun(at now: Instant) {
        // If the run has been stopped meanwhile, nothing is left to do.
        guard (try? run.perform(.stop, at: now)) != nil else { return service.exportsEnded() }
        finish(at: now)
        service.limitExports { [unowned self] in service.exportsEnded() }
        activities.whenExported { [unowned self] in service.exportsEnded() }
    }

    /// Closes the journal, waiting for the disk for at most the time left.
    private func closeRecording() {
        let isClosed = run.journal.close(waiting: service.timeLeft(at: Clock.now())) {
            if let status = opener.popStatus() { adopt(status, isClosing: true, at: Clock.now()) }
        }
        if !isClosed {
            Log.write(.warning, "journal not closed: the disk does not respond; the end of the run may be lost")
        }
        if activities.close(waiting: service.timeLeft(at: Clock.now())) { sensors.close(at: Clock.now()) }
    }
}
