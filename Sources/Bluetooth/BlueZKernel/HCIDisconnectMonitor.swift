import Domain
import Linux
import Sensors

/// Reads an adapter's reasons for the end of connections. It needs no privileges, and is optional.
@safe
final class HCIDisconnectMonitor {
    /// The most packets read at a time, so that no adapter stalls the loop.
    private static let turnLimit = 64

    private let socket: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 260)

    init(over socket: consuming FileDescriptor) {
        self.socket = socket
    }

    /// The reason why the connection with a handle ended, if it was reported. Discards all events received until now.
    ///
    /// The adapter's event arrives before the kernel closes the connection's sockets.
    func popReason(_ handle: UInt16?) -> UInt8? {
        var reason: UInt8?
        for _ in 0..<Self.turnLimit {
            let size = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe (try? socket.read(into: bytes)) ?? 0 }
            if size == 0 { break }
            if let event = try? HCIDisconnectionComplete(buffer.span.extracting(0..<size)), event.handle == handle {
                reason = event.reason
            }
        }
        return reason
    }
}
