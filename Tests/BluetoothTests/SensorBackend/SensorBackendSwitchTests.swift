import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

@Suite struct SensorBackendSwitchTests {
    private let pattern = SensorMatcher("H10")!

    @Test func backendFollowsBluetoothdAndOnlyOneServesAtATime() throws {
        let stage = try BackendFixture()
        try stage.start()
        try stage.turn { stage.story.count == 2 }
        var bluetoothd: Bus? = try stage.bluetoothd()
        try stage.turn { stage.story.count == 5 }
        bluetoothd = nil
        let goneAt = Clock.now()
        try stage.turn { stage.story.count == 8 }
        #expect(Clock.now() - goneAt >= BackendSelector.holdTime)
        #expect(
            stage.story == [
                "kernel begins", "kernel: bluetoothd does not run",
                "kernel ends", "bus begins", "bluetoothd: bluetoothd runs",
                "bus ends", "kernel begins", "kernel: bluetoothd does not run",
            ])
        #expect(bluetoothd == nil)
    }

    @Test func restartOfBluetoothdKeepsTheBackend() throws {
        let stage = try BackendFixture()
        var bluetoothd: Bus? = try stage.bluetoothd()
        try stage.start()
        try stage.turn { stage.story.count == 2 }
        bluetoothd = nil
        try stage.turn(for: .milliseconds(500))
        bluetoothd = try stage.bluetoothd()
        try stage.turn(for: BackendSelector.holdTime)
        #expect(stage.story == ["bus begins", "bluetoothd: bluetoothd runs"])
        withExtendedLifetime(bluetoothd) {}
    }

    @Test func silentBusSelectsTheKernel() throws {
        let stage = try BackendFixture()
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        try stage.start()
        let startedAt = Clock.now()
        try stage.turn { stage.story.count == 2 }
        #expect(stage.story == ["kernel begins", "kernel: the system bus does not answer"])
        #expect(Clock.now() - startedAt >= BackendSelector.startTimeout)
    }

    @Test func missingBusSelectsTheKernel() throws {
        let stage = try BackendFixture(isThere: false)
        try stage.start()
        try stage.turn { stage.story.count == 2 }
        #expect(stage.story == ["kernel begins", "kernel: bluetoothd does not run"])
    }

    @Test(arguments: [(BackendSelector.Preference.kernel, "kernel: said"), (.bluetoothd, "bluetoothd: said")])
    func configuredBackendIsKept(_ wish: BackendSelector.Preference, _ line: String) throws {
        let stage = try BackendFixture()
        var bluetoothd: Bus?
        try stage.start(wish)
        for isRunning in [false, true] {
            bluetoothd = isRunning ? try stage.bluetoothd() : nil
            try stage.turn(for: .milliseconds(300))
        }
        #expect(stage.story.count == 2 && stage.story.last == line)
        withExtendedLifetime(bluetoothd) {}
    }

    @Test func faultsOfTheOldBackendAreCleared() throws {
        let stage = try BackendFixture()
        try stage.start()
        try stage.turn { stage.story.count == 2 }
        stage.way?.report(.raise(.strapFlood, message: "a"))
        stage.way?.report(.raise(.parametersRefused, message: "b"))
        stage.way?.report(.clear(.strapFlood))
        stage.way?.report(.heartLink(LinkStatus(.disconnected, reason: .inUse)))
        let bluetoothd = try stage.bluetoothd()
        try stage.turn { stage.story.last == "bluetoothd: bluetoothd runs" }
        #expect(stage.inputs.suffix(2) == [.clear(.parametersRefused), .clear(.inUse)])
        withExtendedLifetime(bluetoothd) {}
    }

    @Test func newBackendReceivesTheRunStateAndOff() throws {
        let stage = try BackendFixture()
        try stage.start(isOff: true)
        try stage.turn { stage.story.count == 3 }
        stage.ways?.runChanged(isActive: true)
        let bluetoothd = try stage.bluetoothd()
        try stage.turn { stage.story.last == "bus stops" }
        #expect(stage.story.suffix(2) == ["bus runs", "bus stops"])
        stage.ways?.select([pattern])
        stage.ways?.forget(nil, remaining: [])
        stage.ways?.runChanged(isActive: false)
        #expect(stage.story.suffix(3) == ["bus uses 1", "bus forgets", "bus rests"])
        withExtendedLifetime(bluetoothd) {}
    }

    @Test func pendingRequestsEndWhenTheBackendChanges() throws {
        let stage = try BackendFixture()
        try stage.start()
        var scans: [Int] = []
        var pairings: [PairingResult] = []
        #expect(stage.ways?.pair(pattern) { pairings.append($0) } == .unavailable(.noBluetooth), "no way yet")
        try stage.turn { stage.story.count == 2 }
        #expect(stage.ways?.scan(for: .seconds(9)) { scans.append($0.count) } == nil)
        #expect(stage.ways?.scan(for: .seconds(9)) { scans.append($0.count) } == .busy)
        #expect(stage.ways?.pair(pattern) { pairings.append($0) } == .busy)
        stage.way?.scanned?([ScanResult(address: LEAddress(BluetoothAddress(value: 1), .public))])
        #expect(scans == [1])
        #expect(stage.ways?.pair(pattern) { pairings.append($0) } == nil)
        let bluetoothd = try stage.bluetoothd()
        try stage.turn { stage.story.last == "bluetoothd: bluetoothd runs" }
        #expect(pairings == [.refused])
        #expect(stage.ways?.scan(for: .seconds(9)) { scans.append($0.count) } == nil)
        stage.end()
        #expect(scans == [1, 0])
        #expect(stage.story.last == "bus ends")
        withExtendedLifetime(bluetoothd) {}
    }

    @Test func failedBackendIsCreatedAgain() throws {
        let stage = try BackendFixture()
        stage.failures = 1
        try stage.start()
        try stage.turn { !stage.inputs.isEmpty }
        #expect(stage.inputs == [.heartLink(LinkStatus(.disconnected, reason: .noBluetooth))])
        try stage.turn { stage.story.count == 2 }
        #expect(stage.story == ["kernel begins", "kernel: bluetoothd does not run"])
    }

    @Test(arguments: [BackendSelector.Preference.auto, .kernel])
    func hostFaultsNameTheirRemedy(_ wish: BackendSelector.Preference) throws {
        let stage = try BackendFixture()
        try stage.start(wish)
        try stage.turn { stage.story.count == 2 }
        let link = { (reason: LinkReason) in Input.heartLink(LinkStatus(.disconnected, reason: reason)) }
        for reason in [LinkReason.noPermission, .noPermission, .inUse, .searching] {
            stage.way?.report(link(reason))
        }
        let messages = stage.inputs.compactMap { if case .raise(_, let message) = $0 { message } else { nil } }
        #expect(messages.count == 2)
        #expect(messages.first?.contains("CAP_NET_ADMIN") == true)
        #expect(messages.allSatisfy { $0.contains("--bluetooth auto") == (wish == .kernel) })
        #expect(
            stage.inputs.filter { if case .clear = $0 { true } else { false } } == [
                .clear(.noPermission), .clear(.inUse),
            ])
    }
}
