import Domain
import Linux
import TestKit
import Testing

/// The bluetoothd backend when replies are late or missing, or objects disappear.
@Suite struct BluetoothdFailureTests {
    private static let notSupported = BusError("org.bluez.Error.NotSupported", "Operation is not supported")

    @Test func strapConnectsAndStreams() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        try bench.turn { !bench.batteries.isEmpty && !bench.information.isEmpty }
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 && $0.contact == true })
        #expect(bench.links.last?.state == .connected)
        #expect(bench.links.last?.name?.text == "Polar H10 9AD13824")
        #expect(bench.bluez.count(of: "Connect") == 1)
    }

    /// bluetoothd shows the last known value, however old.
    @Test(arguments: [FakeBlueZStrap.Channel.socket, .none])
    func cachedValueIsNotAMeasurement(channel: FakeBlueZStrap.Channel) throws {
        var strap = FakeBlueZStrap()
        strap.channel = channel
        strap.isLeftConnected = true
        let bench = try BluetoothdFixture([strap])
        if channel == .socket { bench.bluez.always["StartNotify"] = .fails(Self.notSupported) }
        try bench.stream()
        bench.bluez.drop()
        try bench.streamAgain()
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 })
    }

    @Test func servicesAddedAfterResolutionAreAwaited() throws {
        var strap = FakeBlueZStrap()
        strap.services = .late(.milliseconds(500))
        let bench = try BluetoothdFixture([strap])
        try bench.stream()
        #expect(bench.bluez.count(of: "Connect") == 1)
    }

    @Test func linkWithoutAConnectedPropertyIsUsed() throws {
        var strap = FakeBlueZStrap()
        strap.isToldConnected = false
        let bench = try BluetoothdFixture([strap])
        try bench.stream()
        #expect(bench.bluez.count(of: "Connect") == 1)
        #expect(bench.bluez.count(of: "Disconnect") == 0)
        bench.bluez.drop()
        try bench.streamAgain()
    }

    @Test func unresolvedServicesTimeOutAndTheStrapIsRetried() throws {
        var strap = FakeBlueZStrap()
        strap.services = .unresolved
        let bench = try BluetoothdFixture([strap])
        try bench.start()
        try bench.turn { bench.bluez.straps[0].isConnected }
        bench.bluez.change { $0.services = .usual }
        try bench.streamAgain(limit: .seconds(40))
        #expect(bench.bluez.count(of: "Disconnect") >= 1)
        #expect(bench.bluez.straps[0].connections == 2)
    }

    @Test func silentStrapIsSubscribedAgain() throws {
        var strap = FakeBlueZStrap()
        strap.silentAfter = 0
        let bench = try BluetoothdFixture([strap])
        try bench.start()
        func asked() -> Int { bench.bluez.count(of: "AcquireNotify") + bench.bluez.count(of: "StartNotify") }
        try bench.turn { asked() == 1 }
        try bench.turn(for: .milliseconds(300))
        bench.bluez.change { $0.silentAfter = nil }
        try bench.streamAgain()
        #expect(asked() > 1)
        #expect(bench.bluez.count(of: "Connect") == 1)
    }

    /// Paired or not: bluetoothd's data about a paired strap must not be removed.
    @Test(arguments: [(false, 0), (true, 0), (true, 3)])
    func strapThatDisconnectsBeforeItsSubscriptionReturns(isPaired: Bool, beats: Int) throws {
        var strap = FakeBlueZStrap()
        strap.isPaired = isPaired
        strap.agrees = beats > 0
        strap.silentAfter = beats
        let bench = try BluetoothdFixture([strap])
        try bench.start()
        func asked() -> Int { bench.bluez.count(of: "AcquireNotify") + bench.bluez.count(of: "StartNotify") }
        if beats > 0 {
            try bench.turn { bench.hearts.count == beats }
            bench.bluez.change { $0.agrees = false }
        }
        try bench.turn { asked() == (beats > 0 ? 2 : 1) }
        bench.bluez.change {
            $0.agrees = true
            $0.silentAfter = nil
        }
        bench.bluez.drop()
        try bench.streamAgain()
        #expect(!bench.links.contains { $0.reason == .inUse })
        #expect(bench.bluez.count(of: "RemoveDevice") == 0)
    }

    @Test func droppedLinkIsReconnectedEachTime() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        for _ in 0..<3 {
            bench.bluez.drop()
            try bench.streamAgain()
        }
        #expect(bench.bluez.straps[0].connections == 4)
    }

    @Test func strapOutOfRangeIsReconnectedWhenItReturns() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        bench.bluez.change { $0.isAdvertising = false }
        bench.bluez.drop()
        try bench.turn { bench.links.last?.reason == .outOfRange }
        try bench.turn(for: .seconds(3))
        bench.bluez.change { $0.isAdvertising = true }
        try bench.streamAgain()
    }

    @Test func existingResolvedLinkIsUsed() throws {
        var strap = FakeBlueZStrap()
        strap.isLeftConnected = true
        let bench = try BluetoothdFixture([strap])
        try bench.stream()
        #expect(bench.bluez.count(of: "Connect") == 0)
        #expect(bench.bluez.count(of: "Disconnect") == 0)
    }

    @Test func existingUnresolvedLinkIsClosedFirst() throws {
        var strap = FakeBlueZStrap()
        strap.isLeftConnected = true
        let bench = try BluetoothdFixture([strap], isBlueZThere: false)
        bench.bluez.leavesResolved = false
        try bench.bluez.start()
        bench.bluez.change { $0.isLeftConnected = false }
        try bench.stream()
        #expect(bench.bluez.count(of: "Disconnect") == 1)
        #expect(bench.bluez.count(of: "Connect") == 1)
    }

    @Test func killedBluetoothdIsUsedAgainAfterItsRestart() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        for _ in 0..<2 {
            bench.bluez.stop()
            try bench.turn { bench.links.last?.reason == .noBluetooth }
            try bench.bluez.start()
            try bench.streamAgain()
        }
    }

    @Test func bluetoothdThatStartsLaterIsUsed() throws {
        let bench = try BluetoothdFixture(isBlueZThere: false)
        try bench.start()
        try bench.turn { bench.links.last?.reason == .noBluetooth }
        try bench.bluez.start()
        try bench.streamAgain()
    }

    @Test func restartedBusIsUsedAgain() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        bench.bus.stop()
        try bench.turn { bench.links.last?.reason == .noBluetooth }
        try bench.bus.start()
        try bench.bluez.start()
        try bench.streamAgain()
    }

    @Test func silentBluetoothdIsReportedAndReconnected() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.always["*"] = .never
        try bench.start()
        try bench.turn { bench.links.last?.reason == .noBluetooth && bench.bluez.count(of: "GetManagedObjects") >= 2 }
        bench.bluez.always = [:]
        try bench.streamAgain()
    }

    @Test(arguments: ["StartDiscovery", "StartNotify"])
    func unansweredMethodCallIsRetried(member: String) throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script[member] = [.never]
        try bench.start()
        try bench.streamAgain(limit: .seconds(80))
        #expect(bench.bluez.count(of: member) >= 1)
    }

    @Test func answersThatTakeTwoSecondsDoNotBlockTheLoop() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.always["*"] = .late(.seconds(2))
        try bench.start()
        var worst = Duration.zero
        let deadline = Clock.now() + .seconds(40)
        while bench.hearts.count < 2, Clock.now() < deadline { worst = max(worst, try bench.turn(for: .seconds(1))) }
        #expect(bench.hearts.count >= 2)
        // A blocking call would stall the loop for 2 s.
        #expect(worst < .seconds(1))
    }

    @Test func releasedBackendClosesItsLinkAndReportsNothing() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        bench.release()
        try bench.turn { !bench.bluez.straps[0].isConnected && !bench.bluez.isDiscovering }
        let before = bench.inputs.count
        try bench.turn(for: .milliseconds(200))
        #expect(bench.inputs.count == before)
    }
}
