import Domain
import Linux
import Outputs

/// One client of control.sock: what it says and what it has yet to be told.
final class ControlConnection {
    let peer: PeerCredentials
    /// Answers; what stands here is sent from `sent` on.
    var output = JSONWriter(capacity: 0)
    /// Answers a part of which is to come.
    private var pending: [PendingResponse] = []
    private(set) var isOpen = true
    /// Since when nothing was taken of what waits; nil while nothing waits.
    private(set) var stuckSince: Instant?

    let socket: FileDescriptor
    private var source: DescriptorSource?
    private var reader = LineReader(limit: JSONRPC.lineLimit)
    private var sent = 0
    private var inputHasEnded = false
    /// Nobody takes answers any more. What was asked is carried out all the same.
    private var isGone = false

    init(_ socket: consuming FileDescriptor, peer: PeerCredentials) {
        self.socket = socket
        self.peer = peer
    }

    func watch(in loop: EventLoop, _ ready: @escaping (Readiness) -> Void) throws(SystemError) {
        source = try loop.watch(socket, for: .reading, ready)
    }

    /// Everything that was asked is answered, and the answers are taken, or nobody takes them any more.
    var isDone: Bool {
        inputHasEnded && output.bytes.isEmpty && (pending.isEmpty || isGone)
    }

    /// Has an answer wait for the part of it that is to come.
    func append(_ answer: PendingResponse) {
        pending.append(answer)
    }

    /// Takes what came of a part of an answer, if that is one of this caller's.
    func complete(_ token: PendingResponse.Token, _ result: Result<ControlResult, RPCError>) {
        for index in pending.indices where pending[index].complete(token, result) {
            if pending[index].isWhole { pending.remove(at: index).write(into: &output) }
            return
        }
    }

    func ready(_ readiness: Readiness, at now: Instant) {
        let hasHungUp = readiness.contains(.hungUp) || readiness.contains(.failed)
        if hasHungUp { isGone = true }
        if readiness.contains(.writing) || hasHungUp { flush(at: now) }
        guard readiness.contains(.reading) || hasHungUp else { return }
        switch reader.read(from: socket) {
        case .received: break
        case .nothing: if hasHungUp { inputHasEnded = true }
        case .ended: inputHasEnded = true
        }
        rewatch()
    }

    /// The next line that can be answered now.
    func nextLine() -> LineReader.Line? {
        output.bytes.isEmpty ? reader.next(hasEnded: inputHasEnded) : nil
    }

    /// Sends what waits, as far as it is taken.
    func flush(at now: Instant) {
        while sent < output.bytes.count, !isGone {
            switch socket.send(output.bytes[sent...]) {
            case .sent(let count):
                sent += count
                stuckSince = nil
            case .full:
                if stuckSince == nil { stuckSince = now }
                return rewatch()
            case .gone: isGone = true
            }
        }
        // A long answer's room is given back.
        output = JSONWriter(capacity: 0)
        sent = 0
        stuckSince = nil
        rewatch()
    }

    /// Leaves the loop; the descriptor is closed with the last reference.
    func close() {
        isOpen = false
        source = nil
    }

    /// A hang-up is told even when nothing is waited for.
    private func rewatch() {
        source?.watch(for: stuckSince != nil ? .writing : inputHasEnded ? [] : .reading)
    }
}
