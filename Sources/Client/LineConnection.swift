package import Domain
import Glibc
package import Linux

/// A connection to a Unix socket that sends and receives lines. It closes with this object.
package final class LineConnection {
    package let path: String
    package let socket: FileDescriptor
    private var lines: LineSplitter
    private var hasEnded = false

    /// - Parameter lineLimit: the most bytes of a received line without its newline.
    package init(to path: String, lineLimit: Int) throws(SystemError) {
        self.path = path
        socket = try UnixSocket.connect(to: path)
        lines = LineSplitter(limit: lineLimit)
    }

    /// What became of a line that was sent. Requests are shorter than the buffer of any socket.
    package enum Sending: Equatable, Sendable {
        case sent
        /// The server does not read.
        case full
        /// The server has closed the connection. Its last line, with the reason, can still be read.
        case gone
    }

    /// Sends a line without waiting.
    ///
    /// - Parameter line: without its newline.
    package func send(_ line: some Collection<UInt8>) -> Sending {
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        switch socket.send(bytes[...]) {
        case .sent(bytes.count): return .sent
        case .sent, .full: return .full
        case .gone: return .gone
        }
    }

    /// Reads what has arrived.
    ///
    /// - Returns: false if the server has closed the connection. Lines that came before can still be taken.
    package func receive() -> Bool {
        if lines.read(from: socket) == .ended { hasEnded = true }
        return !hasEnded
    }

    /// The next whole line that has arrived; nil if there is none.
    package func next() -> LineSplitter.Line? {
        lines.next()
    }

    package enum Arrival: Equatable {
        case line([UInt8])
        /// A line beyond the limit, which is skipped.
        case tooLong
        /// No line came before the deadline.
        case late
        /// The server has closed the connection.
        case ended
    }

    /// Waits for the next line until `deadline`; without limit if that is nil.
    ///
    /// The corresponding C function is `poll`.
    package func line(by deadline: Instant?) -> Arrival {
        while true {
            switch next() {
            case .line(let line): return .line(Array(line))
            case .tooLong: return .tooLong
            case nil: if hasEnded { return .ended }
            }
            var timeout: Int32 = -1
            if let deadline {
                let left = (deadline - Clock.now()).wholeMilliseconds
                if left < 0 { return .late }
                timeout = Int32(min(left + 1, 60_000))
            }
            var waiting = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, timeout) > 0 { _ = receive() }
        }
    }
}

/// A request of JSON-RPC 2.0 as a line, without its newline.
///
/// - Parameter parameters: a JSON object.
package func requestLine(_ method: String, _ parameters: String = "{}", id: Int = 1) -> [UInt8] {
    Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#.utf8)
}
