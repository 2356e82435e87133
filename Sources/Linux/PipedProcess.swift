import Domain
import Glibc

/// A program whose standard output is read while it runs. Its standard input is empty.
///
/// The deinitializer sends SIGTERM to a running program and waits for its end.
package final class PipedProcess {
    package let output: FileDescriptor
    private let process: pid_t
    /// The status of waitpid(2); nil while the program runs.
    private var status: Int32?

    /// The corresponding C function is `posix_spawnp`.
    ///
    /// - Parameters:
    ///   - words: the program, which is searched in `PATH`, and its arguments.
    ///   - isSilent: whether standard error of the program is discarded. Otherwise it is that of this process.
    package init(_ words: [String], isSilent: Bool = false) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe", code: errno) }
        let output = FileDescriptor(owning: ends[0])
        let input = FileDescriptor(owning: ends[1])
        _ = fcntl(output.number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(input.number, F_SETFD, FD_CLOEXEC)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if isSilent { unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in words.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
        guard code == 0 else { throw SystemError("posix_spawn", code: code) }
        self.process = process
        self.output = output
    }

    deinit {
        if status != nil { return }
        Glibc.kill(process, SIGTERM)
        waitpid(process, nil, 0)
    }

    /// Whether the program has ended. Does not wait.
    package func hasEnded() -> Bool {
        var status: Int32 = 0
        if self.status == nil, unsafe waitpid(process, &status, WNOHANG) == process { self.status = status }
        return self.status != nil
    }

    /// Kills the program if it has not ended.
    package func kill() {
        if hasEnded() { return }
        Glibc.kill(process, SIGKILL)
        _ = wait()
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: its exit status, or 128 plus the number of the signal that has ended it.
    package func wait() -> Int32 {
        var status = self.status ?? 0
        while self.status == nil {
            if unsafe waitpid(process, &status, 0) != -1 || errno != EINTR { self.status = status }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
