import CMicroHTTPD
import Domain
import Glibc
package import Linux

/// A server of HTTP/1.1, and with a certificate of HTTPS, on the event loop: libmicrohttpd without threads.
///
/// A connection that does not complete the head of a request in time, or its body, or that takes no byte of a response,
/// is closed. When there are too many, one makes room for a new one: of those who have the most, the one that has made no
/// progress for longest.
@safe
package final class HTTPServer {
    /// A certificate with its chain, and its key, in PEM format.
    package struct Certificate: Sendable {
        package var chain: String
        package var key: String

        package init(chain: String, key: String) {
            self.chain = chain
            self.key = key
        }
    }

    /// Decides about a request when its head has been received. The number is that of the client whom the owner knows; nil for
    /// a stranger.
    package typealias Decide = (HTTPRequest) -> (verdict: HTTPVerdict, client: Int?)

    /// The rules of a server.
    package struct Limits: Sendable {
        package var connections = 64
        /// From the connection to the end of the first head.
        package var head = Duration.seconds(10)
        /// From a response to the end of the next head.
        package var idle = Duration.seconds(60)
        /// From the head to the end of a body.
        package var body = Duration.seconds(600)
        /// Without any progress.
        package var stall = Duration.seconds(30)

        package init() {}
    }

    /// Connections beyond ``Limits/connections``, until those that made room are closed.
    private static let slack = 32
    /// Bytes of a response in the kernel. A slow reader of a stream gets new lines, not old ones.
    private static let sendBuffer: Int32 = 64 * 1024
    private static let connectionMemory = 16 * 1024
    /// The pauses before libmicrohttpd runs again although no socket has become ready: the first one, between the parts of a
    /// body, and the longest one, if runs do nothing. A TLS handshake that the client does not finish is ready for ever in its
    /// list: 0.9.75 then asks to run again at once, and a timer that is always due keeps all descriptors of the loop waiting.
    private static let pauses = Duration.microseconds(250)...Duration.milliseconds(16)

    private let loop: EventLoop
    private let limits: Limits
    private let handler: Decide
    private let isEncrypted: Bool
    private let headers: [(name: String, value: String)]
    private var daemon: OpaquePointer?
    private var source: DescriptorSource?
    private var timer: TimerSource?
    /// The pause before the next run, if libmicrohttpd wants to run at once.
    private var pause = pauses.lowerBound
    private var sweepTimer: TimerSource?
    private var connections: [Int32: Connection] = [:]

    /// What a connection does, and since when.
    private struct Connection {
        enum Phase {
            /// The head of the first request is awaited, or of another one.
            case opened, idle
            /// The body of a request is awaited.
            case receiving
            /// A response from memory or a file is sent.
            case replying
            /// The owner prepares the response, the response is a pipe, or the connection is being closed.
            case kept
        }

        private(set) var phase = Phase.opened
        private(set) var since: Instant
        /// When the last bytes of a body came, or the peer has acknowledged some of a response, or the phase began.
        var progress: Instant
        /// Bytes that the peer had acknowledged when they were last counted.
        private var acknowledged: UInt64 = 0
        /// The client of the last request.
        var client: Int?
        let isLoopback: Bool

        init(isLoopback: Bool, at now: Instant) {
            since = now
            progress = now
            self.isLoopback = isLoopback
        }

        mutating func enter(_ phase: Phase, at now: Instant) {
            self.phase = phase
            since = now
            progress = now
        }

        /// Counts the bytes that the peer has acknowledged.
        mutating func count(_ acknowledged: UInt64, at now: Instant) {
            if acknowledged > self.acknowledged { progress = now }
            self.acknowledged = acknowledged
        }
    }

    /// - Parameters:
    ///   - headers: those that all responses have.
    package init(
        loop: EventLoop, certificate: Certificate? = nil, limits: Limits = Limits(),
        headers: [(name: String, value: String)] = [],
        handler: @escaping Decide
    ) throws(SystemError) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        self.headers = headers
        isEncrypted = certificate != nil
        timer = try loop.timer { [unowned self] in
            pause = min(pause * 2, Self.pauses.upperBound)
            run()
        }
        sweepTimer = try loop.timer { [unowned self] in sweep() }
        var options = unsafe cmicrohttpd_options()
        unsafe options.connection_limit = UInt32(limits.connections + Self.slack)
        unsafe options.connection_memory = Self.connectionMemory
        unsafe options.timeout_s = UInt32(limits.stall.wholeMilliseconds / 1000)
        unsafe options.context = Unmanaged.passUnretained(self).toOpaque()
        unsafe options.handler = { context, connection, url, method, version, data, size, exchange in
            unsafe HTTPServer.from(context!).handle(connection!, url!, method!, version!, data, size!, exchange!)
        }
        unsafe options.completed = { context, connection, exchange, _ in
            unsafe HTTPServer.from(context!).complete(connection!, exchange!)
        }
        unsafe options.connection = { context, connection, _, code in
            if code == .CONNECTION_NOTIFY_CLOSED { unsafe HTTPServer.from(context!).closed(connection!) }
        }
        let daemon =
            unsafe certificate.map { certificate in
                unsafe certificate.chain.withCString { chain in
                    unsafe certificate.key.withCString { key in
                        unsafe options.certificate = chain
                        unsafe options.key = key
                        return unsafe cmicrohttpd_start(&options)
                    }
                }
            } ?? cmicrohttpd_start(&options)
        guard let daemon = unsafe daemon else { throw SystemError("MHD_start_daemon", code: EINVAL) }
        unsafe self.daemon = daemon
        source = try loop.watch(number: unsafe cmicrohttpd_epoll(daemon), for: .reading) { [unowned self] _ in
            pause = Self.pauses.lowerBound
            run()
        }
    }

    deinit {
        source = nil
        // A daemon with suspended connections cannot be stopped; the process ends.
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTPServer {
        unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    }

    /// The number of open connections.
    package var connectionCount: Int {
        connections.count
    }

    /// Serves a client that was accepted.
    package func add(_ socket: consuming FileDescriptor) {
        if connections.count >= limits.connections { makeRoom() }
        guard connections.count < limits.connections + Self.slack else { return }
        var size = Self.sendBuffer
        unsafe setsockopt(
            socket.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let isLoopback = TCPSocket.isFromThisMachine(socket)
        let number = socket.release()
        connections[number] = Connection(isLoopback: isLoopback, at: Clock.now())
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getpeername(number, address, &length)
                return unsafe MHD_add_connection(daemon, number, address, length)
            }
        }
        // libmicrohttpd has closed it.
        if result == .NO { connections[number] = nil }
        run()
        armSweep()
    }

    /// Closes the connection that has made no progress for longest, of those who have the most: of one client, or of all strangers
    /// together. A stranger can have none that is kept.
    private func makeRoom() {
        let open = connections.filter { $0.value.phase != .kept }
        func share(_ client: Int?) -> Int { open.values.count { $0.client == client } }
        let first = open.min { one, other in
            let (ones, others) = (share(one.value.client), share(other.value.client))
            return ones != others ? ones > others : one.value.progress < other.value.progress
        }
        if let first { end(first.key) }
    }

    /// Closes the connections of clients, whatever they do.
    package func end(clients: [Int]) {
        for (number, connection) in connections where connection.client.map(clients.contains) == true { end(number) }
    }

    /// libmicrohttpd sees the end of the connection, and closes it.
    private func end(_ number: Int32) {
        shutdown(number, Int32(SHUT_RDWR))
        connections[number]?.enter(.kept, at: Clock.now())
    }

    private func run() {
        unsafe MHD_run(daemon)
        var milliseconds: UInt64 = 0
        let isTimed = unsafe MHD_get_timeout(daemon, &milliseconds) == .YES
        timer?.arm(at: isTimed ? Clock.now() + max(.milliseconds(Int64(clamping: milliseconds)), pause) : nil)
    }

    // MARK: Deadlines

    private func armSweep() {
        sweepTimer?.arm(at: connections.isEmpty ? nil : Clock.now() + .seconds(1))
    }

    private func sweep() {
        let now = Clock.now()
        for (number, connection) in connections {
            if connection.phase == .replying {
                connections[number]?.count(TCPSocket.acknowledgedBytes(of: number), at: now)
            }
            let limit: Duration? =
                switch connection.phase {
                case .opened: limits.head
                case .idle: limits.idle
                case .receiving: limits.body
                case .replying, .kept: nil
                }
            if let limit, now - connection.since > limit { end(number) }
        }
        armSweep()
    }

    private func enter(_ phase: Connection.Phase, _ connection: OpaquePointer) {
        connections[unsafe cmicrohttpd_socket(connection)]?.enter(phase, at: Clock.now())
    }

    private func closed(_ connection: OpaquePointer) {
        connections[unsafe cmicrohttpd_socket(connection)] = nil
    }

    // MARK: Requests

    private func handle(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>, _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>,
        _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = unsafe context.pointee else {
            return unsafe begin(connection, url, method, version, context)
        }
        pause = Self.pauses.lowerBound
        let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
        if unsafe size.pointee > 0 {
            connections[unsafe cmicrohttpd_socket(connection)]?.progress = Clock.now()
            unsafe exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            unsafe size.pointee = 0
            return .YES
        }
        unsafe enter(.kept, connection)
        exchange.complete()
        if let response = exchange.reply.take() { return unsafe queue(response, on: connection) }
        // Its client has gone.
        if exchange.reply.isOver { return .NO }
        exchange.suspension = unsafe Suspension(
            connection, loop: loop, resumed: { [unowned self] in timer?.arm(at: Clock.now()) },
            gone: { [unowned exchange] in exchange.reply.end() })
        exchange.reply.ready = { [unowned exchange] in exchange.suspension?.end() }
        return .YES
    }

    private func begin(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        unsafe enter(.receiving, connection)
        // Of what follows nobody knows whether it is a body or another request.
        guard unsafe cmicrohttpd_has_one_reading(connection, version) == 1 else {
            return unsafe queue(
                .error(
                    400, "bad-request", "the head of the request is ambiguous", headers: [("Connection", "close")]),
                on: connection)
        }
        let number = unsafe cmicrohttpd_socket(connection)
        let request = unsafe HTTPRequest(
            connection, url, method, isLoopback: connections[number]?.isLoopback ?? false, isEncrypted: isEncrypted)
        // The handler may end the connections of the client; this one is to have its response.
        connections[number]?.client = nil
        let (verdict, client) = handler(request)
        connections[number]?.client = client
        // A response before the body ends the connection, which need not be received then.
        if case .respond(let response) = verdict, request.hasBody {
            return unsafe queue(response, on: connection)
        }
        unsafe context.pointee = Unmanaged.passRetained(HTTPExchange(verdict)).toOpaque()
        return .YES
    }

    private func complete(
        _ connection: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        unsafe enter(.idle, connection)
        guard let pointer = unsafe context.pointee else { return }
        unsafe Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue().reply.end()
        unsafe context.pointee = nil
    }

    // MARK: Responses

    private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        let made: OpaquePointer?
        unsafe enter(.replying, connection)
        switch response.body {
        case .bytes(var bytes):
            unsafe made = unsafe bytes.withUnsafeMutableBytes {
                unsafe MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .file(let descriptor, let size):
            unsafe made = unsafe MHD_create_response_from_fd64(UInt64(size), descriptor)
            if unsafe made == nil { close(descriptor) }
        case .pipe(let descriptor):
            unsafe enter(.kept, connection)
            let pipe = unsafe HTTPPipe(
                FileDescriptor(owning: descriptor), connection, loop: loop,
                resumed: { [unowned self] in timer?.arm(at: Clock.now()) })
            unsafe made = unsafe pipe.response()
        }
        guard let made = unsafe made else { return .NO }
        defer { unsafe MHD_destroy_response(made) }
        for (name, value) in response.headers + headers { unsafe MHD_add_response_header(made, name, value) }
        return unsafe MHD_queue_response(connection, UInt32(response.status), made)
    }
}

extension HTTPRequest {
    fileprivate init(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>, isLoopback: Bool,
        isEncrypted: Bool
    ) {
        unsafe self.init(
            method: String(cString: method), path: String(cString: url), query: [:], headers: [:],
            isLoopback: isLoopback, isEncrypted: isEncrypted)
        for name in Self.headerNames {
            if let value = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, name) {
                headers[name] = unsafe String(cString: value)
            }
        }
        // The length of a head bounds the number of arguments.
        unsafe withUnsafeMutablePointer(to: &query) { query in
            _ = unsafe MHD_get_connection_values(
                connection, .GET_ARGUMENT_KIND,
                { context, _, name, value in
                    let query = unsafe context!.assumingMemoryBound(to: [String: String].self)
                    unsafe query.pointee[String(cString: name!)] = unsafe value.map { unsafe String(cString: $0) } ?? ""
                    return .YES
                }, query)
        }
    }
}
