import Domain
import Sensors
import TestKit
import Testing

/// A strap, a power meter and a speed sensor on one adapter.
struct SeveralSensorsTests {
    private var clock = ManualClock()
    private var driver: SensorDriver
    private var host = SensorDriver.Host(canConnect: true)

    private static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let power = LEAddress(BluetoothAddress(value: 0xC605_0403_0201), .random)
    private static let speed = LEAddress(BluetoothAddress(value: 0xC605_0403_0202), .random)
    private static let known = [
        KnownSensor(address: strap, name: SanitizedText("Polar H10")),
        KnownSensor(address: power, name: SanitizedText("Assioma"), kinds: [.cyclingPower]),
        KnownSensor(address: speed, name: SanitizedText("Speed"), kinds: [.cyclingSpeedCadence]),
    ]

    init() {
        driver = Self.driver(["Polar H10", "Assioma", "Speed"], Self.known, at: clock.now)
    }

    private static func driver(_ names: [String], _ known: [KnownSensor], at now: Instant) -> SensorDriver {
        SensorDriver(
            over: .kernel, reason: nil, kernel: "6.1", ours: names.compactMap { SensorMatcher($0) }, remembered: known,
            at: now)
    }

    /// Reports an event, performs the search, and returns the actions of the radio.
    @discardableResult
    private mutating func turn(
        _ event: (inout SensorDriver, Instant, inout [SensorDriver.Action]) -> Void = { _, _, _ in }
    ) -> [SensorDriver.Action] {
        var performed: [SensorDriver.Action] = []
        var waiting: [SensorDriver.Action] = []
        event(&driver, clock.now, &waiting)
        repeat {
            var next: [SensorDriver.Action] = []
            for action in waiting {
                switch action {
                case .search: driver.search(at: clock.now, into: &next)
                case .tune, .report, .remember, .describe: break
                default: performed.append(action)
                }
            }
            if next.isEmpty { driver.reconcile(with: host, at: clock.now, into: &next) }
            waiting = next
        } while !waiting.isEmpty
        return performed
    }

    /// Ticks at each deadline until the time has passed.
    @discardableResult
    private mutating func wait(_ duration: Duration) -> [SensorDriver.Action] {
        let end = clock.now + duration
        var actions: [SensorDriver.Action] = []
        while let deadline = driver.deadline(at: clock.now), deadline <= end {
            clock.now = max(clock.now, deadline)
            actions += turn { $0.tick(at: $1, into: &$2) }
        }
        clock.now = end
        return actions
    }

    private static func result(_ address: LEAddress, _ name: String, _ service: UInt16) -> ScanResult {
        ScanResult(address: address, name: SanitizedText(name), rssi: -60, services: [AttributeUUID(service)])
    }

    private static func attempt(_ sensor: LEAddress, _ link: Int) -> SensorDriver.Action {
        .connect(sensor, SensorKind.ofBluetooth.filter { link == 0 || $0 != .heartRate }, link: link)
    }

    private mutating func connect(_ link: Int) -> [SensorDriver.Action] {
        turn { $0.connected(link: link, at: $1, into: &$2) }
            + turn { $0.received(.subscribed, link: link, at: $1, into: &$2) }
    }

    private mutating func find(_ address: LEAddress, _ name: String, _ service: UInt16) -> [SensorDriver.Action] {
        turn { $0.found(Self.result(address, name, service), at: $1, into: &$2) }
    }

    // MARK: Zero offset

    private mutating func compensate(_ name: String? = nil) -> (ZeroOffsetResult?, [SensorDriver.Action]) {
        var result: ZeroOffsetResult?
        let actions = turn { result = $0.compensateOffset(name.flatMap { SensorMatcher($0) }, at: $1, into: &$2) }
        return (result, actions)
    }

    /// Connects the power meter over the link 1 and returns once it measures.
    private mutating func measurePower() {
        useAddresses()
        turn { $0.tick(at: $1, into: &$2) }
        _ = connect(1)
        turn { $0.received(.found([.cyclingPower]), link: 1, at: $1, into: &$2) }
        let power = SensorMeasurement.power(CyclingPowerMeasurement(watts: 200))
        turn { $0.received(.measured(power), link: 1, at: $1, into: &$2) }
    }

    @Test mutating func theZeroOffsetIsThatOfTheConnectedPowerMeter() {
        #expect(compensate() == (.absent, []))
        measurePower()
        #expect(compensate("Speed") == (.absent, []))
        #expect(compensate("assioma") == (nil, [.compensateOffset(link: 1)]))
        #expect(compensate() == (.busy, []))
        let result = ZeroOffsetResult.compensated(ZeroOffset(12, isTorque: false))
        #expect(turn { $0.received(.compensated(result), link: 2, at: $1, into: &$2) } == [])
        #expect(
            turn { $0.received(.compensated(result), link: 1, at: $1, into: &$2) } == [.finishCompensation(result)])
        #expect(compensate() == (nil, [.compensateOffset(link: 1)]))
        #expect(turn { $0.release(at: $1, into: &$2) } == [.finishCompensation(.unanswered)])
    }

    @Test mutating func theZeroOffsetEndsWithItsConnection() {
        measurePower()
        _ = compensate()
        turn { $0.ended(.supervisionTimeout, link: 1, at: $1, into: &$2) }
        #expect(wait(.milliseconds(1)).contains(.finishCompensation(.unanswered)))
    }

    @Test mutating func theZeroOffsetHasATimeLimit() {
        measurePower()
        _ = compensate()
        #expect(!wait(OffsetCompensation.limit - .milliseconds(1)).contains(.finishCompensation(.unanswered)))
        #expect(wait(.milliseconds(1)).contains(.finishCompensation(.unanswered)))
    }

    // MARK: Without a scan

    /// A strap that is set by its address needs no scan.
    private mutating func useAddresses() {
        driver = Self.driver(["\(Self.strap.address)", "Assioma", "Speed"], Self.known, at: clock.now)
    }

    @Test mutating func allAbsentSensorsWaitForTheirAdvertisementsAtOnce() {
        useAddresses()
        let actions = turn { $0.tick(at: $1, into: &$2) }
        for (link, sensor) in [Self.strap, Self.power, Self.speed].enumerated() {
            #expect(actions.contains(Self.attempt(sensor, link)))
        }
        #expect(!actions.contains(.startScan))
    }

    @Test mutating func absentSensorsLeaveTheOthersAlone() {
        useAddresses()
        turn { $0.tick(at: $1, into: &$2) }
        _ = connect(1)
        turn { $0.ended(.notFound, link: 2, at: $1, into: &$2) }
        var actions: [SensorDriver.Action] = []
        for _ in 0..<60 {
            actions += wait(.seconds(10))
            actions += turn { $0.ended(.notFound, link: 2, at: $1, into: &$2) }
            actions += turn { $0.received(.subscribed, link: 1, at: $1, into: &$2) }
            guard actions.filter({ $0 == Self.attempt(Self.speed, 2) }).count < 5 else { break }
        }
        #expect(actions.contains(Self.attempt(Self.speed, 2)), "it is awaited again and again")
        #expect(!actions.contains(.disconnect(Self.power, link: 1)))
        #expect(!actions.contains(.startScan))
    }

    @Test mutating func eachSensorOfARunRestsAtMostFiveSeconds() {
        useAddresses()
        turn { driver, now, _ in driver.runChanged(isActive: true, at: now) }
        turn { $0.tick(at: $1, into: &$2) }
        for loss in 0..<12 {
            for link in 0..<3 { _ = connect(link) }
            let lost = turn { driver, now, actions in
                for link in 0..<3 { driver.ended(.supervisionTimeout, link: link, at: now, into: &actions) }
            }
            let actions = lost + wait(.seconds(5))
            for (link, sensor) in [Self.strap, Self.power, Self.speed].enumerated() {
                #expect(actions.contains(Self.attempt(sensor, link)), "loss \(loss)")
            }
        }
    }

    // MARK: With a scan

    @Test mutating func whileTheStrapIsScannedForTheOthersAreFoundByTheScan() {
        driver = Self.driver(["Assioma", "Speed"], Array(Self.known.dropFirst()), at: clock.now)
        let first = turn { $0.tick(at: $1, into: &$2) }
        #expect(first.last == .startScan)
        let found = find(Self.power, "Assioma", 0x1818)
        #expect(found == [.stopScan(isConnecting: true), Self.attempt(Self.power, 1)])
        let connected = turn { $0.connected(link: 1, at: $1, into: &$2) }
        #expect(connected.last == .startScan && connected.count == 2)
    }

    @Test mutating func aScanPausesForOneConnectionAndResumes() {
        driver = Self.driver(["Assioma", "Speed"], Array(Self.known.dropFirst()), at: clock.now)
        turn { $0.tick(at: $1, into: &$2) }
        _ = find(Self.power, "Assioma", 0x1818)
        let ended = turn { $0.ended(.unreachable, link: 1, at: $1, into: &$2) }
        #expect(ended.contains(.startScan), "the strap is still scanned for")
        wait(.seconds(1))
        #expect(find(Self.power, "Assioma", 0x1818).contains(Self.attempt(Self.power, 1)))
    }

    @Test mutating func theStrapGoesFirstInARun() {
        driver = Self.driver(["Polar H10", "Assioma"], Self.known, at: clock.now)
        turn { driver, now, _ in driver.runChanged(isActive: true, at: now) }
        turn { $0.tick(at: $1, into: &$2) }
        turn { $0.scan(for: .seconds(5), at: $1, into: &$2) }
        // Both are heard during a scan that a person requested.
        _ = find(Self.power, "Assioma", 0x1818)
        _ = find(Self.strap, "Polar H10", 0x180D)
        let actions = wait(.seconds(5))
        #expect(actions.contains(Self.attempt(Self.strap, 0)))
        #expect(!actions.contains(Self.attempt(Self.power, 1)))
        #expect(connect(0).contains(Self.attempt(Self.power, 1)))
    }

    @Test mutating func aStrapThatDoesNotAnswerDelaysTheOthersByFiveSeconds() {
        driver = Self.driver(["Polar H10", "Assioma"], Self.known, at: clock.now)
        turn { driver, now, _ in driver.runChanged(isActive: true, at: now) }
        turn { $0.tick(at: $1, into: &$2) }
        turn { $0.scan(for: .seconds(1), at: $1, into: &$2) }
        _ = find(Self.power, "Assioma", 0x1818)
        _ = find(Self.strap, "Polar H10", 0x180D)
        #expect(!wait(.seconds(4)).contains(Self.attempt(Self.power, 1)))
        #expect(wait(.seconds(2)).contains(Self.attempt(Self.power, 1)))
    }

    // MARK: Selection

    @Test mutating func theStrapIsFoundAutomaticallyBesideAConfiguredPowerMeter() {
        driver = Self.driver(["Assioma"], [], at: clock.now)
        turn { $0.tick(at: $1, into: &$2) }
        _ = find(Self.power, "Assioma", 0x1818)
        _ = connect(1)
        _ = find(Self.strap, "Polar H10", 0x180D)
        var actions: [SensorDriver.Action] = []
        for _ in 0..<16 {
            actions += wait(.seconds(1))
            actions += find(Self.strap, "Polar H10", 0x180D)
        }
        #expect(actions.contains(Self.attempt(Self.strap, 0)))
    }

    @Test mutating func anUnselectedSensorIsDisconnectedAndItsLinkIsUsedAgain() {
        useAddresses()
        turn { $0.tick(at: $1, into: &$2) }
        _ = connect(1)
        let entries = ["\(Self.strap.address)", "Speed"].compactMap { SensorMatcher($0) }
        let actions = turn { $0.select(entries, at: $1, into: &$2) }
        #expect(actions.contains(.disconnect(Self.power, link: 1)))
        #expect(!actions.contains(.disconnect(Self.speed, link: 2)))
        let all = ["\(Self.strap.address)", "Assioma", "Speed"].compactMap { SensorMatcher($0) }
        let again = turn { $0.select(all, at: $1, into: &$2) } + wait(.zero)
        #expect(again.contains(Self.attempt(Self.power, 1)))
    }

    @Test mutating func eightLinksAreTheMost() {
        let many = (0..<12).map { index in
            KnownSensor(
                address: LEAddress(BluetoothAddress(value: 0xC605_0403_0300 + UInt64(index)), .random),
                name: SanitizedText("Sensor \(index)"), kinds: [.cyclingPower])
        }
        driver = Self.driver(many.compactMap(\.name?.text), many, at: clock.now)
        let links = turn { $0.tick(at: $1, into: &$2) }.compactMap { action -> Int? in
            if case .connect(_, _, let link) = action { link } else { nil }
        }
        #expect(links.allSatisfy { $0 < SensorDriver.linkLimit })
    }

    // MARK: Everything at random

    @Test(arguments: 0..<20)
    mutating func noSequenceOfEventsScansAndConnectsAtOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        if seed.isMultiple(of: 2) { useAddresses() }
        let sensors = [
            (Self.strap, "Polar H10", 0x180D), (Self.power, "Assioma", 0x1818), (Self.speed, "Speed", 0x1816),
        ]
        var isScanning = false
        var attempts: Set<Int> = []
        var connected: Set<Int> = []
        for step in 0..<2000 {
            var actions: [SensorDriver.Action]
            let link = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: actions = wait(.milliseconds(.random(in: 0..<3000, using: &random)))
            case 1, 2:
                let (address, name, service) = sensors[link]
                actions = find(address, name, UInt16(service))
            case 3 where attempts.contains(link):
                attempts.remove(link)
                connected.insert(link)
                actions = connect(link)
            case 4 where attempts.contains(link) || connected.contains(link):
                attempts.remove(link)
                connected.remove(link)
                let cause =
                    [DisconnectCause.unreachable, .remoteTerminated, .supervisionTimeout, .adapterFull]
                    .randomElement(using: &random) ?? .ended
                actions = turn { $0.ended(cause, link: link, at: $1, into: &$2) }
            case 5:
                let isActive = Bool.random(using: &random)
                actions = turn { driver, now, _ in driver.runChanged(isActive: isActive, at: now) }
            case 6 where driver.rejection == nil && step.isMultiple(of: 7):
                actions = turn { $0.scan(for: .seconds(2), at: $1, into: &$2) }
            default: actions = wait(.milliseconds(200))
            }
            for action in actions {
                switch action {
                case .startScan:
                    #expect(attempts.isEmpty, "attempts are cancelled before a scan")
                    isScanning = true
                case .stopScan: isScanning = false
                case .connect(_, _, let link):
                    #expect(!isScanning, "the scan is stopped before an attempt")
                    #expect(!attempts.contains(link) && !connected.contains(link))
                    attempts.insert(link)
                case .suspendAttempt(let link): attempts.remove(link)
                case .disconnect(_, let link):
                    attempts.remove(link)
                    connected.remove(link)
                default: break
                }
            }
        }
    }
}
