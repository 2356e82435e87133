import Domain
import JSONCoding
package import Linux
package import Wire

/// The server of control.sock, and another one of publish.sock. It receives requests, passes them to the daemon and sends the responses.
///
/// A client's next line is not read until the response to the previous one is sent, so two lines bound the
/// memory of a client. A request with a deferred result does not block: its response is sent out of order.
/// A client that shuts down its sending side is closed after its last response.
package final class ControlServer {
    /// The daemon's reply to a request.
    package enum Reply {
        case now(Result<ControlResult, RPCError>)
        /// The result follows in a call of ``ControlServer/complete(_:_:)`` with this token, unique until then.
        case later(PendingResponse.Token)
    }

    /// What a socket serves: the methods of a table, and what executes their requests.
    package struct Service {
        fileprivate let call: (_ method: String, JSON?, PeerCredentials, Int) throws(RPCError) -> Reply

        /// - Parameters:
        ///   - invalid: called for a request that the table rejects.
        ///   - answer: executes a request of a client, or rejects it. The number is that of the client's connection, never
        ///     reused. Called in the loop.
        package init<Request>(
            _ table: RPCTable<Request>, invalid: @escaping (RPCError) -> Void = { _ in },
            answer: @escaping (RPCCall<Request>, PeerCredentials, Int) -> Reply
        ) {
            call = { method, parameters, peer, connection throws(RPCError) in
                if method == RPCTable<Request>.discover {
                    return .now(.success(.encoded(try table.discovered(parameters))))
                }
                do throws(RPCError) {
                    return answer(try table.call(method, parameters), peer, connection)
                } catch {
                    invalid(error)
                    throw error
                }
            }
        }
    }

    /// A client that reads nothing of its responses for this long is closed.
    package static let stallLimit = Duration.seconds(30)

    package static let limits = ClientLimits(total: 32, perUser: 16)

    /// The limits of publish.sock.
    package static let publisherLimits = ClientLimits(total: 16, perUser: 8)

    /// Limits for new clients. Connected clients are never closed by a change.
    package var limits: ClientLimits

    /// How many clients of state.sock watch each topic. Each client of publish.sock gets the changes as DEMAND lines.
    package var demand: [TopicName: Int] = [:] {
        didSet { resumeTimer?.arm(at: Clock.now()) }
    }

    private let loop: EventLoop
    private let service: Service
    private let spareDescriptors: Int32
    /// Called when a connection has ended.
    package var closed: (_ connection: Int) -> Void = { _ in }
    private var nextNumber = 0
    private var listener: Listener?
    private var stallTimer: StallTimer?
    /// Serves all clients in a callback that follows ``complete(_:_:)``.
    private var resumeTimer: TimerSource?
    private var callers: [ControlConnection] = []

    /// - Parameters:
    ///   - socket: a listening socket.
    ///   - spareDescriptors: how many file descriptors its clients leave to others.
    package init(
        socket: consuming FileDescriptor, _ service: Service, loop: EventLoop,
        limits: ClientLimits = ControlServer.limits, spareDescriptors: Int32 = ClientLimits.spareDescriptors,
        stallLimit: Duration = ControlServer.stallLimit
    ) throws(SystemError) {
        self.loop = loop
        self.service = service
        self.limits = limits
        self.spareDescriptors = spareDescriptors
        stallTimer = try StallTimer(limit: stallLimit, loop: loop) { [unowned self] in closeStuck(since: $0) }
        resumeTimer = try loop.timer { [unowned self] in serveAll() }
        listener = try Listener(
            socket, loop: loop, accepted: { [unowned self] in accept($0) },
            refused: { Self.reject($0, ClientLimits.noDescriptor) })
    }

    /// Closes all clients, after sending what the kernel still accepts of their responses.
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
        // The client has already disconnected.
        guard let peer = try? UnixSocket.peer(of: socket) else { return }
        let others = callers.map { (user: $0.peer.user, number: $0.socket.number) }
        if let reason = limits.rejection(of: socket, from: peer.user, among: others, keeping: spareDescriptors) {
            return Self.reject(socket, reason)
        }
        let caller = ControlConnection(socket, peer: peer, number: nextNumber)
        nextNumber += 1
        do throws(SystemError) {
            try caller.watch(in: loop) { [unowned self, unowned caller] in ready(caller, $0) }
        } catch {
            // Memory is exhausted. The client sees the end of its stream.
            return
        }
        callers.append(caller)
        if !demand.isEmpty { serve(caller, at: Clock.now()) }
    }

    /// Sends an error without a request, and closes.
    private static func reject(_ socket: consuming FileDescriptor, _ reason: String) {
        var line = JSONWriter(capacity: 256)
        JSONRPC.writeError(.busy(reason), into: &line)
        _ = socket.send(line.bytes[...])
    }

    /// Completes a request with a deferred result. It executes no other request.
    package func complete(_ token: PendingResponse.Token, _ result: Result<ControlResult, RPCError>) {
        let now = Clock.now()
        for caller in callers {
            caller.complete(token, result)
            caller.flush(at: now)
        }
        // A line may have waited until the responses before it were sent, and a client may have no request left.
        resumeTimer?.arm(at: now)
    }

    private func serveAll() {
        let now = Clock.now()
        for caller in callers { serve(caller, at: now) }
        removeClosed()
    }

    private func ready(_ caller: ControlConnection, _ readiness: Readiness) {
        let now = Clock.now()
        caller.ready(readiness, at: now)
        serve(caller, at: now)
        removeClosed()
    }

    private func removeClosed() {
        let ended = callers.filter { !$0.isOpen }
        if ended.isEmpty { return }
        callers.removeAll { !$0.isOpen }
        for caller in ended { closed(caller.number) }
    }

    /// Handles the lines that can be answered now.
    private func serve(_ caller: ControlConnection, at now: Instant) {
        caller.announce(demand)
        caller.flush(at: now)
        while let line = caller.nextLine() {
            dispatch(line, of: caller)
            caller.flush(at: now)
        }
        if caller.isDone { caller.close() }
        if caller.stuckSince != nil { stallTimer?.watch(since: now) }
    }

    private func dispatch(_ line: LineSplitter.Line, of caller: ControlConnection) {
        guard case .line(let bytes) = line else {
            let limit = JSONRPC.lineLimit
            return JSONRPC.writeError(.invalidRequest("a line is at most \(limit) bytes"), into: &caller.output)
        }
        let (peer, number) = (caller.peer, caller.number)
        let pending = JSONRPC.respond(bytes, into: &caller.output) {
            method, parameters, result throws(RPCError) in
            switch try service.call(method, parameters, peer, number) {
            case .now(let outcome):
                result.result(try outcome.get())
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
        removeClosed()
        return callers.compactMap(\.stuckSince).min()
    }
}
