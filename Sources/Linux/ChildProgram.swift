import CLinux
import Domain
import Glibc

/// A running program in a new process group. The kernel sends it SIGTERM when the thread that started it ends.
package final class ChildProgram {
    package let process: Int32
    /// The status of `waitpid`, once the program has ended.
    private var status: Int32?

    /// - Parameters:
    ///   - words: the program's path and its arguments.
    ///   - output: its standard output; nil for none. So is `errors`.
    package init(_ words: [String], output: Int32? = nil, errors: Int32? = nil) throws(SystemError) {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in words.indices { unsafe free(arguments[index]) } }
        process = try check("fork") { unsafe clinux_start(&arguments, output ?? -1, errors ?? -1) }
    }

    deinit { end(within: .zero) }

    /// The exit status, 128 and the signal's number if a signal ended it; nil while it runs.
    package var exitStatus: Int32? {
        if status == nil {
            var status: Int32 = 0
            if unsafe waitpid(process, &status, WNOHANG) == process { self.status = status }
        }
        return status.map { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : 128 + $0 & 0x7F }
    }

    /// A descriptor that is readable when the program has ended.
    ///
    /// The corresponding C function is `pidfd_open`.
    package func exitDescriptor() throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try check("pidfd_open") { clinux_process_descriptor(process) })
    }

    /// Sends SIGTERM and waits; after `time` it sends SIGKILL.
    package func end(within time: Duration) {
        guard exitStatus == nil else { return }
        let end = Clock.now() + time
        kill(process, time > .zero ? SIGTERM : SIGKILL)
        while exitStatus == nil {
            if Clock.now() >= end { kill(process, SIGKILL) }
            usleep(5000)
        }
    }
}

extension ChildProgram {
    /// How a program that ``run(_:within:until:_:)`` started has ended.
    package struct Ending: Sendable {
        /// The exit status, 128 and the signal's number if a signal ended it; nil if it did not end by itself.
        package var status: Int32?
        /// It took longer than allowed, and was killed.
        package var isLate = false
        /// A signal asked this process to end, and the program was killed.
        package var isStopped = false
        /// The beginning of its standard error, at most 4 KiB.
        package var errors = ""

        package var isSuccess: Bool { status == 0 }
    }

    /// Runs a program and passes its standard output on, piece by piece. It blocks; never call it on a loop.
    ///
    /// - Parameters:
    ///   - time: how long it may run.
    ///   - signals: blocked ones, which end it when they are pending.
    ///   - body: ends the program if it throws.
    package static func run(
        _ words: [String], within time: Duration, until signals: [Int32], _ body: ([UInt8]) throws -> Void
    ) throws -> Ending {
        let outputs = try Pipe()
        let problems = try Pipe()
        let child = try ChildProgram(words, output: outputs.writing.number, errors: problems.writing.number)
        // The child has its own copies of the ends to write to: the pipes end with it.
        let output = outputs.reader()
        let errors = problems.reader()
        var ending = Ending()
        var message: [UInt8] = []
        let end = Clock.now() + time
        var isOutputOpen = true
        var areErrorsOpen = true
        while isOutputOpen || areErrorsOpen {
            ending.isLate = Clock.now() >= end
            ending.isStopped = signals.contains { clinux_is_pending($0) == 1 }
            if ending.isLate || ending.isStopped { return ending }
            var waiting = [
                pollfd(fd: isOutputOpen ? output.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: areErrorsOpen ? errors.number : -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = unsafe poll(&waiting, 2, 100)
            if waiting[0].revents != 0 {
                let bytes = try output.readOnce(atMost: 65_536)
                isOutputOpen = !bytes.isEmpty
                if isOutputOpen { try body(bytes) }
            }
            if waiting[1].revents != 0 {
                let bytes = try errors.readOnce(atMost: 4096)
                areErrorsOpen = !bytes.isEmpty
                message += bytes.prefix(4096 - message.count)
            }
        }
        while child.exitStatus == nil, Clock.now() < end { usleep(1000) }
        ending.status = child.exitStatus
        ending.errors = String(decoding: message, as: UTF8.self)
        return ending
    }

    /// A pipe whose ends other programs do not inherit.
    private struct Pipe: ~Copyable {
        let reading: FileDescriptor
        let writing: FileDescriptor

        init() throws(SystemError) {
            var ends: [Int32] = [-1, -1]
            _ = try check("pipe") { unsafe pipe(&ends) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            reading = FileDescriptor(owning: ends[0])
            writing = FileDescriptor(owning: ends[1])
        }

        /// Closes the end to write to.
        consuming func reader() -> FileDescriptor {
            reading
        }
    }
}

extension FileDescriptor {
    fileprivate borrowing func readOnce(atMost limit: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try read(into: $0) }
        return Array(bytes[..<(count ?? 0)])
    }
}
