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
        Log.write(.error, line)
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
        let configuration = try Configuration.read(options.configuration)
        let directories = try Directories(
            options, isSystem: geteuid() == 0 || isStartedBySystemd, environment: variable)
        let runtimeLock = try lock(directories.runtime, option: "--runtime-dir", file: "runtime.lock")
        let stateLock = try lock(directories.state, option: "--state-dir", file: "state.lock")
        let state = try listen("state", in: directories.runtime)
        let control = try listen("control", in: directories.runtime)
        let daemon = try Daemon(
            options, configuration, state: FileDescriptor(owning: state.number),
            control: FileDescriptor(owning: control.number), directory: directories.state,
            strapFile: options.isDemo ? nil : StrapListFile(in: directories.state))
        Log.write(.notice, "paced \(Release.version) serves \(directories.runtime)")
        let status = try daemon.run()
        for path in [state.path, control.path].compactMap({ $0 }) { unlink(path) }
        // The locks end last: whoever takes them over finds no socket of ours.
        _ = consume runtimeLock
        _ = consume stateLock
        return status
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

    /// A socket that systemd handed over, or one of our own, which has a path to be removed at the end.
    private static func listen(_ name: String, in directory: String) throws -> (number: Int32, path: String?) {
        if let handed = HandedSockets.take(named: name).first { return (handed, nil) }
        let path = "\(directory)/\(name).sock"
        do {
            return (try UnixSocket.listen(at: path).release(), path)
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
