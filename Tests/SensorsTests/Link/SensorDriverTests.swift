import Domain
import Sensors
import TestKit
import Testing

/// The actions that a backend receives, in order.
struct SensorDriverTests {
    private var clock = ManualClock()
    private var driver: SensorDriver
    private var host = SensorDriver.Host(canConnect: true)
    private static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let other = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0002), .public)
    private static let pattern = SensorMatcher("H10")!
    private static let beat = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882])

    init() {
        driver = SensorDriver(
            over: .kernel, reason: nil, kernel: "6.1", ours: [Self.pattern], remembered: [], at: clock.now)
        _ = turn { $0.reconcile(with: SensorDriver.Host(canConnect: true), at: $1, into: &$2) }
    }

    /// Reports an event, then the state of the host until the driver has no more actions, as a backend does.
    private mutating func turn(
        _ event: (inout SensorDriver, Instant, inout [SensorDriver.Action]) -> Void
    ) -> [SensorDriver.Action] {
        var actions: [SensorDriver.Action] = []
        event(&driver, clock.now, &actions)
        while true {
            var more: [SensorDriver.Action] = []
            driver.reconcile(with: host, at: clock.now, into: &more)
            if more.isEmpty { return actions }
            actions += more
        }
    }

    private static func result(_ address: LEAddress, _ name: String = "Polar H10") -> ScanResult {
        ScanResult(address: address, name: SanitizedText(name), rssi: -60, services: [AttributeUUID(0x180D)])
    }

    private mutating func find() -> [SensorDriver.Action] {
        _ = turn { $0.tick(at: $1, into: &$2) }
        _ = turn { $0.search(at: $1, into: &$2) }
        return turn { $0.found(Self.result(Self.strap), at: $1, into: &$2) }
    }

    private mutating func connect() -> [SensorDriver.Action] {
        _ = find()
        return turn { $0.connected(link: 0, at: $1, into: &$2) }
    }

    @Test mutating func aStrapThatIsFoundIsConnectedAfterTheScanStops() {
        let actions = find()
        #expect(actions.contains(.stopScan(isConnecting: true)))
        let stop = actions.firstIndex(of: .stopScan(isConnecting: true)) ?? .max
        let start = actions.firstIndex(of: .connect(Self.strap, SensorKind.ofBluetooth, link: 0)) ?? .min
        #expect(stop < start)
        #expect(connect().contains(.subscribe(link: 0)))
    }

    @Test mutating func aConnectionWaitsForTheHost() {
        host.canConnect = false
        #expect(!find().contains(.connect(Self.strap, SensorKind.ofBluetooth, link: 0)))
        host.canConnect = true
        #expect(turn { _, _, _ in } == [.connect(Self.strap, SensorKind.ofBluetooth, link: 0)])
        #expect(turn { _, _, _ in } == [], "one attempt at a time")
    }

    @Test mutating func aStrapThatTheBackendHasDroppedIsNotConnected() {
        _ = turn { $0.tick(at: $1, into: &$2) }
        _ = turn { $0.search(at: $1, into: &$2) }
        let actions = turn { $0.found(Self.result(Self.strap), isKnown: { _ in false }, at: $1, into: &$2) }
        #expect(actions == [])
    }

    @Test mutating func theFirstBeatFollowsTheLinkStatus() {
        _ = connect()
        let actions = turn { $0.received(.measured(.heartRate(Self.beat)), link: 0, at: $1, into: &$2) }
        let known = KnownSensor(address: Self.strap, name: SanitizedText("Polar H10"))
        let status = LinkStatus(.connected, address: Self.strap.address, name: known.name)
        let sensor = SensorStatus(.bluetooth(Self.strap), kinds: [.heartRate], link: status)
        #expect(
            actions == [
                .remember([known]), .report(.heartLink(status)), .report(.sensor(sensor)), .report(.heart(Self.beat)),
            ])
    }

    @Test mutating func aScanSuspendsTheAttemptAndRepeatsItAfterwards() {
        _ = find()
        let started = turn { $0.scan(for: .seconds(5), at: $1, into: &$2) }
        #expect(started == [.suspendAttempt(link: 0), .startScan])
        #expect(driver.rejection == .busy)
        clock.advance(by: .seconds(5))
        let ended = turn { $0.tick(at: $1, into: &$2) }
        #expect(
            ended == [
                .stopScan(isConnecting: false), .finishScan([Self.result(Self.strap)]),
                .connect(Self.strap, SensorKind.ofBluetooth, link: 0),
            ])
        #expect(driver.rejection == nil)
    }

    @Test mutating func aPairingStartsAtTheNextTickAndSearchesForAnUnknownStrap() {
        _ = connect()
        #expect(turn { driver, now, _ in driver.pair(SensorMatcher("Other")!, at: now) } == [])
        #expect(driver.deadline(at: clock.now) == clock.now)
        #expect(turn { $0.tick(at: $1, into: &$2) } == [.identify(SensorMatcher("Other")!)])
        #expect(turn { $0.identified(nil, at: $1, into: &$2) } == [.startScan])
        let end = clock.now + PairingResult.limit
        let found = turn { $0.found(Self.result(Self.other, "Other"), at: $1, into: &$2) }
        #expect(
            found == [.pair(Self.other, until: end, replacesKey: false), .stopScan(isConnecting: false)])
        let ended = turn { $0.pairingEnded(.paired, at: $1, into: &$2) }
        #expect(ended == [.stopPairing, .stopScan(isConnecting: false), .finishPairing(.paired)])
    }

    @Test mutating func aPairingEndsWithTheHostAndWithItsTime() {
        for (isFound, result) in [(false, PairingResult.absent), (true, .refused)] {
            _ = turn { driver, now, _ in driver.pair(Self.pattern, at: now) }
            _ = turn { $0.tick(at: $1, into: &$2) }
            _ = turn { $0.identified(isFound ? Self.strap : nil, at: $1, into: &$2) }
            clock.advance(by: PairingResult.limit)
            #expect(turn { $0.tick(at: $1, into: &$2) }.contains(.finishPairing(result)))
        }
        _ = turn { driver, now, _ in driver.pair(Self.pattern, at: now) }
        _ = turn { $0.tick(at: $1, into: &$2) }
        host.obstacle = .adapterOff
        #expect(turn { _, _, _ in }.contains(.finishPairing(.refused)))
        #expect(driver.rejection == .unavailable(.adapterOff))
    }

    @Test mutating func withoutPermissionToScanAnUnknownStrapCannotBeFound() {
        host.canScan = false
        _ = turn { $0.tick(at: $1, into: &$2) }
        let actions = turn { $0.search(at: $1, into: &$2) }
        #expect(actions.contains(.report(.heartLink(LinkStatus(.disconnected, reason: .noPermission)))))
        #expect(driver.rejection == .unavailable(.noPermission))
    }

    @Test mutating func aReleasedDriverCompletesWhatIsPending() {
        _ = turn { $0.scan(for: .seconds(5), at: $1, into: &$2) }
        var actions: [SensorDriver.Action] = []
        driver.release(at: clock.now, into: &actions)
        #expect(actions == [.finishScan([])])
    }
}
