import Domain
import Glibc
import Linux

/// A connection to one of the daemon's sockets.
final class Connection {
    let path: String
    let descriptor: FileDescriptor
    private var lines = LineBuffer()
    private var input = [UInt8](repeating: 0, count: 16_384)

    /// How long a command waits for a daemon that is there: for its place in the queue, and for an answer.
    static let connectTimeout = Duration.seconds(5)

    /// Connects. Root learns on standard error whose daemon it talks to, where that is neither root's nor the service's.
    init(to path: String) throws(SystemError) {
        self.path = path
        descriptor = try UnixSocket.connect(to: path)
        guard geteuid() == 0, let owner = try? UnixSocket.peer(of: descriptor).user, owner != 0,
            owner != User.named("paced")?.number, Self.reported.withLock({ $0.insert(owner).inserted })
        else { return }
        complain(
            "the daemon at \(harmless(path, limit: 256) ?? "") is run by user \(User.text(owner)), not by root or paced"
        )
    }

    /// The users that root has been shown.
    private static let reported = Locked(Set<UInt32>())

    /// Connects for a command that cannot do without. Where many come at once, as after a restart, it waits for a place in their queue.
    static func needed(to path: String) throws(Failure) -> Connection {
        let deadline = Clock.now() + connectTimeout
        while true {
            do {
                return try Connection(to: path)
            } catch {
                if error.code != EAGAIN || Clock.now() >= deadline { throw Failure(connectingTo: path, error) }
                usleep(20_000)
            }
        }
    }

    /// Sends one line, at once: what is said here is shorter than any socket's buffer. Where the daemon has closed the connection already,
    /// the line that says why can still be read.
    func send(_ line: String) throws(Failure) {
        let bytes = Array((line + "\n").utf8)
        switch descriptor.send(bytes[...]) {
        case .sent(bytes.count), .gone: return
        case .sent, .full: throw .unreachable("paced took no request at \(path); is it running?")
        }
    }

    enum Arrival: Equatable {
        case line([UInt8])
        /// Nothing came in time.
        case late
        /// The daemon has closed the connection.
        case ended
    }

    /// The next line, waited for until `deadline`, or for as long as it takes.
    func line(by deadline: Instant?) -> Arrival {
        while true {
            if let line = lines.next() { return .line(line) }
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

    /// The lines that have come by now; nil once the daemon has closed the connection.
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
