import Adapters
import Domain
import Foundation
import Glibc
import Linux

/// A directory of its own, gone with the value.
final class TemporaryDirectory {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/paced-\(UUID().uuidString.prefix(8))"
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// The other end of one of our sockets, as a program would hold it.
final class SocketClient {
    let socket: FileDescriptor
    private var received: [UInt8] = []
    /// The server has hung up.
    private(set) var hasEnded = false

    init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// The number of bytes that were taken.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        if case .sent(let count) = socket.send(bytes[...]) { count } else { 0 }
    }

    /// Says no more, and goes on listening.
    func endInput() {
        shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Reads what is there.
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

    /// The whole lines that have come since the last call.
    func lines() -> [String] {
        receive()
        guard let end = received.lastIndex(of: 10) else { return [] }
        let text = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 1)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

extension EventLoop {
    /// Runs everything that is due now, and what follows from it at once.
    func settle(_ turns: Int = 20) {
        for _ in 0..<turns { try! runOnce(waiting: .zero) }
    }

    /// Turns until something has come true; false when it does not within the time.
    func turn(until isTrue: () -> Bool, within timeout: Duration = .seconds(10)) -> Bool {
        let end = Clock.now() + timeout
        while !isTrue() {
            if Clock.now() > end { return false }
            try! runOnce(waiting: .milliseconds(5))
        }
        return true
    }
}

extension String {
    /// A member of a line, if it is a JSON object.
    subscript(_ key: String) -> JSON? {
        (try? JSON(parsing: utf8))?[key]
    }

    var lineClass: String? {
        self["class"]?.string
    }
}
