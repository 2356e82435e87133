import Domain
import Foundation
import Linux
import Testing

@Suite struct SystemErrorTests {
    @Test func interruptedCallIsRepeated() throws {
        var results: [(Int32, Int32)] = [(-1, EINTR), (-1, EINTR), (5, 0)]
        let result = try check("read") {
            let (result, code) = results.removeFirst()
            errno = code
            return result
        }
        #expect(result == 5)
        #expect(results.isEmpty)
    }

    @Test func otherErrorsAreThrownAtOnce() {
        var calls = 0
        #expect(throws: SystemError("read", code: EIO)) {
            try check("read") { () -> Int32 in
                calls += 1
                errno = EIO
                return -1
            }
        }
        #expect(calls == 1)
    }

    /// The same with a real signal during a blocking `read`.
    @Test func signalDoesNotEndARead() throws {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in SignalCount.value += 1 }
        sigaction(SIGUSR1, &action, nil)
        // The threads of the tests block signals.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        defer { pthread_sigmask(SIG_BLOCK, &mask, nil) }
        let pipe = Pipe()
        let reader = FileDescriptor(owning: dup(pipe.fileHandleForReading.fileDescriptor))
        let thread = pthread_self()
        let writer = Thread {
            for _ in 0..<3 {
                usleep(10_000)
                pthread_kill(thread, SIGUSR1)
            }
            usleep(10_000)
            try? pipe.fileHandleForWriting.write(contentsOf: Data([42]))
        }
        writer.start()
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(try bytes.withUnsafeMutableBytes { buffer in try reader.read(into: buffer) } == 1)
        #expect(bytes[0] == 42)
        #expect(SignalCount.value > 0)
    }

    @Test func negativeResultsOfSystemdAreErrorNumbers() throws {
        #expect(try checkSystemd("sd_event_new", 3) == 3)
        #expect(throws: SystemError("sd_event_new", code: ENOMEM)) { try checkSystemd("sd_event_new", -ENOMEM) }
    }

    @Test func errorNamesTheCallAndTheReason() {
        #expect(SystemError("bind", code: EADDRINUSE).description == "bind: Address already in use")
    }
}

/// Counted by a signal handler on the thread that reads it afterwards.
private enum SignalCount {
    nonisolated(unsafe) static var value = 0
}
