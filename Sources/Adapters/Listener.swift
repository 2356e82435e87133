import Domain
package import Linux

/// A listening socket in the loop, which hands over each client that connects.
package final class Listener {
    /// How long no client is taken when the process has no descriptors left: they wait in the kernel's queue.
    private static let rest = Duration.seconds(1)

    /// The most clients that are taken in one turn of the loop: a crowd must not keep the rest of it waiting.
    private static let turnLimit = 16

    private let socket: FileDescriptor
    private let accepted: (consuming FileDescriptor) -> Void
    private var source: DescriptorSource?
    private var retry: TimerSource?

    package init(
        _ socket: consuming FileDescriptor, loop: EventLoop, accepted: @escaping (consuming FileDescriptor) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.accepted = accepted
        retry = try loop.timer { [unowned self] in source?.watch(for: .reading) }
        source = try loop.watch(self.socket, for: .reading) { [unowned self] _ in accept() }
    }

    deinit {
        // Before the descriptor that it watches.
        source = nil
    }

    private func accept() {
        do throws(SystemError) {
            for _ in 0..<Self.turnLimit {
                guard let client = try UnixSocket.accept(from: socket) else { return }
                accepted(client)
            }
        } catch {
            source?.watch(for: [])
            retry?.arm(at: Clock.now() + Self.rest)
        }
    }
}
