import Domain
import Glibc
import Linux

/// `pacectl watch --replay`: what `paced --replay` serves to this command alone.
package struct WatchedReplay: Equatable {
    /// A file, or the number of an activity.
    var recording: String
    var speed: Double?
    var loops: Bool

    package init(recording: String, speed: Double? = nil, loops: Bool = false) {
        self.recording = recording
        self.speed = speed
        self.loops = loops
    }

    /// The arguments of `paced`.
    func arguments(stateDirectory: String?) -> [String] {
        ["--replay=" + recording] + (speed.map { ["--speed=\($0)"] } ?? []) + (loops ? ["--loop"] : [])
            + (stateDirectory.map { ["--state-dir=" + $0] } ?? [])
    }
}

/// A `paced --replay` that ends with this process, and its sockets in a private directory.
final class ReplayDaemon {
    let directory: RuntimeDirectory
    private let program: ChildProgram
    private let log: FileDescriptor

    /// How long paced may take to read the recording, and to end.
    private static let startTime = Duration.seconds(310)
    private static let endTime = Duration.seconds(10)
    /// The text before the path of the runtime directory in the log.
    private static let mark = "paced \(Release.version) serves "

    /// Waits until paced serves. Signals that end this process end paced, which removes its directory.
    init(_ replay: WatchedReplay, stateDirectory: String?) throws(Failure) {
        guard let paced = Machine.programBeside("paced") else {
            throw .failed("paced is not in the directory of pacectl; install both programs of one release")
        }
        do throws(SystemError) {
            log = try Self.unnamedFile()
            program = try ChildProgram([paced] + replay.arguments(stateDirectory: stateDirectory), errors: log.number)
        } catch {
            throw .failed("cannot start \(paced): \(error)")
        }
        let deadline = Clock.now() + Self.startTime
        while true {
            let lines = Self.lines(of: log)
            if let line = lines.first(where: { $0.hasPrefix(Self.mark) }) {
                directory = RuntimeDirectory(String(line.dropFirst(Self.mark.count)))
                return
            }
            if program.exitStatus != nil { throw Self.failure(lines, program) }
            if Clock.now() >= deadline { throw .failed("paced has not read \(replay.recording) in time") }
            usleep(10_000)
        }
    }

    deinit {
        program.end(within: Self.endTime)
        // A paced that was killed leaves its private directory, which holds that of the sockets.
        let parent = directory.path.split(separator: "/").dropLast()
        if parent.last?.hasPrefix(PrivateDirectory.replayPrefix) == true {
            PrivateDirectory.remove("/" + parent.joined(separator: "/"))
        }
    }

    /// Why paced has ended; nil while it runs.
    var failure: Failure? {
        guard program.exitStatus != nil else { return nil }
        return .failed("the replay has ended: " + Self.failure(Self.lines(of: log), program).message)
    }

    private static func failure(_ lines: [String], _ program: ChildProgram) -> Failure {
        let status = program.exitStatus ?? 0
        let last = status < 128 ? lines.last.flatMap { SanitizedText.line($0, limit: 1024) } : nil
        let words = last ?? "paced ended with status \(status)"
        return Failure(status: status == Failure.Status.usage.rawValue ? .usage : .failed, message: words)
    }

    /// The lines of the log without the name of the program, or the level that is there instead (``LogLevel``).
    private static func lines(of log: borrowing FileDescriptor) -> [String] {
        let bytes = (try? log.read(atMost: 65_536, at: 0)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
            if line.hasPrefix("paced: ") { return String(line.dropFirst("paced: ".count)) }
            return String(line.hasPrefix("<") && line.dropFirst(2).first == ">" ? line.dropFirst(3) : line)
        }
    }

    /// The corresponding C function is `tmpfile`.
    private static func unnamedFile() throws(SystemError) -> FileDescriptor {
        guard let file = tmpfile() else { throw SystemError("tmpfile", code: errno) }
        defer { fclose(file) }
        let copy = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3)
        if copy == -1 { throw SystemError("fcntl", code: errno) }
        return FileDescriptor(owning: copy)
    }
}
