import Adapters
import Domain
import Glibc
import Linux

extension Daemon {
    /// The whole program: returns the status to exit with.
    package static func main(_ arguments: [String]) -> Int32 {
        blockSignals(signals)
        do {
            switch try Options.read(arguments) {
            case .print(let text):
                print(text, terminator: "")
                return 0
            case .run(let options): return try start(options)
            }
        } catch let misuse as Options.Misuse {
            return fail(misuse.line, status: 2)
        } catch let unknown as Directories.Unknown {
            return fail(unknown.line, status: 2)
        } catch let failure as Failure {
            return fail(failure.line, status: 1)
        } catch {
            return fail("\(error)", status: 1)
        }
    }

    private static func fail(_ line: String, status: Int32) -> Int32 {
        Log.write(.error, line, isOurs: true)
        return status
    }

    /// Why the daemon does not start: one line that says what to do.
    private struct Failure: Error {
        var line: String
    }

    /// The pid of the program that systemd started, for that program only: children inherit a number that is not theirs.
    private static var isStartedBySystemd: Bool {
        variable("SYSTEMD_EXEC_PID").flatMap { Int32($0) } == getpid()
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func start(_ options: Options) throws -> Int32 {
        if case .unix = options.strap, isStartedBySystemd, !options.isDemo {
            throw Options.Misuse(line: "--strap unix:PATH is for tests and is refused under systemd")
        }
        let configuration = try Configuration.read(options)
        let service = ServiceReport(ServiceNotifier.fromEnvironment())
        let handed = try handedSockets()
        let directories = try Directories(
            options, isSystem: geteuid() == 0 || isStartedBySystemd, hasSockets: handed.count == socketNames.count,
            environment: variable)
        // Where systemd has made both sockets their directory is its own, and nothing is made there.
        let runtimeLock = try directories.runtime.map { try lock($0, option: "--runtime-dir", file: "runtime.lock") }
        let stateLock = try lock(directories.state, option: "--state-dir", file: "state.lock")
        let sockets = try socketNames.map { try listeningSocket($0, handed, in: directories.runtime ?? "") }
        let daemon = try Daemon(
            options, configuration, state: FileDescriptor(owning: sockets[0].number),
            control: FileDescriptor(owning: sockets[1].number), directory: directories.state,
            strapFile: options.isDemo ? nil : StrapListFile(in: directories.state), service: service,
            isService: isStartedBySystemd)
        Log.write(.notice, "paced \(Release.version) serves \(directories.runtime ?? "the sockets of systemd")")
        let status = try daemon.run()
        for path in sockets.compactMap(\.path) { unlink(path) }
        // The locks end last: whoever takes them over finds no socket of ours.
        _ = consume runtimeLock
        _ = consume stateLock
        return status
    }

    private static let socketNames = ["state", "control"]

    /// The sockets that systemd handed over, by their names.
    private static func handedSockets() throws(Failure) -> [String: Int32] {
        do throws(HandedSockets.Failure) {
            let handed = try HandedSockets(named: socketNames)
            for name in handed.others {
                let shown = ForeignText(name)?.text ?? ""
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

    private static func lock(_ directory: String, option: String, file: String) throws -> DirectoryLock {
        do {
            try makeDirectories(directory)
            return try DirectoryLock(directory, file: file)
        } catch let failure as DirectoryLock.Failure {
            switch failure {
            case .held(let held):
                let holder = held.process.map { "process \($0)" } ?? "another process"
                throw Failure(line: "\(directory) is in use by paced, \(holder); stop that, or give another \(option)")
            case .system(let error):
                throw Failure(line: "cannot use \(directory): \(error); give another \(option)")
            }
        } catch let error as SystemError {
            throw Failure(line: "cannot make \(directory): \(error); give another \(option)")
        }
    }

    /// A socket that listens.
    private struct OpenSocket {
        var number: Int32
        /// Of one of our own: it is removed at the end.
        var path: String?
    }

    /// One that was handed over, or one of our own.
    private static func listeningSocket(
        _ name: String, _ handed: [String: Int32], in directory: String
    ) throws(Failure) -> OpenSocket {
        if let number = handed[name] { return OpenSocket(number: number) }
        let path = "\(directory)/\(name).sock"
        do throws(SystemError) {
            return OpenSocket(number: try UnixSocket.listen(at: path).release(), path: path)
        } catch {
            if error.code == ENAMETOOLONG {
                throw Failure(
                    line: "the socket path \(path) has \(path.utf8.count) bytes, more than the \(UnixSocket.pathLimit) "
                        + "that a socket can have; give a shorter --runtime-dir")
            }
            throw Failure(line: "cannot listen on \(path): \(error)")
        }
    }
}
