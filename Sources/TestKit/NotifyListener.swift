import Domain
import Glibc
package import Linux

/// A notification socket (sd_notify(3)) as systemd's. The kernel bounds its queue.
package struct NotifyListener: ~Copyable {
    package let socket: FileDescriptor

    /// - Parameter path: a path; one that starts with `@` is in the abstract namespace.
    package init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { bytes[0] = 0 }
        }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        socket = FileDescriptor(
            owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0))
        let number = socket.number
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
        }
        guard result == 0 else { throw SystemError("bind", code: errno) }
    }

    /// The oldest message; nil if there is none.
    package func next() throws -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try bytes.withUnsafeMutableBytes { try socket.read(into: $0) }
        return count.map { String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    /// All pending messages.
    package func all() throws -> [String] {
        var messages: [String] = []
        while let message = try next() { messages.append(message) }
        return messages
    }
}
