import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// The client with an independent GATT server (Bumble).
struct BumbleStrapTests {
    @Test func bumbleStrapStreamsAndIsReconnected() throws {
        let bench = try StrapFixture()
        let first = try BumbleStrap(path: bench.path, period: 0.1)
        var second: BumbleStrap?
        try bench.connect()
        bench.strap?.runChanged(isActive: true)
        let script = try BumbleStrap.script.map { try HeartRateMeasurement($0.span) }
        let isDone = try bench.run(for: .seconds(60)) { bench in
            if bench.hearts.count == 20, second == nil {
                first.kill()
                second = try? BumbleStrap(path: bench.path, period: 0.1)
            }
            return bench.hearts.count >= 30 && bench.information.count == 2
        }
        try #require(isDone)

        let values = bench.hearts.map(\.value)
        for (index, value) in values.prefix(20).enumerated() { #expect(value == script[index % script.count]) }
        for (index, value) in values.dropFirst(20).enumerated() { #expect(value == script[index % script.count]) }
        let name = SanitizedText("Polar H10 00000000")
        #expect(bench.links.last == LinkStatus(.connected, name: name))
        #expect(bench.links.contains(LinkStatus(.disconnected, reason: .outOfRange, name: name)))
        #expect(bench.inputs.contains { $0.value == .battery(percent: 87) })
        var expected = DeviceInformation()
        expected.name = name
        expected.manufacturer = SanitizedText("Polar Electro Oy")
        expected.model = SanitizedText("H10")
        expected.firmware = SanitizedText("5.0.0")
        expected.location = .chest
        #expect(bench.information == [expected, expected])

        // Delays of at most 5 s during a run, and the first value comes one period after the subscription.
        let ready = try #require(second?.readyAt)
        let back = bench.hearts[20].measuredAt - ready
        #expect(back < .seconds(5.5))
        let delays = zip(first.sentAt, bench.hearts).map { $1.measuredAt - $0 }.sorted()
        #expect(delays.count == 20)
        #expect(delays[10] < .milliseconds(50))
        print(
            "back \(back.wholeMilliseconds) ms after the strap, delay \(delays[10]) in the median, \(delays[19]) at most"
        )
    }

    /// Polar's streams: UUIDs of 16 bytes, and a control point that sends no indication until the last is confirmed.
    @Test func indicationsOfABumbleServerAreConfirmed() throws {
        let bench = try StrapFixture()
        let strap = try BumbleStrap(path: bench.path, period: 1)
        let service = AttributeUUID(value: 0xFB00_5C80_02E7_F387_1CAD_8ACD_2D8D_F0C8)
        var delivered: [[UInt8]] = []
        var read: [[UInt8]] = []
        let probe = try GattProbe(over: strap.connection(to: bench.path), loop: bench.loop) { action, submit in
            switch action {
            case .finish(.findService, .success(.service(let handles?))): submit([.discoverCharacteristics(handles)])
            case .finish(.discoverCharacteristics, .success(.characteristics(let found))):
                let control = found[0].valueHandle
                submit([
                    .read(handle: control), .subscribe(.indications, descriptor: control + 1),
                    .write(handle: control, value: [1, 0]), .write(handle: control, value: [3, 0]),
                    .write(handle: control, value: [9, 0]),
                ])
            case .finish(.read, .success(.value(let value))): read.append(value)
            case .deliver(let value): delivered.append(value.value)
            default: break
            }
            if delivered.count == 3 { bench.loop.stop(0) }
        }
        probe.submit([.exchangeMTU, .findService(service)])
        #expect(try bench.run(for: .seconds(10)))
        #expect(read == [hex("0f 05") + Array(repeating: 0, count: 15)])
        #expect(delivered == ["f0 01 00 00 00 00 01 82 00 01 01 0e 00", "f0 03 00 00", "f0 09 00 01"].map(hex))
    }
}

/// A minimal GATT client on a socket.
private final class GattProbe {
    private let socket: FileDescriptor
    private var source: DescriptorSource?
    private var timer: TimerSource?
    private var client = GattClient()
    private let react: (GattClient.Action, _ submit: ([GattProcedure]) -> Void) -> Void

    init(
        over socket: consuming FileDescriptor, loop: EventLoop,
        react: @escaping (GattClient.Action, _ submit: ([GattProcedure]) -> Void) -> Void
    ) throws {
        self.socket = socket
        self.react = react
        source = try loop.watch(self.socket, for: .reading) { [unowned self] _ in receive() }
        timer = try loop.timer { [unowned self] in carryOut(client.tick(at: Clock.now())) }
    }

    deinit {
        source = nil
    }

    func submit(_ procedures: [GattProcedure]) {
        for procedure in procedures { carryOut(client.submit(procedure, at: Clock.now())) }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        guard let size = try? buffer.withUnsafeMutableBytes({ try socket.read(into: $0) }) else { return }
        if size == 0 { source = nil }
        carryOut(client.received(buffer.span.extracting(0..<size), at: Clock.now()))
    }

    private func carryOut(_ actions: [GattClient.Action]) {
        for action in actions {
            if case .send(let bytes) = action { _ = socket.send(bytes[...]) }
            react(action) { submit($0) }
        }
        timer?.arm(at: client.deadline)
    }
}
