import Domain
import Glibc
package import Linux

/// A listening socket in the event loop. It passes each accepted client to its owner.
///
/// It keeps one descriptor in reserve. If the process has no other descriptor left, the next client is accepted on the
/// reserved one, refused with a reason and closed. Otherwise that client would wait in the kernel's queue forever.
package final class Listener {
    /// The wait before the next accept if none is possible. Until then clients wait in the kernel's queue.
    private static let retryDelay = Duration.seconds(1)

    /// The most clients accepted in one iteration of the loop, so that a burst does not stall the other sources.
    private static let turnLimit = 16

    private let socket: FileDescriptor
    private var reserve: FileDescriptor?
    private let accepted: (consuming FileDescriptor) -> Void
    private let rejected: (consuming FileDescriptor) -> Void
    private var source: DescriptorSource?
    private var retry: TimerSource?

    /// - Parameters:
    ///   - accepted: serves a client.
    ///   - refused: reports to a client that no descriptor is left, and closes it.
    package init(
        _ socket: consuming FileDescriptor, loop: EventLoop, accepted: @escaping (consuming FileDescriptor) -> Void,
        refused: @escaping (consuming FileDescriptor) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.accepted = accepted
        self.rejected = refused
        reserve = try FileDescriptor.open("/dev/null", O_RDONLY)
        retry = try loop.timer { [unowned self] in source?.watch(for: .reading) }
        source = try loop.watch(self.socket, for: .reading) { [unowned self] _ in accept() }
    }

    deinit {
        // Leaves the loop before the descriptor is closed.
        source = nil
    }

    private func accept() {
        for _ in 0..<Self.turnLimit {
            do throws(SystemError) {
                guard let client = try UnixSocket.accept(from: socket) else { return }
                accepted(client)
            } catch {
                if [EMFILE, ENFILE].contains(error.code), rejectNext() { continue }
                source?.watch(for: [])
                retry?.arm(at: Clock.now() + Self.retryDelay)
                return
            }
        }
    }

    /// Refuses the next client on the reserved descriptor.
    ///
    /// - Returns: False if the reserve could not be restored, because another thread took the descriptor.
    private func rejectNext() -> Bool {
        if reserve == nil { reserve = try? FileDescriptor.open("/dev/null", O_RDONLY) }
        guard reserve != nil else { return false }
        reserve = nil
        if let client = try? UnixSocket.accept(from: socket) { rejected(client) }
        reserve = try? FileDescriptor.open("/dev/null", O_RDONLY)
        return reserve != nil
    }
}
