import Domain
import Glibc

/// Runs a short program for its output, with a timeout.
///
/// It blocks; never call it on a loop.
package enum Subprocess {
    /// Returns the standard output of a program of `PATH`; nil if it fails to start, times out or gives `limit` bytes.
    package static func output(_ words: [String], within time: Duration, limit: Int = 64 * 1024) -> String? {
        guard let program = try? PipedProcess(words, isSilent: true) else { return nil }
        let end = Clock.now() + time
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isOver = false
        while bytes.count < limit {
            let left = (end - Clock.now()).wholeMilliseconds
            var waiting = pollfd(fd: program.output.number, events: Int16(POLLIN), revents: 0)
            guard left > 0, unsafe poll(&waiting, 1, Int32(min(left, 60_000))) >= 0 || errno == EINTR else { break }
            if waiting.revents == 0 { continue }
            guard let count = try? unsafe buffer.withUnsafeMutableBytes({ unsafe try program.output.read(into: $0) })
            else { break }
            if count == 0 {
                isOver = true
                break
            }
            bytes += buffer[..<count]
        }
        // A program that has closed its output and continues to run is killed too.
        while isOver, Clock.now() < end, !program.hasEnded() { usleep(1000) }
        program.kill()
        return isOver ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
