import CMosquitto
import Domain
import Glibc
package import Linux

/// One connection to an MQTT 5 broker, from the attempt to its end. Names, TCP and the first part of TLS block in a thread of
/// their own, so that the loop never does.
///
/// A connection is used once: libmosquitto keeps unacknowledged messages for the next one, and the journal keeps them better.
///
/// Source: libmosquitto(3); docs/decisions/link.md.
@safe
package final class MQTTConnection {
    package struct Options: Equatable, Sendable {
        package var host: String
        package var port: Int
        package var client: String
        package var user: String?
        package var password: String?
        /// A file of certificates of authorities, or a directory with their hashes; nil for a connection without TLS.
        package var authorities: String?
        package var certificate: String?
        package var key: String?
        /// The topic that becomes `offline`, retained, if the connection breaks.
        package var will: String

        package init(host: String, port: Int, client: String, will: String) {
            self.host = host
            self.port = port
            self.client = client
            self.will = will
        }
    }

    package struct Message {
        package var topic: String
        package var payload: [UInt8]
        package var qos: Int
        package var isRetained: Bool
        package var contentType: String?
        /// Whether the payload is packed. MQTT has no encoding of contents, so it is a user property.
        package var isGzip: Bool

        package init(
            _ topic: String, _ payload: [UInt8], qos: Int, isRetained: Bool = false, contentType: String? = nil,
            isGzip: Bool = false
        ) {
            self.topic = topic
            self.payload = payload
            self.qos = qos
            self.isRetained = isRetained
            self.contentType = contentType
            self.isGzip = isGzip
        }
    }

    package enum Event {
        /// The broker has accepted the connection.
        case connected
        /// The end of the connection; nothing follows.
        case ended(MQTTFailure)
        /// The broker has acknowledged a message of QoS 1.
        case acknowledged(message: Int32, reason: Int32)
        case received(topic: String, payload: [UInt8], isRetained: Bool)
    }

    /// Seconds between two signs of life.
    private static let keepalive: Int32 = 60
    /// From the first byte to the broker's acceptance.
    private static let acceptanceLimit = Duration.seconds(20)
    /// The most bytes of a received message, also of a broker that ignores the limit of packets.
    private static let payloadLimit = Int(CMOSQUITTO_PACKET_LIMIT)

    private let client: Client
    private let hasCertificate: Bool
    private let loop: EventLoop
    private let happened: (Event) -> Void
    private var thread: WorkerThread?
    private var wakeUp: DescriptorSource?
    private var source: DescriptorSource?
    private var timer: TimerSource?
    private var acceptedBy: Instant?
    /// Why the broker ends the connection, until the library reports its end.
    private var reason: MQTTFailure?
    private var hasEnded = false
    /// CLOCK_BOOTTIME less CLOCK_MONOTONIC at the start: the time that the machine has slept.
    private var slept: Duration
    private var isWritable = false
    package private(set) var isAccepted = false

    /// Starts to connect.
    ///
    /// - Throws: ``MQTTFailure`` for options that libmosquitto rejects, such as a certificate that cannot be read.
    package init(
        _ options: Options, loop: EventLoop, happened: @escaping (Event) -> Void
    ) throws(MQTTFailure) {
        hasCertificate = options.certificate != nil
        self.loop = loop
        self.happened = happened
        slept = Self.sleepingTime()
        client = try Client(options)
        do throws(SystemError) {
            timer = try loop.timer { [unowned self] in onTimer() }
            wakeUp = try loop.watch(client.connected.descriptor, for: .reading) { [unowned self] _ in take() }
            thread = try WorkerThread("paced-mqtt") { [client] in client.connect(options.host, Int32(options.port)) }
        } catch {
            throw MQTTFailure("cannot start to connect: \(error)", .retried)
        }
        unsafe client.own(Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        source = nil
        wakeUp = nil
        client.forget()
    }

    private static func sleepingTime() -> Duration {
        .microseconds(Clock.now().nanoseconds / 1000 - Clock.monotonicMicroseconds())
    }

    /// Takes the connection over from the thread.
    private func take() {
        guard client.connected.drain() else { return }
        wakeUp = nil
        thread?.join()
        thread = nil
        let (error, system) = client.result.withLock { $0 }
        guard error == 0 else { return fail(error, system) }
        let number = client.socket
        guard number >= 0 else { return fail(7, 0) }
        acceptedBy = Clock.now() + Self.acceptanceLimit
        do throws(SystemError) {
            source = try loop.watch(number: number, for: [.reading, .writing]) { [unowned self] in onReady($0) }
            isWritable = true
        } catch {
            return end(MQTTFailure("\(error)", .retried))
        }
        timer?.arm(at: Clock.now() + .seconds(1))
    }

    private func onReady(_ ready: Readiness) {
        // A packet a call, and OpenSSL may have read more of them than the socket shows.
        if !ready.intersection([.reading, .failed, .hungUp]).isEmpty { step { client.read() } }
        if !hasEnded, ready.contains(.writing), client.wantsWrite { step { client.write() } }
        if !hasEnded { flush() }
    }

    private func step(_ call: () -> (error: Int32, system: Int32)) {
        let (error, system) = call()
        if error != 0, !hasEnded { fail(error, system) }
    }

    /// Waits for room if the library has something to send.
    private func flush() {
        let wants = client.wantsWrite
        guard wants != isWritable else { return }
        isWritable = wants
        source?.watch(for: wants ? [.reading, .writing] : .reading)
    }

    private func onTimer() {
        let now = Clock.now()
        if !isAccepted, let acceptedBy, now >= acceptedBy { return end(.silent) }
        // The library's clock stands still while the machine sleeps.
        if (Self.sleepingTime() - slept) > .seconds(Int(Self.keepalive) * 3 / 2) {
            return end(MQTTFailure("the machine slept", .retried))
        }
        let error = client.misc()
        if error != 0, !hasEnded { return fail(error, 0) }
        if hasEnded { return }
        flush()
        timer?.arm(at: now + .seconds(1))
    }

    private func fail(_ error: Int32, _ system: Int32) {
        end(
            reason
                ?? .library(
                    error, system: system, log: client.lastError, isAccepted: isAccepted,
                    lacksCertificate: !hasCertificate && client.wantsCertificate))
    }

    private func end(_ failure: MQTTFailure) {
        guard !hasEnded else { return }
        hasEnded = true
        source = nil
        wakeUp = nil
        timer?.arm(at: nil)
        happened(.ended(failure))
    }

    // MARK: What the owner does

    /// The network interface of the connection; nil if it is not known.
    package var interface: String? {
        let number = client.socket
        return number < 0 ? nil : NetworkInterfaces.name(ofSocket: number)
    }

    /// Why a message is not sent, and will not be.
    package enum Refusal: Error, Equatable {
        /// It has more bytes than the broker takes.
        case tooLarge
        case other
    }

    /// Sends a message.
    ///
    /// - Returns: its number, for ``Event/acknowledged(message:reason:)``.
    @discardableResult
    package func publish(_ message: Message) throws(Refusal) -> Int32 {
        // Before the acceptance the library would keep the message, and send it at a time of its own.
        guard isAccepted, !hasEnded else { throw .other }
        let (number, error) = client.publish(message)
        flush()
        // MOSQ_ERR_OVERSIZE_PACKET
        if error != 0 { throw error == 25 ? .tooLarge : .other }
        return number
    }

    package func subscribe(_ topic: String) {
        guard isAccepted, !hasEnded else { return }
        client.subscribe(topic)
        flush()
    }

    /// Ends the connection in order. The broker publishes the will.
    package func disconnect() {
        guard isAccepted, !hasEnded else { return }
        hasEnded = true
        client.disconnect()
    }

    // MARK: The library's callbacks

    fileprivate func onConnected(_ code: Int32, _ server: String?) {
        guard code == 0 else {
            reason = .reason(code, server: server)
            return
        }
        isAccepted = true
        happened(.connected)
    }

    fileprivate func onPublished(_ number: Int32, _ code: Int32) {
        if !hasEnded { happened(.acknowledged(message: number, reason: code)) }
    }

    fileprivate func onReceived(_ topic: String, _ payload: [UInt8], _ isRetained: Bool) {
        if !hasEnded { happened(.received(topic: topic, payload: payload, isRetained: isRetained)) }
    }

    fileprivate func onDisconnected(_ code: Int32) {
        // Below 128 it is an error of the library, which the call returns too.
        if code >= 128, reason == nil { reason = .reason(code, server: nil) }
    }

    fileprivate static func isAcceptable(_ size: Int) -> Bool { size <= payloadLimit }

    /// The library's handle. The thread that connects may outlive the connection, and has it until then. The two never use it at
    /// the same time.
    @safe
    private final class Client: Sendable {
        private let address: UInt
        private var client: OpaquePointer { unsafe OpaquePointer(bitPattern: address)! }
        let connected: EventFD
        /// The result of the connection: an error of the library, and errno.
        let result = Locked((error: Int32(0), system: Int32(0)))

        init(_ options: Options) throws(MQTTFailure) {
            do throws(SystemError) { connected = try EventFD() } catch {
                throw MQTTFailure("\(error)", .retried)
            }
            var callbacks = cmosquitto_callbacks()
            unsafe callbacks.connected = { context, code, server in
                let server = unsafe server.map { unsafe String(cString: $0) }
                unsafe Client.connection(context).onConnected(code, server)
            }
            unsafe callbacks.published = { unsafe Client.connection($0).onPublished($1, $2) }
            unsafe callbacks.received = { context, topic, payload, size, isRetained in
                guard isAcceptable(size), let topic = unsafe topic else { return }
                let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: payload, count: size))
                unsafe Client.connection(context).onReceived(String(cString: topic), bytes, isRetained)
            }
            unsafe callbacks.disconnected = { unsafe Client.connection($0).onDisconnected($1) }
            var error: Int32 = 0
            let texts: [String?] = [
                options.client, options.user, options.password, options.authorities, options.certificate, options.key,
                options.will,
            ]
            let copies = unsafe texts.map { text in unsafe text.map { unsafe strdup($0)! } }
            defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
            var values = unsafe cmosquitto_options()
            unsafe values.client = UnsafePointer(copies[0])
            unsafe values.user = UnsafePointer(copies[1])
            unsafe values.password = UnsafePointer(copies[2])
            unsafe values.authorities = UnsafePointer(copies[3])
            unsafe values.certificate = UnsafePointer(copies[4])
            unsafe values.key = UnsafePointer(copies[5])
            unsafe values.will = UnsafePointer(copies[6])
            guard let client = unsafe cmosquitto_new(&values, &callbacks, &error) else {
                let files = [options.authorities, options.certificate, options.key].compactMap { $0 }
                throw MQTTFailure(
                    "cannot use \(files.joined(separator: ", ")): files in PEM format that paced-link may read",
                    .fault(.tls))
            }
            address = UInt(bitPattern: client)
        }

        deinit {
            unsafe cmosquitto_free(client)
        }

        private static func connection(_ context: UnsafeMutableRawPointer?) -> MQTTConnection {
            unsafe Unmanaged<MQTTConnection>.fromOpaque(context!).takeUnretainedValue()
        }

        func own(_ context: UnsafeMutableRawPointer) { unsafe cmosquitto_own(client, context) }
        func forget() { unsafe cmosquitto_own(client, nil) }

        /// For the thread.
        func connect(_ host: String, _ port: Int32) {
            var system: Int32 = 0
            let error = unsafe cmosquitto_connect(client, host, port, keepalive, &system)
            result.withLock { $0 = (error, system) }
            connected.signal()
        }

        var socket: Int32 { unsafe cmosquitto_socket(client) }
        var wantsWrite: Bool { unsafe cmosquitto_wants_write(client) }
        var wantsCertificate: Bool { unsafe cmosquitto_wants_certificate(client) }
        var lastError: String { unsafe String(cString: cmosquitto_last_error(client)) }

        func read() -> (error: Int32, system: Int32) {
            var system: Int32 = 0
            let error = unsafe cmosquitto_read(client, &system)
            return (error, system)
        }

        func write() -> (error: Int32, system: Int32) {
            var system: Int32 = 0
            let error = unsafe cmosquitto_write(client, &system)
            return (error, system)
        }

        func misc() -> Int32 { unsafe cmosquitto_misc(client) }

        func publish(_ message: Message) -> (number: Int32, error: Int32) {
            var number: Int32 = 0
            let error = unsafe message.topic.withCString { topic in
                unsafe message.payload.withUnsafeBytes { payload in
                    var values = unsafe cmosquitto_message()
                    unsafe values.topic = topic
                    unsafe values.payload = payload.baseAddress
                    unsafe values.size = payload.count
                    unsafe values.qos = Int32(message.qos)
                    unsafe values.is_retained = message.isRetained
                    unsafe values.is_gzip = message.isGzip
                    guard let type = message.contentType else {
                        return unsafe cmosquitto_publish(client, &values, &number)
                    }
                    return unsafe type.withCString { type in
                        unsafe values.content_type = type
                        return unsafe cmosquitto_publish(client, &values, &number)
                    }
                }
            }
            return (number, error)
        }

        func subscribe(_ topic: String) { _ = unsafe cmosquitto_subscribe(client, topic) }
        func disconnect() { _ = unsafe cmosquitto_disconnect(client, true) }
    }
}
