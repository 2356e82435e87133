import Domain
package import Linux

/// A line to a socket and the first line of the answer that is wanted, in an event loop. The connection ends with this object.
package final class LineExchange {
    package enum Failure: Error, Equatable {
        case connecting(SystemError)
        /// The server has closed the connection, or its line is too long.
        case ended
        case timeout
    }

    package typealias Completion = (Result<[UInt8], Failure>) -> Void

    private let connection: LineConnection
    private let isWanted: (ArraySlice<UInt8>) -> Bool
    private var completed: Completion?
    private var source: DescriptorSource?
    private var timer: TimerSource?

    /// - Parameters:
    ///   - line: without its newline; empty to send nothing.
    ///   - lineLimit: the most bytes of a line of the answer.
    ///   - completed: called later, in the loop, at most once.
    package init(
        _ line: [UInt8], at path: String, loop: EventLoop, timeout: Duration, lineLimit: Int,
        isWanted: @escaping (ArraySlice<UInt8>) -> Bool = { _ in true }, completed: @escaping Completion
    ) throws(Failure) {
        self.isWanted = isWanted
        do throws(SystemError) {
            connection = try LineConnection(to: path, lineLimit: lineLimit)
            // A server that has closed already may have said why.
            if !line.isEmpty, connection.send(line) == .full { throw SystemError("send", code: 0) }
            source = try loop.watch(connection.socket, for: .reading) { [unowned self] _ in receive() }
            timer = try loop.timer { [unowned self] in complete(.failure(.timeout)) }
        } catch {
            throw .connecting(error)
        }
        self.completed = completed
        timer?.arm(at: Clock.now() + timeout)
    }

    /// Whether `completed` was called.
    package var isComplete: Bool { completed == nil }

    private func receive() {
        let isOpen = connection.receive()
        while let line = connection.next() {
            guard case .line(let bytes) = line else { return complete(.failure(.ended)) }
            if isWanted(bytes) { return complete(.success(Array(bytes))) }
        }
        if !isOpen { complete(.failure(.ended)) }
    }

    private func complete(_ result: Result<[UInt8], Failure>) {
        source = nil
        timer = nil
        let completed = completed
        self.completed = nil
        completed?(result)
    }
}
