import CLinux
import Domain
import Glibc

/// Credentials of the peer of a Unix socket, recorded by the kernel at the connection.
package struct PeerCredentials: Equatable, Sendable {
    package var user: UInt32
    package var group: UInt32
    package var process: Int32
}

/// Unix sockets with a path.
package enum UnixSocket {
    /// Longest path of a socket, in bytes.
    package static let pathLimit = 107

    package enum Kind: Sendable {
        case stream
        /// Ordered datagrams with a connection: one datagram is one message, as on an L2CAP channel.
        case sequencedPacket
    }

    /// Binds and listens, with mode 0660. A stale socket, on which no process listens, is replaced.
    ///
    /// - Parameters:
    ///   - path: Any path of a name in `directory`: `bind` never follows a link at its end.
    ///   - directory: Directory in which an existing socket is checked and removed, and the mode is set.
    /// - Throws: `EADDRINUSE` if a process listens, `ENAMETOOLONG` for a path beyond ``pathLimit``.
    package static func listen(
        at path: String, in directory: borrowing Directory, kind: Kind = .stream
    ) throws(DirectoryError) -> FileDescriptor {
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        if let found = try directory.kind(of: name) {
            guard found == .socket else { throw DirectoryError(path, .wrongKind(found, wanted: .socket)) }
            guard isDeserted(path, kind) else {
                throw DirectoryError(path, .system(SystemError("bind", code: EADDRINUSE)))
            }
            directory.remove(name)
        }
        do throws(SystemError) {
            let socket = try make(kind)
            // Created with mode 0600, then widened: the process-wide umask could narrow the mode.
            _ = try check("fchmod") { fchmod(socket.number, 0o600) }
            unsafe try withAddress("bind", path) { address, size in unsafe bind(socket.number, address, size) }
            try directory.change(name, mode: 0o660)
            _ = try check("listen") { Glibc.listen(socket.number, 128) }
            return socket
        } catch {
            throw DirectoryError(path, .system(error))
        }
    }

    /// Whether no process listens on a socket.
    private static func isDeserted(_ path: String, _ kind: Kind) -> Bool {
        do {
            _ = try connect(to: path, kind: kind)
            return false
        } catch {
            return error.code == ECONNREFUSED
        }
    }

    /// Number of these sockets whose peer has closed.
    ///
    /// The corresponding C function is `poll`.
    package static func countHungUp(_ numbers: [Int32]) -> Int {
        var polled = numbers.map { pollfd(fd: $0, events: 0, revents: 0) }
        guard unsafe poll(&polled, nfds_t(polled.count), 0) > 0 else { return 0 }
        return polled.count { $0.revents & Int16(POLLHUP) != 0 }
    }

    /// Whether a descriptor is a listening stream socket of a family.
    static func isListening(_ number: Int32, family: Int32) -> Bool {
        let options = [SO_DOMAIN, SO_TYPE, SO_ACCEPTCONN].map { option in
            var value: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            return unsafe getsockopt(number, SOL_SOCKET, option, &value, &size) == 0 ? value : -1
        }
        return options == [family, Int32(SOCK_STREAM.rawValue), 1]
    }

    /// Connects without waiting: a Unix socket connects at once or fails.
    ///
    /// - Throws: `ENOENT` without a socket, `ECONNREFUSED` without
    ///   a listener, `EAGAIN` if the listener's queue is full.
    package static func connect(to path: String, kind: Kind = .stream) throws(SystemError) -> FileDescriptor {
        let socket = try make(kind)
        unsafe try withAddress("connect", path) { address, size in unsafe Glibc.connect(socket.number, address, size) }
        return socket
    }

    /// Accepts the next connection; nil if there is none, or if the peer has already closed it.
    package static func accept(from listener: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor? {
        let number = listener.number
        do {
            return FileDescriptor(owning: try check("accept") { clinux_accept4(number) })
        } catch {
            if error.code == EAGAIN || error.code == ECONNABORTED { return nil }
            throw error
        }
    }

    /// The path of a listening socket; nil if it has none.
    ///
    /// The corresponding C function is `getsockname`.
    package static func path(of socket: borrowing FileDescriptor) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let number = socket.number
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(number, address, &size)
            }
        }
        guard result == 0, address.sun_path.0 != 0 else { return nil }
        return unsafe withUnsafeBytes(of: &address.sun_path) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Credentials of the peer.
    package static func peer(of socket: borrowing FileDescriptor) throws(SystemError) -> PeerCredentials {
        var peer = clinux_peer()
        let number = socket.number
        _ = try check("getsockopt") { unsafe clinux_peer_credentials(number, &peer) }
        return PeerCredentials(user: peer.uid, group: peer.gid, process: peer.pid)
    }

    /// Doubles the room for bytes that the peer has not read, up to the kernel's `net.core.wmem_max`.
    package static func growSendBuffer(of socket: borrowing FileDescriptor) {
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket.number, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 else { return }
        // The kernel doubles the value (socket(7)).
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_SNDBUF, &size, length)
    }

    private static func make(_ kind: Kind) throws(SystemError) -> FileDescriptor {
        let type = kind == .stream ? SOCK_STREAM : SOCK_SEQPACKET
        let flags = Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return FileDescriptor(owning: try check("socket") { socket(AF_UNIX, flags, 0) })
    }

    private static func withAddress(
        _ call: StaticText, _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) {
        guard path.utf8.count <= pathLimit else { throw SystemError(call, code: ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        _ = try check(call) {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }
}
