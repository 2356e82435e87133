import Foundation
package import Glibc

/// A child process in a new process group. Its deinitialiser kills the group.
///
/// Foundation's `Process` passes on the signal mask of the calling thread, and
/// threads of the tests block nearly all signals: gpsd would not end on SIGTERM.
package final class ChildProcess {
    package let pid: pid_t
    private let output: Int32
    private var isOver = false

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Starts a program from the search path. Its standard output can be read; its other streams are /dev/null.
    package init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        // Unlike pipe(2), close-on-exec from the start: other tests start processes at the same time.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "socketpair: \(errno)")
        }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var pid: pid_t = 0
        // /usr/sbin, with gpsd, is not in the path of users.
        let path = "PATH=" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin"
        let words = (["/usr/bin/env", path] + arguments).map { strdup($0) } + [nil]
        defer {
            for word in words { free(word) }
        }
        let result = posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, words, environ)
        guard result == 0 else {
            close(ends[0])
            throw Failure(description: "\(arguments[0]): \(String(cString: strerror(result)))")
        }
        self.pid = pid
        output = ends[0]
    }

    deinit {
        kill(SIGKILL)
        close(output)
    }

    /// Ends the process group with a signal and waits for the process.
    package func kill(_ signal: Int32) {
        guard !isOver else { return }
        isOver = true
        Glibc.kill(-pid, signal)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        // Kills children that have survived the signal.
        Glibc.kill(-pid, SIGKILL)
    }

    /// Reads the output until the process ends.
    package func readToEnd(limit: Duration) throws -> [UInt8] {
        let deadline = ContinuousClock.now + limit
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let rest = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard rest > 0 else { throw Failure(description: "the output did not end within \(limit)") }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, Int32(rest)) > 0 else { continue }
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
