package import Domain
import Glibc
package import Linux

/// The independent strap of `Tests/Peripheral`, in a child process that ends with this object at the latest.
package final class BumbleStrap {
    private var process: pid_t?
    /// The process ends when this pipe closes, however the test ends.
    private let lifeline: FileDescriptor
    private let log: String

    /// The values that the strap sends in a loop; each subscription starts with the first.
    package static let script = [
        "16468a034403", "10437203", "104472038a03", "012c01", "0443", "0400", "1843d0077203", "1646000400040004",
    ].map(hex)

    /// Python with Bumble is missing.
    package struct NoPython: Error, CustomStringConvertible {
        package var path: String
        package var description: String { "there is no \(path): run make .build/venv" }
    }

    /// Starts the strap, which listens about a second later.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - period: seconds between notifications.
    package init(path: String, period: Double) throws {
        let python = Checkout.python
        guard access(python, X_OK) == 0 else { throw NoPython(path: python) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe", code: errno) }
        let input = FileDescriptor(owning: ends[0])
        lifeline = FileDescriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        log = path + ".\(UInt32.random(in: 0...UInt32.max)).log"
        let output = try FileDescriptor.open(log, O_WRONLY | O_CREAT)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        let script = Checkout.path("Tests/Peripheral/att_peripheral.py")
        let words = [python, script, path, String(period), "--verbose", "--until-eof"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, python, &actions, nil, &arguments, environ)
        guard code == 0 else { throw SystemError("posix_spawn", code: code) }
        self.process = process
    }

    deinit {
        kill()
    }

    /// Connects to the strap's socket. Retries for 10 s.
    ///
    /// - Throws: the error of the last attempt.
    package func connection(to path: String) throws(SystemError) -> FileDescriptor {
        for _ in 0..<500 {
            if let socket = try? UnixSocket.connect(to: path, kind: .sequencedPacket) { return socket }
            usleep(20_000)
        }
        return try UnixSocket.connect(to: path, kind: .sequencedPacket)
    }

    /// Ends the process as a power cut would. The socket's file stays.
    package func kill() {
        guard let process else { return }
        _ = Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
        self.process = nil
    }

    /// When it started to accept connections.
    package var readyAt: Instant? {
        moments(of: "ready").first
    }

    /// When it sent each value.
    package var sentAt: [Instant] {
        moments(of: "sent")
    }

    private func moments(of word: String) -> [Instant] {
        guard let file = try? FileDescriptor.open(log, O_RDONLY) else { return [] }
        return file.readText(limit: 1 << 20).split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0] == word, let nanoseconds = Int64(words[1]) else { return nil }
            return Instant(nanoseconds: nanoseconds)
        }
    }
}
