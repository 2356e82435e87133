import Domain
import Glibc
import Linux

/// A program that serves sockets. The user that runs it has the same name.
enum ServerProgram: String {
    case paced
    case pacedNet = "paced-net"
    case pacedWeb = "paced-web"
}

/// A connection to a socket of the daemon, of paced-net or of paced-web.
final class Connection {
    let path: String
    let program: ServerProgram
    let descriptor: FileDescriptor
    private var lines = LineBuffer()
    private var input = [UInt8](repeating: 0, count: 16_384)

    /// How long a command waits for a running daemon: for a place in the socket's backlog, and for a response.
    static let connectTimeout = Duration.seconds(5)

    /// Connects. Warns root on standard error if the program runs as a user other than root and its own.
    init(to path: String, of program: ServerProgram = .paced) throws(SystemError) {
        self.path = path
        self.program = program
        descriptor = try UnixSocket.connect(to: path)
        guard geteuid() == 0, let owner = try? UnixSocket.peer(of: descriptor).user, owner != 0,
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

    /// Sends one line without waiting: requests are shorter than any socket's buffer. If the
    /// daemon has closed the connection, its last line with the reason can still be read.
    func send(_ line: String) throws(Failure) {
        let bytes = Array((line + "\n").utf8)
        switch descriptor.send(bytes[...]) {
        case .sent(bytes.count), .gone: return
        case .sent, .full: throw .unreachable("\(program.rawValue) accepts no request at \(path); see its log")
        }
    }

    enum Arrival: Equatable {
        case line([UInt8])
        /// A line that reached ``LineBuffer/limit`` and is discarded.
        case tooLong
        /// No line came before the deadline.
        case late
        /// The daemon has closed the connection.
        case ended
    }

    /// Waits for the next line until `deadline`; without limit if that is nil.
    func line(by deadline: Instant?) -> Arrival {
        while true {
            let discarded = lines.discarded
            if let line = lines.next() { return .line(line) }
            if lines.discarded != discarded { return .tooLong }
            switch read() {
            case .ended: return .ended
            case .more: continue
            case .nothing: break
            }
            var timeout: Int32 = -1
            if let deadline {
                let left = (deadline - Clock.now()).wholeMilliseconds
                if left < 0 { return .late }
                timeout = Int32(min(left + 1, 60_000))
            }
            var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, timeout)
        }
    }

    /// The lines received until now; nil if the daemon has closed the connection.
    func arrivedLines() -> [[UInt8]]? {
        guard read() != .ended else { return nil }
        var arrived: [[UInt8]] = []
        while let line = lines.next() { arrived.append(line) }
        return arrived
    }

    private enum Reading {
        case more, nothing, ended
    }

    private func read() -> Reading {
        do {
            guard let count = try input.withUnsafeMutableBytes({ try descriptor.read(into: $0) }) else {
                return .nothing
            }
            lines.append(input[..<count])
            return count > 0 ? .more : .ended
        } catch {
            return .ended
        }
    }
}

/// Splits received bytes into lines.
package struct LineBuffer {
    /// The maximum length of a line on either socket, in bytes with its newline. Longer lines are discarded.
    package static let limit = 65_536

    private var bytes: [UInt8] = []
    /// The start of the next line.
    private var start = 0
    private var isSkipping = false
    /// The number of discarded lines.
    private(set) var discarded = 0

    package init() {}

    /// Appends received bytes. Call ``next()`` until it returns nil
    /// before appending more; the rest is then shorter than ``limit``.
    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// The next complete line without its newline; nil if there is none yet.
    package mutating func next() -> [UInt8]? {
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes[start..<end]
            start = end + 1
            if isSkipping {
                isSkipping = false
            } else if line.count >= Self.limit {
                discarded += 1
            } else {
                return Array(line)
            }
        }
        if bytes.count - start >= Self.limit {
            if !isSkipping { discarded += 1 }
            isSkipping = true
        }
        if isSkipping { start = bytes.count }
        return nil
    }
}
