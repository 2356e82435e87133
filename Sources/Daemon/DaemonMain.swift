import Domain
import Glibc
import Linux
import Program
import Simulation
import Storage

extension Daemon {
    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        Options.description.main(arguments, signals: ServiceController.signals) { options in
            options.checksConfiguration ? check(options) : try start(options)
        }
    }

    /// Prints the errors of the configuration file.
    private static func check(_ options: Options) -> Int32 {
        do throws(UsageError) {
            _ = try Configuration.read(options)
            return 0
        } catch {
            print(error.line)
            return 2
        }
    }

    /// Reads the recording of a replay.
    private static func recording(
        of name: String, stateDirectory: String?, in directory: String
    ) throws(StartFailure) -> ReplayedRecording {
        do {
            let recording = try ReplayedRecording(name, stateDirectory: stateDirectory, in: directory)
            if !recording.warning.isEmpty { Log.write(.warning, recording.warning) }
            return recording
        } catch let failure as ReplayedRecording.Failure where failure.isStopped {
            throw StartFailure(line: "stopped while the recording was read")
        } catch {
            throw StartFailure(line: "--replay: \(error)")
        }
    }

    private static func start(_ options: Options) throws -> Int32 {
        let environment = ProgramEnvironment.current
        let isService = ProgramEnvironment.isStartedBySystemd
        if options.replay != nil, isService || environment.variable("NOTIFY_SOCKET") != nil {
            throw UsageError(
                line: "--replay is refused under systemd: a service records; run paced --replay in a shell")
        }
        if case .unix = options.sensors, isService, !options.isDemo {
            throw UsageError(line: "--sensors unix:PATH is for tests and is refused under systemd")
        }
        try requireDescriptors(of: "paced", least: leastDescriptors, most: mostDescriptors)
        let configuration = try Configuration.read(options)
        for line in configuration.warnings { Log.write(.warning, line) }
        let reporter = SystemdReporter(NotifySocket.fromEnvironment())
        let handed = try ProgramSockets.handed(socketNames, to: "paced").numbers
        let privateDirectory = try options.replay.map { _ in try PrivateDirectory(prefix: PrivateDirectory.replayPrefix)
        }
        defer { withExtendedLifetime(privateDirectory) {} }
        var directories =
            try privateDirectory.map { Directories(options, replayIn: $0.path) }
            ?? Directories(options, hasSockets: neededSockets.allSatisfy { handed[$0] != nil }, environment)
        // Links on the way are followed once: a link that changes later moves neither the journal nor its lock.
        if let state = try? Directory(directories.state) { directories.state = state.path }
        let replay = try options.replay.map { name in
            let recording = try recording(
                of: name, stateDirectory: options.stateDirectory, in: privateDirectory?.path ?? "")
            return ReplaySource(
                recording, speed: options.replaySpeed ?? 1, loops: options.loopsReplay, at: Clock.now())
        }
        var sockets = try ProgramSockets(socketNames, handed, in: directories.runtime, of: "paced")
        let sensorFile = options.isDemo ? nil : SensorStoreFile(in: directories.state)
        let state = StateDirectoryOpener(
            // The private directory of a replay has no name of this board either.
            in: directories.state, sensorFile: sensorFile, isDemo: options.isDemo || replay != nil,
            limit: .seconds(configuration.resumeLimitSeconds))
        let journal = try Journal(in: directories.state, syncSeconds: configuration.syncSeconds) { state.attempt() }
        journal.waitForPreparation(atMost: StateDirectoryOpener.startLimit)
        let opened = state.popStatus()
        if let opened, opened.isInUse {
            throw StartFailure(line: "\(opened.reason ?? ""); stop that, or give another --state-dir")
        }
        for line in sockets.hardLinks { Log.write(.warning, line) }
        guard let stateSocket = try sockets.listen("state"), let controlSocket = try sockets.listen("control") else {
            preconditionFailure("a program without these sockets has a runtime directory")
        }
        let daemon = try Daemon(
            options, configuration, state: stateSocket, control: controlSocket, publish: sockets.listen("publish"),
            sensor: sockets.listen("sensor"), directory: directories.state, sensorFile: sensorFile,
            journal, state, opened, reporter: reporter, isService: isService, replay: replay)
        Log.write(.notice, "paced \(Release.version) serves \(directories.runtime ?? "the sockets of systemd")")
        if let demo = options.demo {
            Log.write(.notice, "the demo records into \(directories.state)")
            Log.write(.notice, demo.plannedLosses)
        }
        let status = try daemon.serve()
        sockets.close()
        withExtendedLifetime(state) {}
        return status
    }

    /// The minimum of open files: up to 40 for devices, links, the journal
    /// and one export, 8 for clients of control.sock, 16 that no client gets.
    private static let leastDescriptors: Int32 = 64
    /// The limit that the daemon requests, the same as in `paced.service`.
    private static let mostDescriptors: Int32 = 8192

    /// The sockets that systemd passes or the daemon creates.
    private static let socketNames = ["state", "control", "publish", "sensor"]
    /// If systemd passes these, the others are absent: a unit that is masked, or one of an earlier release.
    private static let neededSockets = ["state", "control"]
}
