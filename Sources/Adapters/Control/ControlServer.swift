import Domain
package import Linux
import Outputs

/// control.sock: takes requests from a few clients, asks the daemon, and answers.
///
/// A client's next line waits until the answer to the one before has been taken, so what it makes us keep is bounded by
/// two lines. A request whose result comes later holds up nothing: its answer comes out of order. The end of what it
/// says is not a hang-up: it is closed when the last answer has been taken.
package final class ControlServer {
    /// What the daemon says to a request.
    package enum Reply {
        case now(Result<ControlResult, RPCError>)
        /// The result will be told by ``ControlServer/settle(_:_:)`` with this token, which nothing else goes by until
        /// then.
        case later(PendingResponse.Token)
    }

    /// Carries out a request of somebody, or says why not.
    package typealias Answer = (ControlRequest, PeerCredentials) -> Reply

    /// A client that has taken nothing of its answers for so long is closed.
    package static let stallLimit = Duration.seconds(30)

    package static let limits = ClientLimits(total: 32, perUser: 16)

    /// For those who come; nobody who is there is sent away.
    package var limits: ClientLimits

    private let loop: EventLoop
    private let answer: Answer
    private var listener: Listener?
    private var stallTimer: StallTimer?
    private var callers: [ControlConnection] = []

    /// - Parameters:
    ///   - socket: a listening socket.
    ///   - answer: what carries out requests; called in the loop.
    package init(
        socket: consuming FileDescriptor, loop: EventLoop, limits: ClientLimits = ControlServer.limits,
        stallLimit: Duration = ControlServer.stallLimit, answer: @escaping Answer
    ) throws(SystemError) {
        self.loop = loop
        self.limits = limits
        self.answer = answer
        stallTimer = try StallTimer(limit: stallLimit, loop: loop) { [unowned self] in closeStuck(since: $0) }
        listener = try Listener(
            socket, loop: loop, accepted: { [unowned self] in accept($0) },
            refused: { Self.refuse($0, ClientLimits.noDescriptor) })
    }

    /// Hangs up on all, after what the kernel still takes of their answers.
    package func close() {
        listener = nil
        for caller in callers {
            caller.flush(at: Clock.now())
            caller.close()
        }
        callers = []
    }

    package var clientCount: Int {
        callers.count
    }

    private func accept(_ socket: consuming FileDescriptor) {
        // One that has gone again is nobody.
        guard let peer = try? UnixSocket.peer(of: socket) else { return }
        let others = callers.map { (user: $0.peer.user, number: $0.socket.number) }
        if let refusal = limits.refusal(of: socket, from: peer.user, among: others) {
            return Self.refuse(socket, refusal)
        }
        let caller = ControlConnection(socket, peer: peer)
        do throws(SystemError) {
            try caller.watch(in: loop) { [unowned self, unowned caller] in ready(caller, $0) }
            callers.append(caller)
        } catch {
            // There is no memory for it: it is told by the end of its stream.
        }
    }

    /// Answers what a client has not asked yet with an error, and closes it.
    private static func refuse(_ socket: consuming FileDescriptor, _ refusal: String) {
        var line = JSONWriter(capacity: 256)
        JSONRPC.refuse(.busy(refusal), into: &line)
        _ = socket.send(line.bytes[...])
    }

    /// Tells the result of a request that was to be answered later, to whom it may concern.
    package func complete(_ token: PendingResponse.Token, _ result: Result<ControlResult, RPCError>) {
        let now = Clock.now()
        for caller in callers {
            caller.complete(token, result)
            caller.flush(at: now)
            serve(caller, at: now)
        }
        callers.removeAll { !$0.isOpen }
    }

    private func ready(_ caller: ControlConnection, _ readiness: Readiness) {
        let now = Clock.now()
        caller.ready(readiness, at: now)
        serve(caller, at: now)
        callers.removeAll { !$0.isOpen }
    }

    /// Answers what can be answered now.
    private func serve(_ caller: ControlConnection, at now: Instant) {
        while let line = caller.nextLine() {
            dispatch(line, of: caller)
            caller.flush(at: now)
        }
        if caller.isDone { caller.close() }
        if caller.stuckSince != nil { stallTimer?.watch(since: now) }
    }

    private func dispatch(_ line: LineReader.Line, of caller: ControlConnection) {
        guard case .line(let bytes) = line else {
            let limit = JSONRPC.lineLimit
            return JSONRPC.refuse(.invalidRequest("a line is at most \(limit) bytes"), into: &caller.output)
        }
        let peer = caller.peer
        let pending = JSONRPC.respond(bytes, into: &caller.output) {
            method, parameters, result throws(RPCError) in
            if method == "rpc.discover" {
                try ControlRequest.checkNoParameters(parameters)
                result.value(written: OpenRPC.document.utf8)
                return .written
            }
            switch answer(try ControlRequest(method: method, parameters: parameters), peer) {
            case .now(let answered):
                result.result(try answered.get())
                return .written
            case .later(let token): return .later(token)
            }
        }
        if let pending { caller.append(pending) }
    }

    private func closeStuck(since limit: Instant) -> Instant? {
        for caller in callers {
            if let since = caller.stuckSince, since <= limit { caller.close() }
        }
        callers.removeAll { !$0.isOpen }
        return callers.compactMap(\.stuckSince).min()
    }
}
