import Domain
import Linux
import Sensors
import TestKit
import Testing

/// Errors of bluetoothd, the host and the strap.
@Suite struct BluetoothdErrorTests {
    private static let aborted = BusError("org.bluez.Error.Failed", "le-connection-abort-by-local")
    private static let inProgress = BusError("org.bluez.Error.InProgress", "Operation already in progress")
    private static let notSupported = BusError("org.bluez.Error.NotSupported", "Operation is not supported")
    private static let held = BusError("org.bluez.Error.NotPermitted", "Notify acquired")

    @Test func abortedConnectIsRetried() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["Connect"] = [.fails(Self.aborted), .fails(Self.aborted), .fails(Self.aborted)]
        try bench.stream()
        #expect(bench.bluez.count(of: "Connect") == 4)
    }

    @Test func stuckDiscoveryIsRestarted() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["StartDiscovery"] = [.fails(Self.inProgress), .fails(Self.inProgress)]
        try bench.stream()
    }

    /// BlueZ 5.66 reports a failure, later versions that a connection is in progress.
    @Test(arguments: ["org.bluez.Error.Failed", "org.bluez.Error.InProgress"])
    func connectStartedByAnotherClientIsAwaited(name: String) throws {
        let bench = try BluetoothdFixture()
        bench.bluez.called = { [unowned bench] call in
            guard call.member == "Connect" else { return }
            bench.bluez.after(.milliseconds(200)) { bench.bluez.connect() }
        }
        bench.bluez.script["Connect"] = [.fails(BusError(name, "Operation already in progress"))]
        try bench.stream()
        #expect(bench.bluez.count(of: "Connect") == 1)
    }

    @Test func poweredOffAdapterIsPoweredOnForTheStrap() throws {
        let bench = try BluetoothdFixture(isBlueZThere: false)
        bench.bluez.isPoweredAtStart = false
        try bench.bluez.start()
        try bench.stream()
        #expect(bench.bluez.isPowered)
    }

    @Test func discoveryThatIsNotReadyIsRetried() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["StartDiscovery"] = [.fails(BusError("org.bluez.Error.NotReady", "Resource Not Ready"))]
        try bench.stream()
    }

    @Test func blockedAdapterIsReportedAndRetried() throws {
        let bench = try BluetoothdFixture(isBlueZThere: false)
        bench.bluez.isPoweredAtStart = false
        bench.bluez.isBlocked = true
        try bench.bluez.start()
        try bench.start()
        try bench.turn { bench.links.last?.reason == .adapterBlocked }
        bench.bluez.isBlocked = false
        try bench.streamAgain()
    }

    @Test func adapterPoweredOffByOthersIsPoweredOnAndTheStrapStreams() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        bench.bluez.power(false)
        try bench.streamAgain()
        #expect(bench.links.contains { $0.reason == .adapterOff })
    }

    @Test func adapterThatIsUnpluggedAndPluggedInIsUsedAgain() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        bench.bluez.unplug()
        try bench.turn { bench.links.last?.reason == .noAdapter }
        bench.bluez.plug()
        try bench.streamAgain()
    }

    @Test func accessDeniedIsReportedAsNoPermission() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.always["GetManagedObjects"] = .fails(BusError(BusError.accessDenied, "Rejected send message"))
        try bench.start()
        try bench.turn { bench.links.last?.reason == .noPermission }
        bench.bluez.always = [:]
        try bench.streamAgain()
    }

    /// bluetoothd removes a temporary device some time after the discovery.
    @Test func deviceRemovedBeforeConnectIsFoundAgain() throws {
        let bench = try BluetoothdFixture()
        var isRemoved = false
        bench.bluez.called = { [unowned bench] call in
            guard call.member == "Connect", !isRemoved else { return }
            isRemoved = true
            bench.bluez.forget()
        }
        bench.bluez.script["Connect"] = [
            .fails(BusError("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\" doesn't exist"))
        ]
        try bench.stream()
        #expect(isRemoved)
    }

    @Test func missingStartNotifyFallsBackToASocket() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.always["StartNotify"] = .fails(Self.notSupported)
        try bench.stream()
        #expect(bench.bluez.count(of: "AcquireNotify") == 1)
        bench.bluez.drop()
        try bench.streamAgain()
    }

    @Test func notificationsHeldByOthersAreReportedAsInUse() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.always["AcquireNotify"] = .fails(Self.held)
        bench.bluez.always["StartNotify"] = .fails(Self.held)
        try bench.start()
        try bench.turn { bench.links.last?.reason == .inUse }
        bench.bluez.always = [:]
        try bench.streamAgain()
    }

    @Test func strapThatNeedsPairingIsReported() throws {
        var strap = FakeBlueZStrap()
        strap.needsPairing = true
        let bench = try BluetoothdFixture([strap])
        try bench.start()
        try bench.turn { bench.links.last?.reason == .needsPairing }
        #expect(bench.hearts.isEmpty)
        bench.bluez.change { $0.isPaired = true }
        try bench.streamAgain(limit: .seconds(40))
    }

    @Test(arguments: [FakeBlueZStrap.Channel.none, .stream, .pipe, .file, .null])
    func descriptorOfTheWrongKindIsReleased(channel: FakeBlueZStrap.Channel) throws {
        var strap = FakeBlueZStrap()
        strap.channel = channel
        let bench = try BluetoothdFixture([strap])
        bench.bluez.always["StartNotify"] = .fails(Self.notSupported)
        try bench.start()
        try bench.turn { bench.bluez.count(of: "AcquireNotify") == 2 }
        #expect(bench.hearts.isEmpty)
        bench.bluez.always = [:]
        try bench.streamAgain()
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 })
    }

    @Test func readInProgressIsRetried() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["ReadValue"] = Array(repeating: .fails(Self.inProgress), count: 3)
        try bench.stream()
        try bench.turn { !bench.batteries.isEmpty && !bench.information.isEmpty }
        #expect(bench.batteries == [87])
        #expect(bench.information.map(\.model?.text) == ["H10"])
    }
}
