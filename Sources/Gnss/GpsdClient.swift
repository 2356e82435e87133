package import Domain
import Glibc
package import Linux
import Sensors

/// The gpsd client on the event loop: connects, reconnects forever, and reports fixes and changes of the link.
package final class GpsdClient {
    /// The size of one read. A line of gpsd has at most 10 KB; further bytes stay in the kernel's buffer.
    private static let readSize = 16_384

    private let hosts: [String]
    private let port: UInt16
    private let loop: EventLoop
    private let report: (Input) -> Void
    private var decoder: GpsdDecoder
    private var steps: [GpsdDecoder.Step] = []
    private var timer: TimerSource?
    private var connection: Connection?
    private var buffer = [UInt8](repeating: 0, count: readSize)

    /// A socket watched by the loop.
    private final class Connection {
        /// Declared before the socket, so that it is released first.
        var source: DescriptorSource?
        let socket: FileDescriptor
        var isEstablished = false

        init(_ socket: consuming FileDescriptor) {
            self.socket = socket
        }
    }

    /// Connects in the next iteration of the loop.
    ///
    /// - Parameters:
    ///   - host: a numeric address. Nil for this machine: 127.0.0.1, then ::1.
    ///   - device: the gpsd path of the only receiver to use. Nil for the best one.
    ///   - report: receives each fix when its epoch ends, and the link status when it changes.
    /// - Throws: `EINVAL` if `host` is not an address.
    package init(
        host: String?, port: UInt16, device: String?, loop: EventLoop, report: @escaping (Input) -> Void
    ) throws(SystemError) {
        if let host, !TCPSocket.isAddress(host) { throw SystemError("inet_pton", code: EINVAL) }
        hosts = host.map { [$0] } ?? ["127.0.0.1", "::1"]
        self.port = port
        self.loop = loop
        self.report = report
        decoder = GpsdDecoder(addresses: hosts.count, device: device)
        timer = try loop.timer { [weak self] in self?.runPending() }
        timer?.arm(at: decoder.deadline)
    }

    /// Performs all pending steps.
    private func runPending() {
        let now = Clock.now()
        repeat {
            for step in steps { perform(step, at: now) }
            steps.removeAll(keepingCapacity: true)
            decoder.tick(at: now, into: &steps)
        } while !steps.isEmpty
        timer?.arm(at: decoder.deadline)
    }

    private func perform(_ step: GpsdDecoder.Step, at now: Instant) {
        switch step {
        case .input(let input): report(input)
        case .connection(.connect(let address)): connect(to: hosts[address], at: now)
        case .connection(.send(let bytes)): send(bytes, at: now)
        case .connection(.close): connection = nil
        }
    }

    private func connect(to host: String, at now: Instant) {
        do {
            let connection = Connection(try TCPSocket.connect(host: host, port: port))
            connection.source = try loop.watch(connection.socket, for: .writing) { [weak self] _ in self?.ready() }
            self.connection = connection
        } catch {
            decoder.failed(at: now)
        }
    }

    /// A request always fits into the send buffer of a working connection.
    private func send(_ bytes: [UInt8], at now: Instant) {
        guard let connection, connection.socket.send(bytes[...]) != .sent(bytes.count) else { return }
        self.connection = nil
        decoder.closed(at: now)
    }

    private func ready() {
        guard let connection else { return }
        let now = Clock.now()
        if connection.isEstablished {
            read(connection, at: now)
        } else if TCPSocket.result(of: connection.socket) == nil {
            connection.isEstablished = true
            connection.source?.watch(for: .reading)
            decoder.connected(at: now)
        } else {
            self.connection = nil
            decoder.failed(at: now)
        }
        runPending()
    }

    /// Reads once per call, so that a gpsd that sends without pause does not stall the loop.
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
            decoder.received(buffer[..<count], at: now, into: &steps)
        } else {
            self.connection = nil
            decoder.closed(at: now)
        }
    }
}
