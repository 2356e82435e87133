import Domain
import JSONCoding
import Linux
import Wire

/// A client of control.sock: its input and its pending responses.
final class ControlConnection {
    let peer: PeerCredentials
    let number: Int
    /// Responses; the bytes from `sent` on are pending.
    var output = JSONWriter(capacity: 0)
    /// Responses with a part that is still awaited.
    private var pending: [PendingResponse] = []
    private(set) var isOpen = true
    /// The wanted topics of which the client of publish.sock knows.
    private var knownDemand: Set<TopicName> = []
    /// Since when the client has read none of its pending bytes. Nil if none are pending.
    private(set) var stuckSince: Instant?

    let socket: FileDescriptor
    private var source: DescriptorSource?
    private var reader = LineSplitter(limit: JSONRPC.lineLimit)
    private var sent = 0
    private var inputHasEnded = false
    /// Whether the client no longer reads responses. Its requests are executed all the same.
    private var isGone = false

    init(_ socket: consuming FileDescriptor, peer: PeerCredentials, number: Int) {
        self.socket = socket
        self.peer = peer
        self.number = number
    }

    func watch(in loop: EventLoop, _ ready: @escaping (Readiness) -> Void) throws(SystemError) {
        source = try loop.watch(socket, for: .reading, ready)
    }

    /// Whether all requests are answered and all responses sent, or the client no longer reads them.
    var isDone: Bool {
        inputHasEnded && output.bytes.isEmpty && (pending.isEmpty || isGone)
    }

    /// Queues a response until its awaited parts have arrived.
    func append(_ answer: PendingResponse) {
        pending.append(answer)
    }

    /// Adds a result to the pending response that awaits it, if it is one of this client.
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

    /// The next line, if no response is pending in the output.
    func nextLine() -> LineSplitter.Line? {
        output.bytes.isEmpty ? reader.next(hasEnded: inputHasEnded) : nil
    }

    /// Adds a DEMAND line for each topic that is wanted or is no longer wanted, unless a response is pending: a client
    /// that reads late gets the newest only.
    func announce(_ demand: [TopicName: Int]) {
        guard output.bytes.isEmpty, knownDemand.count != demand.count || !knownDemand.allSatisfy({ demand[$0] != nil })
        else { return }
        for topic in knownDemand where demand[topic] == nil { output.demand(topic, subscribers: 0) }
        for (topic, count) in demand where !knownDemand.contains(topic) { output.demand(topic, subscribers: count) }
        knownDemand = Set(demand.keys)
    }

    /// Sends pending bytes until the socket is full.
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
        // Releases the memory of a long response.
        output = JSONWriter(capacity: 0)
        sent = 0
        stuckSince = nil
        rewatch()
    }

    /// Leaves the loop. The descriptor is closed with the last reference.
    func close() {
        isOpen = false
        source = nil
    }

    /// A hang-up is reported even if no readiness is requested.
    private func rewatch() {
        source?.watch(for: stuckSince != nil ? .writing : inputHasEnded ? [] : .reading)
    }
}
