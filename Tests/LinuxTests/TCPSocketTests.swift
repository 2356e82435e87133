import Domain
import Foundation
import Linux
import Testing

@Suite struct TCPSocketTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func connectWithoutAListenerIsRefused(host: String) throws {
        // Port 1 (tcpmux) has no listener. The kernel refuses at once, or a moment later.
        #expect(throws: SystemError("connect", code: ECONNREFUSED)) {
            let loop = try EventLoop()
            let socket = try TCPSocket.connect(host: host, port: 1)
            let source = try loop.watch(socket, for: .writing) { _ in loop.stop(0) }
            _ = try loop.run()
            try withExtendedLifetime(source) {
                if let error = TCPSocket.result(of: socket) { throw error }
            }
        }
    }

    @Test func establishedConnectionHasNoError() throws {
        let listener = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #expect(bind(listener.number, address, size) == 0)
                #expect(listen(listener.number, 1) == 0)
                #expect(getsockname(listener.number, address, &size) == 0)
            }
        }
        let loop = try EventLoop()
        let socket = try TCPSocket.connect(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
        let source = try loop.watch(socket, for: .writing) { _ in loop.stop(0) }
        _ = try loop.run()
        withExtendedLifetime(source) { #expect(TCPSocket.result(of: socket) == nil) }
    }

    @Test(arguments: ["localhost", "", "127.0.0.1.5", "::g", "example.org", "127.1 "])
    func hostNamesAreRejected(host: String) {
        #expect(!TCPSocket.isAddress(host))
        #expect(throws: SystemError("inet_pton", code: EINVAL)) { _ = try TCPSocket.connect(host: host, port: 2947) }
    }

    @Test(arguments: ["127.0.0.1", "::1", "10.0.0.255", "fe80::1"])
    func numericAddressesAreAccepted(host: String) {
        #expect(TCPSocket.isAddress(host))
    }
}
