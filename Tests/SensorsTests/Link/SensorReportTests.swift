import Domain
import Sensors
import TestKit
import Testing

/// What a driver reports about a strap, a power meter and a speed sensor.
struct SensorReportTests {
    private var clock = ManualClock()
    private var driver: SensorDriver
    private var host = SensorDriver.Host(canConnect: true)
    private var reports: [Input] = []
    private var disconnected: [Int] = []
    private var attempts: [LEAddress] = []
    /// Each start and stop of a scan.
    private var scans: [Bool] = []

    private static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let power = LEAddress(BluetoothAddress(value: 0xC605_0403_0201), .random)
    private static let known = [
        KnownSensor(address: strap, name: SanitizedText("Polar H10")),
        KnownSensor(address: power, name: SanitizedText("Assioma"), kinds: [.cyclingPower]),
    ]
    private static let watts = SensorMeasurement.power(CyclingPowerMeasurement(watts: 200))
    private static let beat = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882])

    init() {
        driver = Self.driver(["\(Self.strap.address)", "Assioma"], Self.known, at: clock.now)
    }

    private static func driver(_ ours: [String], _ known: [KnownSensor], at now: Instant) -> SensorDriver {
        SensorDriver(
            over: .kernel, reason: nil, kernel: "6.1", ours: ours.compactMap { SensorMatcher($0) }, remembered: known,
            at: now)
    }

    /// Reports an event and performs the actions that follow, as a backend does.
    private mutating func turn(
        _ event: (inout SensorDriver, Instant, inout [SensorDriver.Action]) -> Void = { _, _, _ in }
    ) {
        var waiting: [SensorDriver.Action] = []
        event(&driver, clock.now, &waiting)
        repeat {
            var next: [SensorDriver.Action] = []
            for action in waiting {
                switch action {
                case .search: driver.search(at: clock.now, into: &next)
                case .report(let input): reports.append(input)
                case .disconnect(_, let link): disconnected.append(link)
                case .connect(let sensor, _, _): attempts.append(sensor)
                case .startScan: scans.append(true)
                case .stopScan: scans.append(false)
                default: break
                }
            }
            if next.isEmpty { driver.reconcile(with: host, at: clock.now, into: &next) }
            waiting = next
        } while !waiting.isEmpty
    }

    private mutating func connect(_ link: Int, _ kinds: Set<SensorKind>) {
        turn { $0.connected(link: link, at: $1, into: &$2) }
        receive(.found(kinds), link)
        receive(.subscribed, link)
    }

    private mutating func receive(_ report: SensorSession.Report, _ link: Int) {
        turn { $0.received(report, link: link, at: $1, into: &$2) }
    }

    private func statuses(of sensor: LEAddress) -> [SensorStatus] {
        reports.compactMap { if case .sensor(let status) = $0, status.id == .bluetooth(sensor) { status } else { nil } }
    }

    @Test mutating func eachSensorIsReportedWithItsKindsBeforeItIsConnected() throws {
        turn { $0.tick(at: $1, into: &$2) }
        let power = try #require(statuses(of: Self.power).last)
        #expect(power.kinds == [.cyclingPower])
        #expect(power.link.state == .disconnected && power.link.name == SanitizedText("Assioma"))
        #expect(statuses(of: Self.strap).last?.kinds == [.heartRate])
        let ids = reports.compactMap { if case .sensor(let status) = $0 { status.id } else { nil } }
        #expect(ids.first == .bluetooth(Self.strap), "the strap comes first")
    }

    @Test mutating func onlyChangesAreReported() throws {
        turn { $0.tick(at: $1, into: &$2) }
        connect(1, [.cyclingPower])
        receive(.measured(Self.watts), 1)
        #expect(statuses(of: Self.power).last?.link.state == .connected)
        let count = statuses(of: Self.power).count
        for _ in 0..<5 { receive(.measured(Self.watts), 1) }
        #expect(statuses(of: Self.power).count == count)
        receive(.battery(try BatteryLevel([80].span)), 1)
        var information = DeviceInformation()
        information.manufacturer = SanitizedText("Favero")
        receive(.described(information), 1)
        let last = try #require(statuses(of: Self.power).last)
        #expect(last.batteryPercent == 80 && last.manufacturer == SanitizedText("Favero"))
        #expect(statuses(of: Self.power).count == count + 2)
        #expect(!reports.contains(.battery(percent: 80)), "that is the strap's")
    }

    @Test mutating func measurementsFollowTheStatusThatShowsTheConnection() {
        turn { $0.tick(at: $1, into: &$2) }
        connect(1, [.cyclingPower])
        reports = []
        receive(.measured(Self.watts), 1)
        #expect(statuses(of: Self.power).last?.link.state == .connected)
        #expect(reports.last == .measurement(.bluetooth(Self.power), Self.watts))
        #expect(reports.count == 2)
    }

    @Test mutating func theHeartRateIsNoMeasurementOfTheList() {
        turn { $0.tick(at: $1, into: &$2) }
        connect(0, [.heartRate])
        connect(1, [.cyclingPower])
        receive(.measured(.heartRate(Self.beat)), 0)
        receive(.measured(.heartRate(Self.beat)), 1)
        #expect(reports.filter { $0 == .heart(Self.beat) }.count == 1)
        #expect(!reports.contains { if case .measurement = $0 { true } else { false } })
    }

    @Test mutating func aStrapThatIsAlsoAFootPodIsReadOverOneLink() {
        turn { $0.tick(at: $1, into: &$2) }
        connect(0, [.heartRate])
        receive(.measured(.heartRate(Self.beat)), 0)
        receive(.found([.runningSpeedCadence]), 0)
        let running = SensorMeasurement.running(RunningMeasurement(rawSpeed: 768, cadence: 90))
        receive(.measured(running), 0)
        #expect(statuses(of: Self.strap).last?.kinds == [.heartRate, .runningSpeedCadence])
        #expect(reports.last == .measurement(.bluetooth(Self.strap), running))
        #expect(disconnected == [])
    }

    @Test mutating func anotherSensorInTheStrapsLinkMovesToItsOwn() {
        // Its advertisements name no service, so it passes for a strap until its services are read.
        driver = Self.driver(["Assioma"], [], at: clock.now)
        turn { $0.tick(at: $1, into: &$2) }
        let result = ScanResult(address: Self.power, name: SanitizedText("Assioma"), rssi: -60)
        turn { $0.found(result, at: $1, into: &$2) }
        connect(0, [.cyclingPower])
        #expect(disconnected == [0])
        turn { $0.tick(at: $1, into: &$2) }
        turn { $0.found(result, at: $1, into: &$2) }
        #expect(attempts == [Self.power, Self.power])
        #expect(driver.sensor(of: 1) == Self.power)
        connect(1, [.cyclingPower])
        receive(.measured(Self.watts), 1)
        #expect(statuses(of: Self.power).last?.link.state == .connected)
        #expect(!reports.contains(.sensorRemoved(.bluetooth(Self.power))), "it is on another link at once")
    }

    @Test mutating func aDeviceWithoutHeartRateThatNobodyChoseIsDisconnected() {
        driver = Self.driver([], [], at: clock.now)
        turn { $0.tick(at: $1, into: &$2) }
        let result = ScanResult(
            address: Self.power, name: SanitizedText("Assioma"), rssi: -40, services: [AttributeUUID(0x180D)])
        turn { $0.found(result, at: $1, into: &$2) }
        clock.now = clock.now + .seconds(4)
        turn { $0.tick(at: $1, into: &$2) }
        #expect(attempts == [Self.power])
        connect(0, [.cyclingPower])
        #expect(disconnected == [0])
    }

    @Test mutating func aSensorThatIsNotOursAnyMoreIsRemoved() {
        turn { $0.tick(at: $1, into: &$2) }
        connect(1, [.cyclingPower])
        turn { $0.forget(SensorMatcher("Assioma"), ours: [], at: $1, into: &$2) }
        #expect(reports.contains(.sensorRemoved(.bluetooth(Self.power))))
        turn { $0.forget(nil, ours: [], at: $1, into: &$2) }
        #expect(reports.contains(.sensorRemoved(.bluetooth(Self.strap))))
    }

    @Test mutating func aFullAdapterIsTheStateOfTheSensorsLink() {
        turn { $0.tick(at: $1, into: &$2) }
        turn { $0.ended(.adapterFull, link: 1, at: $1, into: &$2) }
        #expect(statuses(of: Self.power).last?.link.reason == .adapterFull)
    }

    @Test mutating func aRequestedScanListsSensorsOfEveryKind() {
        var results: [ScanResult]?
        turn { $0.tick(at: $1, into: &$2) }
        let found = ScanResult(
            address: Self.power, name: SanitizedText("Assioma"), rssi: -60, services: [AttributeUUID(0x1818)])
        turn { $0.scan(for: .seconds(5), at: $1, into: &$2) }
        turn { $0.found(found, at: $1, into: &$2) }
        clock.now = clock.now + .seconds(5)
        turn { driver, now, actions in
            driver.tick(at: now, into: &actions)
            for case .finishScan(let list) in actions { results = list }
        }
        #expect(results?.map(\.address) == [Self.power])
    }

    @Test mutating func aSensorThatWasNeverHeardIsFoundBesideAConnectedStrap() {
        driver = Self.driver(["Polar H10", "Assioma"], [Self.known[0]], at: clock.now)
        turn { $0.tick(at: $1, into: &$2) }
        let strap = ScanResult(
            address: Self.strap, name: SanitizedText("Polar H10"), rssi: -60, services: [AttributeUUID(0x180D)])
        turn { $0.found(strap, at: $1, into: &$2) }
        connect(0, [.heartRate])
        receive(.measured(.heartRate(Self.beat)), 0)
        turn { $0.tick(at: $1, into: &$2) }
        #expect(scans.last == true, "it is scanned for")
        let power = ScanResult(
            address: Self.power, name: SanitizedText("Assioma"), rssi: -60, services: [AttributeUUID(0x1818)])
        turn { $0.found(power, at: $1, into: &$2) }
        turn { $0.tick(at: $1, into: &$2) }
        #expect(attempts == [Self.strap, Self.power])
        connect(1, [.cyclingPower])
        receive(.measured(Self.watts), 1)
        #expect(scans.last == false, "all are known")
    }
}
