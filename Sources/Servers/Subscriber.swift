import Domain
import Linux
import Wire

/// A client of state.sock: its socket, its input and its queue.
final class Subscriber {
    let socket: FileDescriptor
    let peer: PeerCredentials
    var queue: SubscriberQueue
    private(set) var isOpen = true

    /// Whether the socket's buffer is full. Until it accepts more, nothing is sent to or read from the client.
    var isBehind = false {
        didSet { if isBehind != oldValue { rewatch() } }
    }

    private var reader = LineSplitter(limit: SubscriptionRequest.lineLimit)
    /// Whether the client has shut down its sending side. It still receives lines.
    private var inputHasEnded = false
    private var source: DescriptorSource?

    init(_ socket: consuming FileDescriptor, peer: PeerCredentials, queue: SubscriberQueue) {
        self.socket = socket
        self.peer = peer
        self.queue = queue
    }

    func watch(in loop: EventLoop, _ ready: @escaping (Readiness) -> Void) throws(SystemError) {
        source = try loop.watch(socket, for: .reading, ready)
    }

    func receive() {
        if reader.read(from: socket) == .ended {
            inputHasEnded = true
            rewatch()
        }
    }

    func nextLine() -> LineSplitter.Line? {
        reader.next(hasEnded: inputHasEnded)
    }

    /// Leaves the loop. The descriptor is closed with the last reference.
    func close() {
        isOpen = false
        source = nil
    }

    /// A hang-up is reported even if no readiness is requested.
    private func rewatch() {
        source?.watch(for: isBehind ? .writing : inputHasEnded ? [] : .reading)
    }
}
