import Bluetooth
import Domain
import Glibc
import Linux
import Sensors
import TestKit

/// A Bluetooth backend with a fake bluetoothd on a private bus.
final class BluetoothdFixture {
    static let adapter = BluetoothAddress(value: 0x001A_7DDA_7113)
    static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)

    let loop: EventLoop
    let bus: PrivateBus
    let bluez: FakeBlueZ

    /// Opens the kernel's mgmt channel. By default there is none.
    var management: () throws(SystemError) -> FileDescriptor = { () throws(SystemError) in
        throw SystemError("socket", code: EAFNOSUPPORT)
    }

    private(set) var straps: BluetoothdSensorBackend?
    private(set) var inputs: [Timestamped<Input>] = []
    private(set) var information: [DeviceInformation] = []
    private(set) var remembered: [[KnownSensor]] = []
    private(set) var scanned: [ScanResult]?
    private(set) var paired: PairingResult?

    init(
        _ straps: [FakeBlueZStrap] = [FakeBlueZStrap()], isBusThere: Bool = true, isBlueZThere: Bool = true
    ) throws {
        loop = try EventLoop()
        bus = try PrivateBus(isThere: isBusThere)
        bluez = try FakeBlueZ(at: bus.address, loop: loop, straps: straps, isThere: isBlueZThere)
    }

    func start(
        ours: [String] = ["A0:9E:1A:00:00:01/public"], remembered: [KnownSensor] = [],
        adapter: AdapterChoice = .any
    ) throws {
        let shell = SensorDriverShell(
            over: .bluetoothd, ours: ours.compactMap { SensorMatcher($0) }, remembered: remembered,
            report: { [unowned self] in inputs.append(Timestamped($0, at: Clock.now())) },
            describe: { [unowned self] in information.append($0) },
            remember: { [unowned self] in self.remembered.append($0) })
        straps = try BluetoothdSensorBackend(
            adapter: adapter, shell, address: bus.address, management: management, loop: loop)
    }

    func release() {
        straps = nil
    }

    func scan(for duration: Duration) -> SensorRequestError? {
        straps?.scan(for: duration) { [unowned self] in scanned = $0 }
    }

    func pair(_ pattern: String) -> SensorRequestError? {
        SensorMatcher(pattern).flatMap { pattern in straps?.pair(pattern) { [unowned self] in paired = $0 } }
    }

    /// Runs the loop until a condition holds. False after the time limit.
    @discardableResult
    func run(for limit: Duration = .seconds(10), until isDone: (BluetoothdFixture) -> Bool = { _ in false }) throws
        -> Bool
    {
        let end = Clock.now() + limit
        while !isDone(self) {
            let now = Clock.now()
            guard now < end else { return false }
            try loop.runOnce(waiting: min(end - now, .milliseconds(50)))
        }
        return true
    }

    var links: [LinkStatus] {
        inputs.compactMap { if case .heartLink(let status) = $0.value { status } else { nil } }
    }

    var hearts: [HeartRateMeasurement] {
        inputs.compactMap { if case .heart(let value) = $0.value { value } else { nil } }
    }

    var members: [String] {
        bluez.calls.map(\.member)
    }
}
