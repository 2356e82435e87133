import Domain
import Glibc
package import Linux
import Servers

/// A scripted gpsd on the loop of the client under test.
package final class FakeGpsd {
    package static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    package let port: UInt16
    /// The lines that a new client receives.
    package var greeting = [version]
    /// The receivers in its DEVICES response; nil leaves every request unanswered.
    package var devices: [String]? = ["/dev/ttyACM0"]
    /// The requests of clients.
    package private(set) var requests: [String] = []
    /// The number of accepted connections.
    package private(set) var connections = 0

    private let host: String
    private let loop: EventLoop
    private var listener: Listener?
    private var client: Client?

    private final class Listener {
        var source: DescriptorSource?
        let socket: FileDescriptor

        init(_ socket: consuming FileDescriptor) { self.socket = socket }
    }

    private final class Client {
        var source: DescriptorSource?
        let socket: FileDescriptor
        var unfinished = ""

        init(_ socket: consuming FileDescriptor) { self.socket = socket }
    }

    /// Starts listening.
    ///
    /// - Parameter host: 127.0.0.1 or ::1.
    package init(host: String = "127.0.0.1", port: UInt16? = nil, on loop: EventLoop) throws {
        self.host = host
        self.loop = loop
        self.port = try port ?? Self.freePort()
        try listen()
    }

    /// A free port.
    package static func freePort() throws -> UInt16 {
        port(of: try bind(host: "127.0.0.1", port: 0))
    }

    package var hasClient: Bool { client != nil }

    package func listen() throws {
        let listener = Listener(try Self.bind(host: host, port: port))
        guard Glibc.listen(listener.socket.number, 16) == 0 else { throw SystemError("listen", code: errno) }
        listener.source = try loop.watch(listener.socket, for: .reading) { [weak self] _ in self?.accept() }
        self.listener = listener
    }

    /// Closes the port; a connected client stays connected.
    package func stopListening() {
        listener = nil
    }

    /// Closes the connection, as gpsd does when it stops.
    package func hangUp() {
        client = nil
    }

    /// Abandons the connection without closing it: for the client it is half-open.
    package func abandon() {
        if let client { abandoned.append(client) }
        client?.source = nil
        client = nil
    }

    private var abandoned: [Client] = []

    package func send(_ text: String) {
        send(bytes: Array(text.utf8))
    }

    package func send(lines: [String]) {
        for line in lines { send(line + "\r\n") }
    }

    /// - Returns: the number of bytes for which the client's buffers had room; the others are lost.
    @discardableResult
    package func send(bytes: [UInt8]) -> Int {
        if case .sent(let count)? = client?.socket.send(bytes[...]) { count } else { 0 }
    }

    private func accept() {
        guard let listener, let socket = try? UnixSocket.accept(from: listener.socket) else { return }
        connections += 1
        let client = Client(socket)
        client.source = try? loop.watch(client.socket, for: .reading) { [weak self] _ in self?.read() }
        self.client = client
        send(lines: greeting)
    }

    private func read() {
        guard let client else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try? buffer.withUnsafeMutableBytes { bytes in try client.socket.read(into: bytes) }
        guard let count, count > 0 else {
            self.client = nil
            return
        }
        client.unfinished += String(decoding: buffer[..<count], as: UTF8.self)
        while let end = client.unfinished.firstIndex(of: "\n") {
            let request = String(client.unfinished[..<end])
            client.unfinished.removeSubrange(...end)
            requests.append(request)
            if devices != nil { answer(request) }
        }
    }

    private func answer(_ request: String) {
        let named = (devices ?? []).map {
            #"{"class":"DEVICE","path":"\#($0)","activated":"2026-11-20T06:46:10.427Z"}"#
        }
        send(lines: [#"{"class":"DEVICES","devices":[\#(named.joined(separator: ","))]}"#])
        if request.hasPrefix("?WATCH") { send(lines: [#"{"class":"WATCH","enable":true,"json":true}"#]) }
    }

    private static func bind(host: String, port: UInt16) throws -> FileDescriptor {
        let family = host.contains(":") ? AF_INET6 : AF_INET
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(owning: Glibc.socket(family, flags, 0))
        var yes: Int32 = 1
        setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        six.sin6_addr = in6addr_loopback
        let number = socket.number
        func bind(_ address: UnsafeRawBufferPointer) -> Int32 {
            Glibc.bind(
                number, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
        }
        let result =
            family == AF_INET6 ? withUnsafeBytes(of: &six, bind) : withUnsafeBytes(of: &four, bind)
        guard result == 0 else { throw SystemError("bind", code: errno) }
        return socket
    }

    private static func port(of socket: borrowing FileDescriptor) -> UInt16 {
        let number = socket.number
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        // The port is at the same place in both kinds of address.
        return UInt16(bigEndian: address.sin6_port)
    }
}
