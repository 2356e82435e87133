import Domain
import Glibc

/// Runs a short program for its output, with a timeout.
///
/// It blocks; never call it on a loop.
package enum Subprocess {
    /// Returns the standard output of a program of `PATH`; nil if it fails to start, times out or gives `limit` bytes.
    ///
    /// The corresponding C functions are `posix_spawnp` and `waitpid`.
    package static func output(_ words: [String], within time: Duration, limit: Int = 64 * 1024) -> String? {
        guard let started = start(words) else { return nil }
        let end = Clock.now() + time
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isOver = false
        while bytes.count < limit {
            let left = (end - Clock.now()).wholeMilliseconds
            var waiting = pollfd(fd: started.output.number, events: Int16(POLLIN), revents: 0)
            guard left > 0, unsafe poll(&waiting, 1, Int32(min(left, 60_000))) >= 0 || errno == EINTR else { break }
            if waiting.revents == 0 { continue }
            guard let count = try? unsafe buffer.withUnsafeMutableBytes({ unsafe try started.output.read(into: $0) })
            else { break }
            if count == 0 {
                isOver = true
                break
            }
            bytes += buffer[..<count]
        }
        var status: Int32 = 0
        // A program that has closed its output and continues to run is killed too.
        while isOver, Clock.now() < end, unsafe waitpid(started.process, &status, WNOHANG) == 0 { usleep(1000) }
        if unsafe waitpid(started.process, &status, WNOHANG) == 0 {
            kill(started.process, SIGKILL)
            unsafe waitpid(started.process, &status, 0)
        }
        return isOver ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private struct Started: ~Copyable {
        let process: pid_t
        let output: FileDescriptor
    }

    private static func start(_ words: [String]) -> Started? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        let output = FileDescriptor(owning: ends[0])
        let input = FileDescriptor(owning: ends[1])
        _ = fcntl(output.number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(input.number, F_SETFD, FD_CLOEXEC)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in words.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        guard unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else { return nil }
        return Started(process: process, output: output)
    }
}
