import Foundation
import Glibc
import Synchronization

/// The real gpsd with a simulated receiver that sends over UDP. Its deinitialiser ends it.
package final class RealGpsd {
    /// The port for clients.
    package let port: UInt16

    private let receiverPort: UInt16
    private var process: ChildProcess?
    private let socket: Int32
    private let isPlaying = PlayFlag()

    /// Starts gpsd, which accepts connections a moment later; see ``waitUntilReady()``.
    package init(port: UInt16? = nil) throws {
        self.port = try port ?? FakeGpsd.freePort()
        receiverPort = try FakeGpsd.freePort()
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try start()
    }

    deinit {
        stopPlaying()
        close(socket)
    }

    /// The receiver's device path in gpsd.
    package var device: String { "udp://127.0.0.1:\(receiverPort)" }

    /// Starts gpsd again after ``kill(_:)``, at the same port.
    package func start() throws {
        process = try ChildProcess(["gpsd", "-N", "-n", "-S", "\(port)", device])
    }

    /// Ends gpsd with a signal. SIGSTOP and SIGCONT stop and continue it.
    package func kill(_ signal: Int32) {
        guard let process else { return }
        if signal == SIGSTOP || signal == SIGCONT {
            Glibc.kill(process.pid, signal)
        } else {
            process.kill(signal)
            self.process = nil
        }
    }

    /// Waits until gpsd sends its greeting to a client.
    package func waitUntilReady(limit: Duration = .seconds(10)) throws {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(client) }
            var byte: UInt8 = 0
            if Self.withAddress(port, { connect(client, $0, $1) }) == 0, recv(client, &byte, 1, 0) == 1 { return }
            usleep(10_000)
        }
        throw ChildProcess.Failure(description: "gpsd does not respond at port \(port)")
    }

    /// Sends bytes from the receiver.
    package func feed(_ bytes: some Collection<UInt8>) {
        Self.send(Array(bytes), to: receiverPort, from: socket)
    }

    /// Sends a log's lines from the receiver on a background thread,
    /// `lines` at a time, in a loop until ``stopPlaying()``.
    package func play(_ log: GpsdLog, lines: Int, every interval: Duration) throws {
        let sentences = try log.bytes().split(separator: 10).map { Array($0) + [10] }.filter { $0.first != 35 }
        let epochs = stride(from: 0, to: sentences.count, by: lines).map {
            Array(sentences[$0..<min($0 + lines, sentences.count)].joined())
        }
        let generation = isPlaying.begin()
        let (flag, port, socket) = (isPlaying, receiverPort, socket)
        Thread.detachNewThread {
            var next = ContinuousClock.now
            for index in 0... {
                guard flag.isCurrent(generation) else { return }
                Self.send(epochs[index % epochs.count], to: port, from: socket)
                next += interval
                Thread.sleep(forTimeInterval: max(0, (next - ContinuousClock.now) / .seconds(1)))
            }
        }
    }

    package func stopPlaying() {
        _ = isPlaying.begin()
    }

    private static func send(_ bytes: [UInt8], to port: UInt16, from socket: Int32) {
        _ = withAddress(port) { address, size in sendto(socket, bytes, bytes.count, 0, address, size) }
    }

    private static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// The number of the log that is being played. A new number ends the previous one.
private final class PlayFlag: Sendable {
    private let generation = Atomic<Int>(0)

    func begin() -> Int {
        generation.add(1, ordering: .relaxed).newValue
    }

    func isCurrent(_ number: Int) -> Bool {
        generation.load(ordering: .relaxed) == number
    }
}
