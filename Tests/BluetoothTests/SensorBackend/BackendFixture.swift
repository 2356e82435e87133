import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// Two fake Bluetooth backends, with a real bus on which bluetoothd's name appears and disappears.
final class BackendFixture {
    let daemon: PrivateBus
    let loop: EventLoop
    private(set) var ways: SensorBackendSwitch?
    /// The events: backends start, end, are called and report.
    var story: [String] = []
    private(set) var inputs: [Input] = []
    /// The backend that was made last.
    private(set) weak var way: PretendWay?
    /// How many backends cannot be made.
    var failures = 0

    init(isThere: Bool = true) throws {
        daemon = try PrivateBus(isThere: isThere)
        loop = try EventLoop()
    }

    func start(_ wish: BackendSelector.Preference = .auto, isOff: Bool = false) throws {
        ways = try SensorBackendSwitch(
            wish, isOff: isOff, address: daemon.address, loop: loop,
            makeKernel: { [unowned self] (reason, report) throws(SystemError) in
                try make("kernel", reason, report)
            },
            makeBus: { [unowned self] (reason, report) throws(SystemError) in try make("bus", reason, report) },
            report: { [weak self] in self?.inputs.append($0) },
            changed: { [unowned self] way, reason in story.append("\(way): \(reason?.text ?? "said")") })
    }

    private func make(
        _ name: String, _ reason: SanitizedText?, _ report: @escaping (Input) -> Void
    ) throws(SystemError) -> any SensorBackend {
        if failures > 0 {
            failures -= 1
            throw SystemError("timerfd_create", code: 24)
        }
        story.append("\(name) begins")
        let way = PretendWay(report: report) { [weak self] in self?.story.append("\(name) \($0)") }
        self.way = way
        return way
    }

    func end() {
        ways = nil
    }

    /// A peer that owns bluetoothd's name on the bus until it is released.
    func bluetoothd() throws -> Bus {
        let bus = try Bus(at: daemon.address, loop: loop) { _ in }
        var isDone = false
        let call = bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("org.bluez"), .uint32(4)], timeout: .seconds(10)
        ) { _ in isDone = true }
        try turn { isDone }
        withExtendedLifetime(call) {}
        return bus
    }

    /// Runs the loop until a condition holds. Fails the test if it does not.
    func turn(sourceLocation: SourceLocation = #_sourceLocation, until isSo: () -> Bool) throws {
        let deadline = Clock.now() + .seconds(60)
        while !isSo() {
            try #require(Clock.now() < deadline, "it did not come to it: \(story)", sourceLocation: sourceLocation)
            try loop.runOnce(waiting: .milliseconds(20))
        }
    }

    func turn(for duration: Duration) throws {
        let deadline = Clock.now() + duration
        while Clock.now() < deadline { try loop.runOnce(waiting: .milliseconds(10)) }
    }
}

/// A backend that only records its calls.
final class PretendWay: SensorBackend {
    let report: (Input) -> Void
    private let tell: (String) -> Void
    private(set) var scanned: (([ScanResult]) -> Void)?
    private(set) var paired: ((PairingResult) -> Void)?

    init(report: @escaping (Input) -> Void, tell: @escaping (String) -> Void) {
        self.report = report
        self.tell = tell
    }

    deinit {
        tell("ends")
    }

    func runChanged(isActive: Bool) {
        tell(isActive ? "runs" : "rests")
    }

    func select(_ ours: [SensorMatcher]) {
        tell("uses \(ours.count)")
    }

    func stop() {
        tell("stops")
    }

    func forget(_ pattern: SensorMatcher?, remaining ours: [SensorMatcher]) {
        tell("forgets")
    }

    func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> SensorRequestError? {
        scanned = finished
        return nil
    }

    func pair(_ pattern: SensorMatcher, finished: @escaping (PairingResult) -> Void) -> SensorRequestError? {
        paired = finished
        return nil
    }

    func compensateOffset(_ pattern: SensorMatcher?, finished: @escaping (ZeroOffsetResult) -> Void) {
        finished(.notSupported)
    }
}
