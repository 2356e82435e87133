import Linux
import Outputs

/// One client of state.sock: its socket, what it says and what waits for it.
final class Subscriber {
    let socket: FileDescriptor
    let peer: PeerCredentials
    var queue: SubscriberQueue
    private(set) var isOpen = true

    /// The kernel's buffer is full. Until it takes more nothing is sent, and nothing more of what the client says is read.
    var isBehind = false {
        didSet { if isBehind != oldValue { rewatch() } }
    }

    private var reader = LineReader(limit: SubscriptionRequest.lineLimit)
    /// The end of what a client says is not the end of what it hears.
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

    func nextLine() -> LineReader.Line? {
        reader.next(hasEnded: inputHasEnded)
    }

    /// Leaves the loop; the descriptor is closed with the last reference.
    func close() {
        isOpen = false
        source = nil
    }

    /// A hang-up is told even when nothing is waited for.
    private func rewatch() {
        source?.watch(for: isBehind ? .writing : inputHasEnded ? [] : .reading)
    }
}
