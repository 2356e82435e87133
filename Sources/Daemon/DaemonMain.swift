import Domain
import Glibc
import Linux
import Servers
import Simulation
import Storage

extension Daemon {
    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        blockSignals(ServiceController.signals)
        Machine.returnLargeBlocks()
        do {
            switch try Options.read(arguments) {
            case .print(let text):
                print(text, terminator: "")
                return 0
            case .check(let options):
                guard let errors = errors(ofConfiguration: options) else { return 0 }
                print(errors)
                return 2
            case .run(let options): return try start(options)
            }
        } catch let misuse as Options.UsageError {
            // One for each error of a configuration file.
            for line in misuse.line.split(separator: "\n").dropLast() { Log.write(.error, String(line), isOurs: true) }
            return fail(misuse.line.split(separator: "\n").last.map(String.init) ?? misuse.line, status: 2)
        } catch let unknown as Directories.Unknown {
            return fail(unknown.line, status: 2)
        } catch let failure as Failure {
            return fail(failure.line, status: 1)
        } catch {
            return fail("\(error)", status: 1)
        }
    }

    /// The errors of the configuration file, one a line; nil if there is none.
    private static func errors(ofConfiguration options: Options) -> String? {
        do throws(Options.UsageError) {
            _ = try Configuration.read(options)
            return nil
        } catch {
            return error.line
        }
    }

    private static func fail(_ line: String, status: Int32) -> Int32 {
        Log.write(.error, line, isOurs: true)
        return status
    }

    /// An error that prevents the start. `line` says how to correct it.
    private struct Failure: Error {
        var line: String
    }

    /// Whether systemd started this process. Children inherit `SYSTEMD_EXEC_PID`, so it is compared with the own pid.
    private static var isStartedBySystemd: Bool {
        variable("SYSTEMD_EXEC_PID").flatMap { Int32($0) } == getpid()
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Reads the recording of a replay.
    private static func recording(
        of replay: Options.Replay, stateDirectory: String?, in directory: String
    ) throws(Failure) -> ReplayedRecording {
        do {
            let recording = try ReplayedRecording(replay.recording, stateDirectory: stateDirectory, in: directory)
            if !recording.warning.isEmpty { Log.write(.warning, recording.warning) }
            return recording
        } catch let failure as ReplayedRecording.Failure where failure.isStopped {
            throw Failure(line: "stopped while the recording was read")
        } catch {
            throw Failure(line: "--replay: \(error)")
        }
    }

    private static func start(_ options: Options) throws -> Int32 {
        if options.replay != nil, isStartedBySystemd || variable("NOTIFY_SOCKET") != nil {
            throw Options.UsageError(
                line: "--replay is refused under systemd: a service records; run paced --replay in a shell")
        }
        if case .unix = options.sensors, isStartedBySystemd, !options.isDemo {
            throw Options.UsageError(line: "--sensors unix:PATH is for tests and is refused under systemd")
        }
        try ServiceStart.checkDescriptors(of: "paced", least: leastDescriptors, most: mostDescriptors)
        let configuration = try Configuration.read(options)
        for line in configuration.warnings { Log.write(.warning, line) }
        let reporter = SystemdReporter(NotifySocket.fromEnvironment())
        let handed = try handedSockets()
        let privateDirectory = try options.replay.map { _ in try PrivateDirectory(prefix: PrivateDirectory.replayPrefix)
        }
        defer { withExtendedLifetime(privateDirectory) {} }
        var directories =
            try privateDirectory.map { Directories(options, replayIn: $0.path) }
            ?? Directories(
                options, isSystem: geteuid() == 0 || isStartedBySystemd,
                hasSockets: neededSockets.allSatisfy { handed[$0] != nil },
                environment: variable)
        // Links on the way are followed once: a link that changes later moves neither the journal nor its lock.
        if let state = try? Directory(directories.state) { directories.state = state.path }
        let replay = try options.replay.map { replay in
            let recording = try recording(
                of: replay, stateDirectory: options.stateDirectory, in: privateDirectory?.path ?? "")
            return ReplaySource(recording, speed: replay.speed, loops: replay.loops, at: Clock.now())
        }
        if let path = directories.runtime { try checkSocketPaths(in: path, handed) }
        // If systemd passed the needed sockets, it owns their directory: nothing is created there.
        let runtime = try directories.runtime.map { try lock($0, option: "--runtime-dir", file: "runtime.lock") }
        let sensorFile = options.isDemo ? nil : SensorStoreFile(in: directories.state)
        let state = StateDirectoryOpener(
            in: directories.state, sensorFile: sensorFile, isDemo: options.isDemo,
            limit: .seconds(configuration.resumeLimitSeconds))
        let journal = try Journal(in: directories.state, syncSeconds: configuration.syncSeconds) { state.attempt() }
        journal.waitForPreparation(atMost: StateDirectoryOpener.startLimit)
        let opened = state.popStatus()
        if let opened, opened.isInUse {
            throw Failure(line: "\(opened.reason ?? ""); stop that, or give another --state-dir")
        }
        let sockets = try openSockets(handed, in: directories.runtime, runtime)
        let daemon = try Daemon(
            options, configuration, state: FileDescriptor(owning: sockets[0].number),
            control: FileDescriptor(owning: sockets[1].number),
            publish: sockets.count > 2 ? FileDescriptor(owning: sockets[2].number) : nil, directory: directories.state,
            sensorFile: sensorFile,
            journal, state, opened, reporter: reporter, isService: isStartedBySystemd, replay: replay)
        Log.write(.notice, "paced \(Release.version) serves \(directories.runtime ?? "the sockets of systemd")")
        if let demo = options.demo {
            Log.write(.notice, "the demo records into \(directories.state)")
            Log.write(.notice, demo.plannedLosses)
        }
        let status = try daemon.serve()
        switch runtime {
        case .some(let runtime): for name in sockets.compactMap(\.ownName) { runtime.directory.remove(name) }
        case .none: break
        }
        // The locks are released last: the next process that gets them finds no socket of this one.
        _ = consume runtime
        withExtendedLifetime(state) {}
        return status
    }

    /// The minimum of open files: up to 40 for devices, links, the journal
    /// and one export, 8 for clients of control.sock, 16 that no client gets.
    private static let leastDescriptors: Int32 = 64
    /// The limit that the daemon requests, the same as in `paced.service`.
    private static let mostDescriptors: Int32 = 8192

    /// The sockets that systemd passes or the daemon creates.
    private static let socketNames = ["state", "control", "publish"]
    /// If systemd passes these, the others are absent: a unit that is masked, or one of an earlier release.
    private static let neededSockets = ["state", "control"]

    /// The sockets that systemd passed, by name.
    private static func handedSockets() throws(Failure) -> [String: Int32] {
        do throws(ActivationSockets.Failure) {
            let handed = try ActivationSockets(named: socketNames)
            for name in handed.others {
                let shown = SanitizedText(name)?.text ?? ""
                Log.write(.warning, "systemd handed over \"\(shown)\" too, which paced has no use for: closed")
            }
            return handed.numbers
        } catch {
            switch error {
            case .unreadable(let error):
                throw Failure(line: "cannot take what systemd hands over (LISTEN_FDS, LISTEN_FDNAMES): \(error)")
            case .wrongKind(let name):
                throw Failure(
                    line: "what systemd handed over as \(name) is no Unix stream socket that listens; "
                        + "its unit needs ListenStream= with a path")
            }
        }
    }

    /// Creates a directory if it is missing, checks it, and locks it.
    private static func lock(_ path: String, option: String, file: String) throws(Failure) -> DirectoryLock {
        do {
            try makeDirectories(path)
            return try DirectoryLock(Directory(private: path), file: file)
        } catch DirectoryLock.Failure.held(let process) {
            let holder = process.map { "process \($0)" } ?? "another process"
            throw Failure(line: "\(path) is in use by paced, \(holder); stop that, or give another \(option)")
        } catch DirectoryLock.Failure.directory(let error) {
            throw Failure(line: "\(error); or give another \(option)")
        } catch let error as DirectoryError {
            throw Failure(line: "\(error); or give another \(option)")
        } catch {
            throw Failure(line: "cannot make \(path): \(error); give another \(option)")
        }
    }

    /// Warns about hard links. They do not prevent the start, because a backup may consist of hard links.
    static func hardLinks(among names: [String], in directory: borrowing Directory) -> [String] {
        var warnings: [String] = []
        for name in directory.linked(among: names) {
            warnings.append(
                "\(directory.path(of: name)) has a second name (hard link): through it another user may read or change the file"
            )
        }
        return warnings
    }

    /// A listening socket.
    private struct OpenSocket {
        var number: Int32
        /// The file name of a socket that paced created in the runtime directory, to remove at the end.
        var ownName: String?
    }

    /// Uses each socket that systemd passed, and creates the others in the runtime directory.
    ///
    /// - Parameters:
    ///   - path: the runtime directory as configured: a short link avoids the length limit of socket paths.
    ///   - runtime: the same directory, locked.
    private static func openSockets(
        _ handed: [String: Int32], in path: String?, _ runtime: borrowing DirectoryLock?
    ) throws(Failure) -> [OpenSocket] {
        switch runtime {
        case .some(let runtime):
            for line in hardLinks(among: ["runtime.lock"], in: runtime.directory) { Log.write(.warning, line) }
            return try socketNames.map { name throws(Failure) in
                if let number = handed[name] { return OpenSocket(number: number) }
                let file = name + ".sock"
                let number = try listen(at: "\(path ?? "")/\(file)", in: runtime.directory)
                return OpenSocket(number: number, ownName: file)
            }
        case .none: return socketNames.compactMap { handed[$0].map { OpenSocket(number: $0) } }
        }
    }

    /// Rejects a directory for whose sockets the path is too long, before it is created.
    private static func checkSocketPaths(in directory: String, _ handed: [String: Int32]) throws(Failure) {
        for name in socketNames where handed[name] == nil {
            let path = "\(directory)/\(name).sock"
            if path.utf8.count > UnixSocket.pathLimit { throw tooLong(path) }
        }
    }

    private static func tooLong(_ path: String) -> Failure {
        Failure(
            line: "the socket path \(path) has \(path.utf8.count) bytes, more than the \(UnixSocket.pathLimit) "
                + "that a socket can have; give a shorter --runtime-dir")
    }

    private static func listen(at path: String, in directory: borrowing Directory) throws(Failure) -> Int32 {
        do throws(DirectoryError) {
            return try UnixSocket.listen(at: path, in: directory).release()
        } catch {
            switch error.code {
            case ENAMETOOLONG: throw tooLong(path)
            case .some: throw Failure(line: "cannot listen on \(path): \(error)")
            case nil: throw Failure(line: "\(error)")
            }
        }
    }
}
