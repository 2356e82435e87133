package import Domain
import Glibc
package import Linux
import Sensors

/// gpsd on the event loop: connects, reconnects for ever, and reports fixes and the state of the link as they come.
package final class GpsdClient {
    /// gpsd's lines are at most 10 KB; what is left over waits in the kernel.
    private static let readSize = 16_384

    private let hosts: [String]
    private let port: UInt16
    private let loop: EventLoop
    private let report: (Input) -> Void
    private var stream: GpsdDecoder
    private var timer: TimerSource?
    private var connection: Connection?
    private var buffer = [UInt8](repeating: 0, count: readSize)

    /// A socket in the loop.
    private final class Connection {
        /// Before the socket, so that it is let go of first.
        var source: DescriptorSource?
        let socket: FileDescriptor
        var isEstablished = false

        init(_ socket: consuming FileDescriptor) {
            self.socket = socket
        }
    }

    /// Begins with the loop's next turn.
    ///
    /// - Parameters:
    ///   - host: a numeric address; nil for this machine: 127.0.0.1, then ::1.
    ///   - device: the one receiver to use, as gpsd names it; nil for the best.
    ///   - report: gets every fix when it closes, and the state of the link when it changes.
    /// - Throws: `EINVAL` when `host` is no address.
    package init(
        host: String?, port: UInt16, device: String?, loop: EventLoop, report: @escaping (Input) -> Void
    ) throws(SystemError) {
        if let host, !TCPSocket.isAddress(host) { throw SystemError("inet_pton", code: EINVAL) }
        hosts = host.map { [$0] } ?? ["127.0.0.1", "::1"]
        self.port = port
        self.loop = loop
        self.report = report
        stream = GpsdDecoder(addresses: hosts.count, device: device)
        timer = try loop.timer { [weak self] in self?.runPending() }
        timer?.arm(at: stream.deadline)
    }

    /// Does all that is to be done now.
    private func runPending() {
        let now = Clock.now()
        while let step = stream.next(at: now) {
            switch step {
            case .input(let input): report(input)
            case .connection(.connect(let address)): connect(to: hosts[address], at: now)
            case .connection(.send(let bytes)): send(bytes, at: now)
            case .connection(.close): connection = nil
            }
        }
        timer?.arm(at: stream.deadline)
    }

    private func connect(to host: String, at now: Instant) {
        do {
            let connection = Connection(try TCPSocket.connect(host: host, port: port))
            connection.source = try loop.watch(connection.socket, for: .writing) { [weak self] _ in self?.ready() }
            self.connection = connection
        } catch {
            stream.failed(at: now)
        }
    }

    /// The few bytes of a request always fit into the buffer of a connection that lives.
    private func send(_ bytes: [UInt8], at now: Instant) {
        guard let connection, connection.socket.send(bytes[...]) != .sent(bytes.count) else { return }
        self.connection = nil
        stream.closed(at: now)
    }

    private func ready() {
        guard let connection else { return }
        let now = Clock.now()
        if connection.isEstablished {
            read(connection, at: now)
        } else if TCPSocket.result(of: connection.socket) == nil {
            connection.isEstablished = true
            connection.source?.watch(for: .reading)
            stream.connected(at: now)
        } else {
            self.connection = nil
            stream.failed(at: now)
        }
        runPending()
    }

    /// Reads once: a gpsd that never stops talking must not keep the loop from the rest.
    private func read(_ connection: Connection, at now: Instant) {
        let count: Int?
        do {
            count = try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
                try unsafe connection.socket.read(into: bytes)
            }
        } catch {
            count = 0
        }
        guard let count else { return }
        if count > 0 {
            stream.received(buffer[..<count])
        } else {
            self.connection = nil
            stream.closed(at: now)
        }
    }
}
