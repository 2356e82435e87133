import Domain
import Glibc
import Linux

/// Runs `pacectl`, one at a time: to make or to read a file of a long ride then costs this program no memory.
final class PacectlRunner {
    private struct Request {
        let words: [String]
        /// Called in the loop, with the reason of a failure.
        let completed: (_ failure: String?) -> Void
    }

    private static let timeout = Duration.seconds(300)
    private static let messageLimit = 4096

    private let program = Machine.programBeside("pacectl") ?? "/usr/bin/pacectl"
    /// The directory of the sockets of paced.
    private let paced: String
    /// The directory of the file with its messages, which has no name.
    private let directory: String
    private let loop: EventLoop
    private var waiting: [Request] = []
    private var active: Run?

    private final class Run {
        let request: Request
        let child: ChildProgram
        let errors: FileDescriptor
        let exit: FileDescriptor
        var source: DescriptorSource?
        var timer: TimerSource?

        init(_ request: Request, _ child: ChildProgram, _ errors: consuming FileDescriptor) throws(SystemError) {
            self.request = request
            self.child = child
            self.errors = errors
            exit = try child.exitDescriptor()
        }

        deinit { source = nil }
    }

    /// - Parameters:
    ///   - paced: the directory of the sockets of paced.
    ///   - directory: a directory for files that have no names.
    init(paced: String, directory: String, loop: EventLoop) {
        self.paced = paced
        // The user of the service has no home, and 'pacectl export --hide' looks there for a secret of its own.
        setenv("HOME", directory, 0)
        self.directory = directory
        self.loop = loop
    }

    /// - Parameter completed: called in the loop, with the reason of a failure.
    func run(_ words: [String], completed: @escaping (_ failure: String?) -> Void) {
        waiting.append(Request(words: words, completed: completed))
        startNext()
    }

    private func startNext() {
        guard active == nil, !waiting.isEmpty else { return }
        let request = waiting.removeFirst()
        do {
            try start(request)
        } catch {
            request.completed("pacectl cannot be started: \(error)")
            startNext()
        }
    }

    private func start(_ request: Request) throws {
        let errors = try Directory(directory).makeUnnamed(mode: 0o600)
        let child = try ChildProgram(
            [program, "--runtime-dir", paced] + request.words, errors: errors.number)
        let started = try Run(request, child, errors)
        started.source = try loop.watch(started.exit, for: .reading) { [unowned self] _ in finish(isLate: false) }
        started.timer = try loop.timer { [unowned self] in finish(isLate: true) }
        started.timer?.arm(at: Clock.now() + Self.timeout)
        active = started
    }

    private func finish(isLate: Bool) {
        guard let ended = active else { return }
        active = nil
        if isLate { ended.child.end(within: .zero) }
        ended.request.completed(isLate ? "pacectl took too long" : failure(of: ended))
        startNext()
    }

    private func failure(of run: Run) -> String? {
        if run.child.exitStatus == 0 { return nil }
        let bytes = (try? run.errors.read(atMost: Self.messageLimit, at: 0)) ?? []
        var text =
            String(decoding: bytes, as: UTF8.self).split(separator: "\n" as Character).last.map(String.init) ?? ""
        let prefix = "pacectl: "
        if text.hasPrefix(prefix) { text.removeFirst(prefix.count) }
        return SanitizedText.line(text, limit: 128) ?? "pacectl has failed"
    }
}
