import Domain
import Glibc
package import Linux

/// A listening socket in the loop, which hands over each client that connects.
///
/// It keeps one descriptor in reserve: a client that comes when the process has no other left is accepted with that one, to be refused
/// with a reason and closed, so that it does not wait in the kernel's queue for an answer that never comes.
package final class Listener {
    /// How long no client is taken when none can be accepted at all: they wait in the kernel's queue.
    private static let retryDelay = Duration.seconds(1)

    /// The most clients that are taken in one turn of the loop: a crowd must not keep the rest of it waiting.
    private static let turnLimit = 16

    private let socket: FileDescriptor
    private var reserve: FileDescriptor?
    private let accepted: (consuming FileDescriptor) -> Void
    private let refused: (consuming FileDescriptor) -> Void
    private var source: DescriptorSource?
    private var retry: TimerSource?

    /// - Parameters:
    ///   - accepted: serves a client.
    ///   - refused: says to a client that there is no descriptor for it, and closes it.
    package init(
        _ socket: consuming FileDescriptor, loop: EventLoop, accepted: @escaping (consuming FileDescriptor) -> Void,
        refused: @escaping (consuming FileDescriptor) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.accepted = accepted
        self.refused = refused
        reserve = try FileDescriptor.open("/dev/null", O_RDONLY)
        retry = try loop.timer { [unowned self] in source?.watch(for: .reading) }
        source = try loop.watch(self.socket, for: .reading) { [unowned self] _ in accept() }
    }

    deinit {
        // Before the descriptor that it watches.
        source = nil
    }

    private func accept() {
        for _ in 0..<Self.turnLimit {
            do throws(SystemError) {
                guard let client = try UnixSocket.accept(from: socket) else { return }
                accepted(client)
            } catch {
                if [EMFILE, ENFILE].contains(error.code), refuseNext() { continue }
                source?.watch(for: [])
                retry?.arm(at: Clock.now() + Self.retryDelay)
                return
            }
        }
    }

    /// Refuses the next client on the reserved descriptor.
    ///
    /// - Returns: false where there is none, because another thread was faster.
    private func refuseNext() -> Bool {
        if reserve == nil { reserve = try? FileDescriptor.open("/dev/null", O_RDONLY) }
        guard reserve != nil else { return false }
        reserve = nil
        if let client = try? UnixSocket.accept(from: socket) { refused(client) }
        reserve = try? FileDescriptor.open("/dev/null", O_RDONLY)
        return reserve != nil
    }
}
