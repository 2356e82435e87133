import Domain
import Glibc

/// Reports the service's status to systemd, one datagram per message. If systemd's queue is full, it is not sent.
///
/// libsystemd's `sd_notify` would block while the queue is full, and delay a tick. The kernel identifies the sender.
///
/// Source: sd_notify(3).
@safe
package final class NotifySocket {
    /// Time without a message after which systemd restarts the service; nil without a watchdog.
    package let watchdog: Duration?
    private let socket: FileDescriptor
    private let address: sockaddr_un
    private let addressSize: socklen_t

    /// - Parameter path: Path of systemd's socket; a leading `@` denotes the abstract namespace.
    /// - Throws: `EINVAL` if the path is neither abstract nor absolute, `ENAMETOOLONG` beyond ``UnixSocket/pathLimit``.
    package init(_ path: String, watchdog: Duration? = nil) throws(SystemError) {
        guard path.utf8.count > 1, path.hasPrefix("/") || path.hasPrefix("@") else {
            throw SystemError("sendto", code: EINVAL)
        }
        guard path.utf8.count <= UnixSocket.pathLimit else { throw SystemError("sendto", code: ENAMETOOLONG) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { unsafe bytes[0] = 0 }
        }
        self.address = address
        addressSize = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        socket = FileDescriptor(owning: try check("socket") { Glibc.socket(AF_UNIX, type, 0) })
        self.watchdog = watchdog
    }

    /// Sends assignments, one per line, such as `READY=1`.
    package func send(_ message: String) -> SendResult {
        var address = address
        let bytes = Array(message.utf8)
        do {
            return .sent(
                try check("sendto") {
                    unsafe withUnsafePointer(to: &address) { pointer in
                        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                            unsafe sendto(
                                socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, addressSize)
                        }
                    }
                })
        } catch {
            return error.code == EAGAIN || error.code == ENOBUFS ? .full : .gone
        }
    }
}
