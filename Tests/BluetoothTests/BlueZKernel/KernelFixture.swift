import Bluetooth
import Domain
import Foundation
import Linux
import Sensors
import TestKit
import Testing

/// A kernel backend with a fake kernel and strap: the mgmt channel and the disconnections on socket pairs,
/// the strap on a Unix socket that accepts connections at once.
final class KernelFixture: LoopFixture {
    let loop: EventLoop
    var kernel = FakeKernel()
    let strapPath: String

    /// The errors of opening the mgmt channel, the next one first.
    var managementErrors: [Int32] = []
    /// The counts of commands after which the channel breaks, once for each count.
    var breaksAfter: [Int] = []
    /// The error of connecting to a strap.
    var attributeError: Int32?
    /// Whether connection attempts stay pending.
    var isStrapAway = false
    private(set) var opened = 0
    private(set) var asked: [LEAddress] = []
    /// Whether each socket to a strap was requested with encryption.
    private(set) var encrypted: [Bool] = []
    private(set) var waiting: [PendingPeer] = []

    private(set) var straps: KernelSensorBackend?
    private(set) var inputs: [Timestamped<Input>] = []
    private(set) var information: [DeviceInformation] = []
    private(set) var remembered: [[KnownSensor]] = []
    private(set) var scanned: [ScanResult]?
    private(set) var keys: [[LongTermKey]] = []
    private(set) var paired: [PairingResult] = []

    private var management: Peer?
    private var disconnections: FileDescriptor?
    /// Receives each report, and may call the backend.
    var reported: (Input) -> Void = { _ in }
    var isDone: (KernelFixture) -> Bool = { _ in false }
    var timers: [TimerSource] = []
    private let directory: URL

    /// The kernel's end of the mgmt channel.
    private final class Peer {
        let socket: FileDescriptor
        var source: DescriptorSource?
        var commands = 0

        init(_ socket: consuming FileDescriptor) {
            self.socket = socket
        }

        deinit {
            source = nil
        }
    }

    /// The far end of a pending connection.
    final class PendingPeer {
        let socket: FileDescriptor

        init(_ socket: consuming FileDescriptor) {
            self.socket = socket
        }

        /// Whether the attempt was cancelled.
        var isGivenUp: Bool {
            var descriptor = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 0)
            return descriptor.revents & Int16(POLLHUP) != 0
        }
    }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "paced-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        strapPath = directory.appending(path: "strap").path
        loop = try EventLoop()
    }

    deinit {
        straps = nil
        management = nil
        try? FileManager.default.removeItem(at: directory)
    }

    /// The adapter and the strap of these tests.
    static let adapter = BluetoothAddress(value: 0x001A_7DDA_7113)
    static let strap = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)
    static let strapBytes: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 0x02]
    /// It advertises the Heart Rate Service and the name H10.
    static let advertisement = hex("03 03 0d 18 04 09 48 31 30")
    static let handle: UInt16 = 0x0040

    /// A scripted strap that sends a notification after the subscription.
    static var notifyingStrap: ScriptedStrap {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x13], ScriptedStrap.notification]
        return strap
    }

    func start(
        ours: [String] = ["F0:F1:F2:F3:F4:F5/random"], remembered: [KnownSensor] = [],
        keys: [LongTermKey] = []
    ) throws {
        let shell = SensorDriverShell(
            over: .kernel, ours: ours.compactMap { SensorMatcher($0) }, remembered: remembered,
            report: { [unowned self] in
                inputs.append(Timestamped($0, at: Clock.now()))
                reported($0)
                check()
            },
            describe: { [unowned self] in
                information.append($0)
                check()
            },
            remember: { [unowned self] in self.remembered.append($0) })
        straps = try KernelSensorBackend(
            adapter: .any, shell, keys: keys, sockets: sockets, loop: loop,
            keep: { [unowned self] in self.keys.append($0) })
    }

    private var sockets: BluetoothSockets {
        BluetoothSockets(
            management: { [unowned self] () throws(SystemError) in try openManagement() },
            attribute: { [unowned self] (_, strap, isPaired) throws(SystemError) in
                encrypted.append(isPaired)
                return try openAttribute(strap)
            },
            disconnections: { [unowned self] (_) throws(SystemError) in
                let (ours, theirs) = try Self.pair()
                disconnections = FileDescriptor(owning: ours)
                return FileDescriptor(owning: theirs)
            },
            handle: { _ in Self.handle })
    }

    private func openManagement() throws(SystemError) -> FileDescriptor {
        opened += 1
        if let error = managementErrors.first {
            managementErrors.removeFirst()
            throw SystemError("socket", code: error)
        }
        let (ours, theirs) = try Self.pair()
        let peer = Peer(FileDescriptor(owning: ours))
        peer.source = try loop.watch(peer.socket, for: .reading) { [unowned self] _ in receive() }
        management = peer
        return FileDescriptor(owning: theirs)
    }

    private func openAttribute(_ strap: LEAddress) throws(SystemError) -> FileDescriptor {
        asked.append(strap)
        for adapter in kernel.adapters.values where adapter.isDiscovering {
            Issue.record("a connection waits while a discovery goes on")
        }
        if let attributeError { throw SystemError("connect", code: attributeError) }
        if !isStrapAway { return try UnixSocket.connect(to: strapPath, kind: .sequencedPacket) }
        let (ours, theirs) = try Self.pair()
        let waiting = FileDescriptor(owning: theirs)
        // A socket with a full buffer is not writable, like one that is not connected yet.
        while case .sent = waiting.send([0]) {}
        self.waiting.append(PendingPeer(FileDescriptor(owning: ours)))
        check()
        return waiting
    }

    private static func pair() throws(SystemError) -> (Int32, Int32) {
        var numbers: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &numbers) == 0 else { throw SystemError("socketpair", code: errno) }
        return (numbers[0], numbers[1])
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 512)
        guard let peer = management,
            let size = try? buffer.withUnsafeMutableBytes({ try peer.socket.read(into: $0) })
        else { return }
        if size == 0 {
            management = nil
            return
        }
        peer.commands += 1
        if let limit = breaksAfter.first, peer.commands > limit {
            breaksAfter.removeFirst()
            management = nil
            return
        }
        let answers = kernel.answers(to: Array(buffer[..<size]))
        if kernel.opcodes.last == 0x23 {
            #expect(!waiting.contains { !$0.isGivenUp }, "a discovery begins while a connection waits")
        }
        for answer in answers { say(answer) }
        check()
    }

    /// Sends an event from the kernel.
    func say(_ packet: [UInt8]) {
        _ = management?.socket.send(packet[...])
    }

    func advertise(rssi: Int8 = -50, _ device: [UInt8] = strapBytes, _ data: [UInt8] = advertisement) {
        say(FakeKernel.found(device, rssi: rssi, data: data, on: 0))
    }

    /// Sends a Disconnection Complete event from the adapter.
    func tellDisconnection(reason: UInt8, handle: UInt16 = handle) {
        let packet = [0x04, 0x05, 0x04, 0x00, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), reason]
        _ = disconnections?.send(packet[...])
    }

    func scan(for duration: Duration) -> SensorRequestError? {
        straps?.scan(for: duration) { [weak self] in
            self?.scanned = $0
            self?.check()
        }
    }

    func pair(_ strap: String) -> SensorRequestError? {
        SensorMatcher(strap).flatMap { pattern in
            straps?.pair(pattern) { [weak self] in
                self?.paired.append($0)
                self?.check()
            }
        }
    }

    func breakManagement() {
        management = nil
    }

    func release() {
        straps = nil
    }

    var hearts: [HeartRateMeasurement] {
        inputs.compactMap { if case .heart(let value) = $0.value { value } else { nil } }
    }
}
