import CLinux
import Domain
import Glibc

/// Connects to numeric addresses, and listens at them. Names are not resolved: that would block.
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

    /// Bytes of a connected socket that its peer has acknowledged.
    package static func acknowledgedBytes(of number: Int32) -> UInt64 {
        clinux_acknowledged_bytes(number)
    }

    /// Whether `text` is a numeric IPv4 or IPv6 address.
    package static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return unsafe inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    /// Binds and listens at a numeric address. The socket does not block.
    ///
    /// - Parameter port: 0 for a free one.
    /// - Throws: `EINVAL` if `host` is not an address.
    package static func listen(host: String, port: UInt16) throws(SystemError) -> FileDescriptor {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 { return try listen(AF_INET, &four) }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 { return try listen(AF_INET6, &six) }
        throw SystemError("inet_pton", code: EINVAL)
    }

    private static func listen<Address>(
        _ family: Int32, _ address: inout Address
    ) throws(SystemError) -> FileDescriptor {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = FileDescriptor(owning: try check("socket") { Glibc.socket(family, flags, 0) })
        let number = socket.number
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, size)
        if family == AF_INET6 { unsafe setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, size) }
        _ = try check("bind") {
            unsafe withUnsafeBytes(of: &address) { bytes in
                unsafe Glibc.bind(
                    number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        _ = try check("listen") { Glibc.listen(number, 128) }
        return socket
    }

    /// The address and the port of this end of a socket, such as `127.0.0.1` and 8080; nil if it is no socket of IP.
    package static func address(of socket: borrowing FileDescriptor) -> (host: String, port: UInt16)? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket.number, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        let family = Int32(address.ss_family)
        return unsafe withUnsafeBytes(of: &address) { bytes in
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            switch family {
            case AF_INET:
                var four = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
                unsafe inet_ntop(AF_INET, &four.sin_addr, &text, socklen_t(text.count))
                return (String(terminated: text), UInt16(bigEndian: four.sin_port))
            case AF_INET6:
                var six = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
                unsafe inet_ntop(AF_INET6, &six.sin6_addr, &text, socklen_t(text.count))
                return (String(terminated: text), UInt16(bigEndian: six.sin6_port))
            default: return nil
            }
        }
    }

    /// Whether an address is one of this machine only: 127.0.0.0/8 or ::1.
    static func isLoopback(_ address: sockaddr_storage) -> Bool {
        unsafe withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            case AF_INET:
                return unsafe UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr) >> 24 == 127
            case AF_INET6:
                let host = unsafe withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                    unsafe Array($0)
                }
                let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127]
                return host == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] || host.starts(with: mapped)
            default: return false
            }
        }
    }

    /// Whether the peer of a socket is on this machine, by its loopback address.
    package static func isFromThisMachine(_ socket: borrowing FileDescriptor) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(socket.number, $0, &length)
            }
        }
        return result == 0 && isLoopback(address)
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
