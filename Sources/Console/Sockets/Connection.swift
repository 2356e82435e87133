import Client
import Domain
import Glibc
import Linux
import Wire

/// A program that serves sockets. The user that runs it has the same name.
enum ServerProgram: String {
    case paced
    case pacedNet = "paced-net"
    case pacedWeb = "paced-web"
    case pacedLink = "paced-link"
}

/// A connection to a socket of a daemon.
struct Connection {
    let program: ServerProgram
    let lines: LineConnection

    var path: String { lines.path }

    /// How long a command waits for a running daemon: for a place in the socket's backlog, and for a response.
    static let connectTimeout = Duration.seconds(5)
    /// The most bytes of a line of any socket, without its newline. Longer lines are discarded.
    static let lineLimit = JSONRPC.lineLimit

    /// Connects. Warns root on standard error if the program runs as a user other than root and its own.
    init(to path: String, of program: ServerProgram = .paced) throws(SystemError) {
        self.program = program
        lines = try LineConnection(to: path, lineLimit: Self.lineLimit)
        guard geteuid() == 0, let owner = try? UnixSocket.peer(of: lines.socket).user, owner != 0,
            owner != User.named(program.rawValue)?.number, Self.reported.withLock({ $0.insert(owner).inserted })
        else { return }
        complain(
            "the daemon at \(SanitizedText.line(path, limit: 256) ?? "") is run by user \(User.text(owner)), not by root or \(program.rawValue)"
        )
    }

    /// The users that root has been warned about.
    private static let reported = Locked(Set<UInt32>())

    /// Connects for a command that needs the daemon. Waits for a place while the backlog is full.
    static func needed(to path: String, of program: ServerProgram = .paced) throws(Failure) -> Connection {
        let deadline = Clock.now() + connectTimeout
        while true {
            do {
                return try Connection(to: path, of: program)
            } catch {
                if error.code != EAGAIN || Clock.now() >= deadline {
                    throw Failure(connectingTo: path, of: program, error)
                }
                usleep(20_000)
            }
        }
    }

    /// Sends one line without waiting.
    func send(_ line: some Collection<UInt8>) throws(Failure) {
        guard lines.send(line) == .full else { return }
        throw .unreachable("\(program.rawValue) accepts no request at \(path); see its log")
    }

    /// Waits for the next line until `deadline`; without limit if that is nil.
    func line(by deadline: Instant?) -> LineConnection.Arrival {
        lines.line(by: deadline)
    }
}
