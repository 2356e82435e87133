import Domain
import Linux
import Sensors

/// Reads an adapter's reasons for the end of connections. It needs no privileges, and is optional.
@safe
final class HCIDisconnectMonitor {
    /// The most packets read at a time, so that no adapter stalls the loop.
    private static let turnLimit = 64

    private let socket: FileDescriptor
    /// The last reasons that nobody has popped; of two of one handle the later one counts.
    private var reasons: [(handle: UInt16, reason: UInt8)] = []
    private var buffer = [UInt8](repeating: 0, count: 260)

    init(over socket: consuming FileDescriptor) {
        self.socket = socket
    }

    /// The reason why the connection with a handle ended, if it was reported. The reasons of other handles are kept, as
    /// several connections may end at once.
    ///
    /// The adapter's event arrives before the kernel closes the connection's sockets.
    func popReason(_ handle: UInt16) -> UInt8? {
        read()
        defer { reasons.removeAll { $0.handle == handle } }
        return reasons.last { $0.handle == handle }?.reason
    }

    /// Discards the reason of an earlier connection with the same handle.
    func begin(_ handle: UInt16) {
        _ = popReason(handle)
    }

    private func read() {
        for _ in 0..<Self.turnLimit {
            let size = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe (try? socket.read(into: bytes)) ?? 0 }
            if size == 0 { break }
            if let event = try? HCIDisconnectionComplete(buffer.span.extracting(0..<size)) {
                reasons = reasons.suffix(Self.turnLimit - 1) + [(event.handle, event.reason)]
            }
        }
    }
}
