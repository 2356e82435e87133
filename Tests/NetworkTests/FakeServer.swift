import Domain
import Glibc
import Linux
import TestKit

/// A server on the loop of the client: it answers each request with the same bytes.
final class FakeServer {
    let port: UInt16
    private(set) var requests: [String] = []
    var response: [UInt8]
    private var closes: Bool
    private let loop: EventLoop
    private let listener: FileDescriptor
    private var listening: DescriptorSource?
    private var clients: [Client] = []

    private final class Client {
        let socket: FileDescriptor
        var source: DescriptorSource?
        var received: [UInt8] = []

        init(_ socket: consuming FileDescriptor) { self.socket = socket }
    }

    /// - Parameter closes: whether the connection ends after the response.
    init(_ response: String = "", closes: Bool = true, on loop: EventLoop) throws {
        self.response = Array(response.utf8)
        self.closes = closes
        self.loop = loop
        port = try FakeGpsd.freePort()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        listener = FileDescriptor(owning: number)
        let bound = withUnsafeBytes(of: &address) {
            bind(number, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard bound == 0, listen(number, 16) == 0 else { throw SystemError("bind", code: errno) }
        listening = try loop.watch(listener, for: .reading) { [unowned self] _ in accept() }
    }

    var url: String { "http://127.0.0.1:\(port)/a?b=c" }

    private func accept() {
        let number = Glibc.accept(listener.number, nil, nil)
        guard number >= 0 else { return }
        let client = Client(FileDescriptor(owning: number))
        client.source = try? loop.watch(client.socket, for: .reading) { [unowned self, unowned client] _ in
            receive(client)
        }
        clients.append(client)
    }

    private func receive(_ client: Client) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(client.socket.number, $0.baseAddress, $0.count) }
        guard count > 0 else { return clients.removeAll { $0 === client } }
        client.received += buffer[..<count]
        guard client.received.suffix(4) == [13, 10, 13, 10] else { return }
        requests.append(String(decoding: client.received, as: UTF8.self))
        client.received = []
        _ = client.socket.send(response[...])
        if closes { clients.removeAll { $0 === client } }
    }
}
