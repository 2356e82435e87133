import Domain
import Glibc
import Linux
import Sensors

/// A pending connection to a sensor. The kernel waits at most 40 s for an advertisement. Release cancels the attempt.
@safe
final class LEConnectionAttempt {
    enum Result: ~Copyable {
        case connected(FileDescriptor)
        case failed(DisconnectCause)
    }

    private var socket: FileDescriptor?
    private var source: DescriptorSource?

    /// - Parameter decided: receives the result, once.
    init(
        over socket: consuming FileDescriptor, loop: EventLoop, at begunAt: Instant,
        decided: @escaping (consuming Result, Instant) -> Void
    ) throws(SystemError) {
        source = try loop.watch(socket, for: .writing) { [unowned self] _ in
            source = nil
            guard let socket = self.socket.take() else { return }
            let now = Clock.now()
            if let error = TCPSocket.result(of: socket) {
                decided(.failed(DisconnectCause(connecting: error, after: now - begunAt)), now)
            } else {
                decided(.connected(socket), now)
            }
        }
        self.socket = consume socket
    }

    deinit {
        // Leaves the loop before its descriptor is closed.
        source = nil
    }
}

extension DisconnectCause {
    /// An earlier refusal does not mean that the sensor was not heard: Low Energy is off.
    private static let shortestAbsence = Duration.seconds(1)

    /// The cause of a connection attempt that failed after a duration.
    ///
    /// Source: Linux 6.1, net/bluetooth/l2cap_core.c, l2cap_sock.c and lib.c (`bt_to_errno`).
    init(connecting error: SystemError, after waited: Duration) {
        self =
            switch error.code {
            case EBUSY: .inUse
            case ENOMEM, EMLINK: .adapterFull
            case EACCES, EBADE: .pairingNeeded
            case ECONNREFUSED, EHOSTDOWN, ETIMEDOUT: waited >= Self.shortestAbsence ? .notFound : .unreachable
            default: .unreachable
            }
    }
}
