import Domain
import Glibc
import Linux
import Servers
import Wire

/// A line to a Unix socket, and the first line of the answer that is wanted. The connection ends with this object.
final class LineExchange {
    enum Failure: Error, Equatable {
        /// Nobody serves the socket, or it has ended.
        case unreachable
        /// This process may not connect.
        case notAllowed
        case timeout
    }

    typealias Completion = (Result<[UInt8], Failure>) -> Void

    private let socket: FileDescriptor
    private var reader = LineReader(limit: JSONRPC.lineLimit)
    private let isWanted: (ArraySlice<UInt8>) -> Bool
    private var completed: Completion?
    private var source: DescriptorSource?
    private var timer: TimerSource?

    /// - Parameters:
    ///   - line: without its newline; empty to send nothing.
    ///   - completed: called later, in the loop, at most once.
    init(
        _ line: [UInt8], at path: String, loop: EventLoop, timeout: Duration,
        isWanted: @escaping (ArraySlice<UInt8>) -> Bool = { _ in true }, completed: @escaping Completion
    ) throws(Failure) {
        self.isWanted = isWanted
        do throws(SystemError) {
            socket = try UnixSocket.connect(to: path)
            let line = line.isEmpty ? [] : line + [UInt8(ascii: "\n")]
            // The kernel's buffer of a new connection has room for a whole line.
            guard line.isEmpty || socket.send(line[...]) == .sent(line.count) else {
                throw SystemError("send", code: 0)
            }
            source = try loop.watch(socket, for: .reading) { [unowned self] _ in receive() }
            timer = try loop.timer { [unowned self] in complete(.failure(.timeout)) }
        } catch {
            throw [EACCES, EPERM].contains(error.code) ? .notAllowed : .unreachable
        }
        self.completed = completed
        timer?.arm(at: Clock.now() + timeout)
    }

    private func receive() {
        let progress = reader.read(from: socket)
        while let line = reader.next(hasEnded: progress == .ended) {
            guard case .line(let bytes) = line else { return complete(.failure(.unreachable)) }
            if isWanted(bytes) { return complete(.success(Array(bytes))) }
        }
        if progress == .ended { complete(.failure(.unreachable)) }
    }

    private func complete(_ result: Result<[UInt8], Failure>) {
        source = nil
        timer = nil
        let completed = completed
        self.completed = nil
        completed?(result)
    }
}
