import Domain
import Glibc
import HTTPServer
import JSONCoding
import Linux

/// Runs `pacectl` for requests: its standard output is the body of the response.
///
/// Two programs run at a time, because a small board has few processors and the recording goes first; a third one beside two of
/// tokens that may only watch, for one that may command.
package final class ProgramRunner {
    private static let parallel = 2
    /// Programs that run or wait, and responses that are being sent.
    static let jobLimit = 32
    /// Bytes of the responses that are being sent: slow readers hold them in files.
    private static let heldLimit = 256 << 20
    /// Standard error that is shown.
    private static let messageLimit = 1024
    /// The most bytes of what pacectl says about a failure.
    private static let failureLimit = 8192

    /// A run of the program.
    struct Job {
        var arguments: [String]
        var timeout = Duration.seconds(60)
        /// Makes the response from the output, a file with its size.
        var response: (_ output: consuming FileDescriptor, _ size: Int) -> HTTPResponse
        var token: AccessToken
        /// Whether the token still counts.
        var isValid: () -> Bool
        var reply: HTTPReply
        /// Shortens a line of its standard error.
        var message: (String) -> String = { $0 }
    }

    private let loop: EventLoop
    private let program: String
    /// The directory of the files with the output, which have no names.
    private let directory: String
    private var waiting: [Job] = []
    private var running: [Int: Run] = [:]
    private var nextNumber = 0
    private var places = SharedPlaces(jobLimit)
    /// Jobs beyond the share of their tokens, and when they are refused. A browser that gives up a request sends the next one at once,
    /// and the end of the first may be noticed after it.
    private var late: [(job: Job, until: Instant)] = []
    /// The most of them. Each keeps a connection, and all that are kept must leave room for the others.
    private static let lateLimit = 6
    private var lateTimer: TimerSource?
    private static let patience = Duration.milliseconds(200)
    private var held = 0

    /// A program that runs.
    private final class Run {
        let job: Job
        let child: ChildProgram
        let output: FileDescriptor
        let errors: FileDescriptor
        let exit: FileDescriptor
        var source: DescriptorSource?
        var timer: TimerSource?

        init(_ job: Job, _ child: ChildProgram, _ output: consuming FileDescriptor, _ errors: consuming FileDescriptor)
            throws(SystemError)
        {
            self.job = job
            self.child = child
            self.output = output
            self.errors = errors
            exit = try child.exitDescriptor()
        }

        deinit { source = nil }
    }

    init(_ program: String, loop: EventLoop, directory: String) {
        // Its children say what translates the reason of a failure.
        setenv("PACECTL_SENTENCES", "1", 1)
        self.program = program
        self.loop = loop
        self.directory = directory
    }

    func add(_ job: Job) {
        if enter(job) { return }
        lateTimer = lateTimer ?? (try? loop.timer { [unowned self] in admitLate() })
        guard late.count < Self.lateLimit, lateTimer != nil else { return job.reply.send(.busy) }
        late.append((job, Clock.now() + Self.patience))
        lateTimer?.arm(at: late.first?.until)
    }

    /// - Returns: false if there is no place for the job.
    private func enter(_ job: Job) -> Bool {
        let limit = job.token.scope == .control ? Self.heldLimit : Self.heldLimit / 2
        guard held < limit, places.take(for: job.token) else { return false }
        job.reply.ended = { [unowned self] in leave(job.token) }
        waiting.append(job)
        startNext()
        return true
    }

    private func leave(_ token: AccessToken) {
        places.leave(token)
        if !late.isEmpty { admitLate() }
    }

    /// Gives places to jobs that wait for one, and refuses those that have waited long enough.
    private func admitLate() {
        // A job that ends meanwhile comes here again.
        let jobs = late
        late = []
        for (job, until) in jobs where !job.reply.isOver && !enter(job) {
            if Clock.now() >= until { job.reply.send(.busy) } else { late.append((job, until)) }
        }
        lateTimer?.arm(at: late.first?.until)
    }

    private func startNext() {
        // Its client has gone.
        waiting.removeAll { $0.reply.isOver }
        while let index = next() {
            let job = waiting.remove(at: index)
            guard job.isValid() else {
                job.reply.send(.unauthorized)
                continue
            }
            do {
                try start(job)
            } catch {
                job.reply.send(.error(500, "failed", "pacectl cannot be started: \(error)"))
            }
        }
    }

    /// The place of the job that starts next: of a token that may command before others, then of a token with fewer running jobs.
    private func next() -> Int? {
        let tokens = running.values.map(\.job.token)
        func rank(_ token: AccessToken) -> Int {
            tokens.count { $0.id == token.id } + (token.scope == .control ? 0 : Self.jobLimit)
        }
        let ranks = waiting.map { rank($0.token) }
        guard let least = ranks.min(), let first = ranks.firstIndex(of: least) else { return nil }
        let isPreferred = waiting[first].token.scope == .control && tokens.allSatisfy { $0.scope == .watch }
        return tokens.count < Self.parallel + (isPreferred ? 1 : 0) ? first : nil
    }

    private func start(_ job: Job) throws {
        let parent = try Directory(directory)
        let output = try parent.makeUnnamed(mode: 0o600)
        let errors = try parent.makeUnnamed(mode: 0o600)
        let child = try ChildProgram([program] + job.arguments, output: output.number, errors: errors.number)
        let run = try Run(job, child, output, errors)
        let number = nextNumber
        nextNumber += 1
        run.source = try loop.watch(run.exit, for: .reading) { [unowned self] _ in finish(number) }
        run.timer = try loop.timer { [unowned self] in stop(number, 504, "pacectl took too long") }
        run.timer?.arm(at: Clock.now() + job.timeout)
        running[number] = run
        job.reply.cancelled = { [unowned self] in stop(number, 500, "the client has gone") }
    }

    private func stop(_ number: Int, _ status: Int, _ message: String) {
        guard let run = running.removeValue(forKey: number) else { return }
        run.child.end(within: .zero)
        run.job.reply.send(.error(status, "failed", message))
        startNext()
    }

    private func finish(_ number: Int) {
        guard let run = running.removeValue(forKey: number) else { return }
        let status = run.child.exitStatus ?? 1
        run.job.reply.send(status == 0 ? success(run) : failure(run, status))
        startNext()
    }

    private func success(_ run: Run) -> HTTPResponse {
        var status = stat()
        // Other programs do not inherit it.
        let copy = fcntl(run.output.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, fstat(copy, &status) == 0 else { return .error(500, "failed", "no file is left") }
        lseek(copy, 0, SEEK_SET)
        let (size, token) = (Int(status.st_size), run.job.token)
        held += size
        run.job.reply.ended = { [unowned self] in
            held -= size
            leave(token)
        }
        return run.job.response(FileDescriptor(owning: copy), size)
    }

    /// Cuts the last part of a message of `pacectl` if it names an option, which a page does not have.
    package static func withoutOptions(_ message: String) -> String {
        let words = message.split(separator: " ", omittingEmptySubsequences: false)
        guard let option = words.firstIndex(where: { $0.hasPrefix("--") }),
            let last = words[..<option].lastIndex(where: { ",;:".contains($0.last ?? " ") }),
            !words[last].hasSuffix(":")
        else { return message }
        return String(words[...last].joined(separator: " ").dropLast())
    }

    /// The response to a request that `pacectl` rejects, with its reason.
    private func failure(_ run: Run, _ status: Int32) -> HTTPResponse {
        let bytes = (try? run.errors.read(atMost: Self.failureLimit, at: 0)) ?? []
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n" as Character).map(String.init)
        // Behind its sentence pacectl prints what translates it.
        let said = lines.last?.hasPrefix("{") == true ? try? JSON(parsing: lines.removeLast().utf8) : nil
        var text = lines.last ?? ""
        let prefix = "pacectl: "
        if text.hasPrefix(prefix) { text.removeFirst(prefix.count) }
        text = Self.withoutOptions(run.job.message(text))
        let message = SanitizedText.line(text, limit: Self.messageLimit) ?? "pacectl has failed with status \(status)"
        let template = said?["sentence"]?.string
        let values = said?["values"]?.array?.compactMap { $0.string.map(run.job.message) } ?? []
        func error(_ status: Int, _ code: String) -> HTTPResponse {
            .error(status, code, message, template: template, values: values)
        }
        return switch status {
        case 2: error(400, "bad-request")
        case 3: error(503, "unreachable")
        default: error(422, "failed")
        }
    }
}
