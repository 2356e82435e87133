import Domain
import Glibc
import JSONCoding
import Linux

/// The client's end of a socket.
final class SocketClient {
    let socket: FileDescriptor
    private var received: [UInt8] = []
    /// Whether the server has closed the connection.
    private(set) var hasEnded = false

    init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Returns the number of bytes that were accepted.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        if case .sent(let count) = socket.send(bytes[...]) { count } else { 0 }
    }

    /// Shuts down the sending side, and continues to receive.
    func endInput() {
        shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Reads the available bytes.
    func receive() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !hasEnded {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(socket.number, $0.baseAddress, $0.count) }
            if count > 0 {
                received += buffer[..<count]
            } else if count == 0 || errno != EAGAIN {
                hasEnded = true
            } else {
                return
            }
        }
    }

    /// The complete lines since the last call.
    func lines() -> [String] {
        receive()
        guard let end = received.lastIndex(of: 10) else { return [] }
        let text = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

extension String {
    /// A member of a line, if the line is a JSON object.
    subscript(_ key: String) -> JSON? {
        (try? JSON(parsing: utf8))?[key]
    }

    var lineClass: String? {
        self["class"]?.string
    }
}
