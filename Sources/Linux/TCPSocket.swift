import Domain
import Glibc

/// Connects to numeric addresses. Names are not resolved: that would block.
package enum TCPSocket {
    /// Starts to connect. The socket becomes writable when the attempt is over; ``result(of:)`` then has its result.
    ///
    /// - Parameter host: An IPv4 or IPv6 address in text.
    /// - Throws: `EINVAL` if `host` is not an address.
    package static func connect(host: String, port: UInt16) throws(SystemError) -> FileDescriptor {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 { return try connect(AF_INET, &four) }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 { return try connect(AF_INET6, &six) }
        throw SystemError("inet_pton", code: EINVAL)
    }

    /// Result of a connection attempt: nil if it succeeded.
    package static func result(of socket: borrowing FileDescriptor) -> SystemError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if unsafe getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &size) == -1 { code = errno }
        return code == 0 ? nil : SystemError("connect", code: code)
    }

    /// Whether `text` is a numeric IPv4 or IPv6 address.
    package static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return unsafe inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    private static func connect<Address>(
        _ family: Int32, _ address: inout Address
    ) throws(SystemError) -> FileDescriptor {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(owning: try check("socket") { Glibc.socket(family, flags, 0) })
        let number = socket.number
        do {
            _ = try check("connect") {
                unsafe withUnsafeBytes(of: &address) { bytes in
                    unsafe Glibc.connect(
                        number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
                }
            }
        } catch {
            if error.code != EINPROGRESS { throw error }
        }
        return socket
    }
}
