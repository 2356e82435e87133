import Domain
import Glibc
import Linux
import Sensors

/// A connection to a strap that is waited for: the kernel listens until the strap advertises, 40 s at most. Released, it is given up.
@safe
final class LEConnectionAttempt {
    enum Outcome: ~Copyable {
        case connected(FileDescriptor)
        case failed(StrapLink.DisconnectCause)
    }

    private var socket: FileDescriptor?
    private var source: DescriptorSource?

    /// - Parameter decided: called once.
    init(
        over socket: consuming FileDescriptor, loop: EventLoop, at begunAt: Instant,
        decided: @escaping (consuming Outcome, Instant) -> Void
    ) throws(SystemError) {
        source = try loop.watch(socket, for: .writing) { [unowned self] _ in
            source = nil
            guard let socket = self.socket.take() else { return }
            let now = Clock.now()
            if let error = TCPSocket.result(of: socket) {
                decided(.failed(StrapLink.DisconnectCause(connecting: error, after: now - begunAt)), now)
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

extension StrapLink.DisconnectCause {
    /// A refusal that comes sooner is not that of a strap that was not heard: Low Energy is off.
    private static let shortestAbsence = Duration.seconds(1)

    /// What it means that a connection could not be made, so long after it was begun.
    ///
    /// Source: Linux 6.1, net/bluetooth/l2cap_core.c, l2cap_sock.c and lib.c (`bt_to_errno`).
    init(connecting error: SystemError, after waited: Duration) {
        self =
            switch error.code {
            case EBUSY: .inUse
            case EACCES, EBADE: .pairingNeeded
            case ECONNREFUSED, EHOSTDOWN, ETIMEDOUT: waited >= Self.shortestAbsence ? .notFound : .unreachable
            default: .unreachable
            }
    }
}
