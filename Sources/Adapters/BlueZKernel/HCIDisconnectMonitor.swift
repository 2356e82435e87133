import Domain
import Linux
import Sensors

/// What an adapter says why connections ended. It needs no privileges, and is done without where it is not to be had.
@safe
final class HCIDisconnectMonitor {
    /// The most packets that are read at a time, so that no adapter holds the loop.
    private static let turnLimit = 64

    private let socket: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 260)

    init(over socket: consuming FileDescriptor) {
        self.socket = socket
    }

    /// Why the connection with a handle ended, as far as it has been told; what was told before is forgotten.
    ///
    /// The adapter's event is there before the kernel closes the connection's sockets.
    func popReason(_ handle: UInt16?) -> UInt8? {
        var reason: UInt8?
        for _ in 0..<Self.turnLimit {
            let size = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe (try? socket.read(into: bytes)) ?? 0 }
            if size == 0 { break }
            if let told = try? HCIDisconnectionComplete(buffer.span.extracting(0..<size)), told.handle == handle {
                reason = told.reason
            }
        }
        return reason
    }
}
