import Domain
import Glibc
import Linux
import Sensors

/// The socket on which bluetoothd forwards notifications (`AcquireNotify`). One datagram is one value.
@safe
final class NotificationSocket {
    /// The most datagrams read in one iteration of the loop, so that no peer stalls it.
    private static let turnLimit = 32

    private let socket: FileDescriptor
    private var source: DescriptorSource?
    /// One byte more than the longest value, so that a longer one is detected.
    private var buffer = [UInt8](repeating: 0, count: GattClient.mtuLimit + 1)
    private let received: ([UInt8], Instant) -> Void
    private let ended: (Instant) -> Void

    /// Takes over a descriptor. Nil if it is not a SOCK_SEQPACKET socket.
    ///
    /// - Parameters:
    ///   - received: receives each value. It may release the socket.
    ///   - ended: called once, when the other end is closed.
    init?(
        over descriptor: consuming FileDescriptor, loop: EventLoop, received: @escaping ([UInt8], Instant) -> Void,
        ended: @escaping (Instant) -> Void
    ) {
        let number = descriptor.number
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0,
            type == Int32(SOCK_SEQPACKET.rawValue), fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0
        else { return nil }
        socket = descriptor
        self.received = received
        self.ended = ended
        source = try? loop.watch(socket, for: .reading) { [unowned self] in onReady($0) }
        if source == nil { return nil }
    }

    deinit {
        // Leaves the loop before its descriptor is closed.
        source = nil
    }

    private func onReady(_ readiness: Readiness) {
        let now = Clock.now()
        for count in 0..<Self.turnLimit {
            // The callback may release the socket.
            guard source != nil else { return }
            let size: Int?
            do {
                size = try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
                    unsafe try socket.read(into: bytes)
                }
            } catch {
                return end(at: now)
            }
            guard let size else {
                // A failed socket without data would wake the loop forever.
                if count == 0, !readiness.isDisjoint(with: [.failed, .hungUp]) { end(at: now) }
                return
            }
            if size == 0 { return end(at: now) }
            received(Array(buffer.prefix(size)), now)
        }
    }

    private func end(at now: Instant) {
        source = nil
        ended(now)
    }
}
