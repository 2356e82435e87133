import Domain
import Sensors
import TestKit
import Testing

struct MgmtAdapterSessionTests {
    private let address = BluetoothAddress(value: 0x001A_7DDA_7113)
    private let second = BluetoothAddress(value: 0x00AA_0100_0001)
    private let strap = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)
    private let strapBytes: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 0x02]

    /// Returns a fixture that is ready for connections.
    private func readyStage(_ choice: AdapterChoice = .any) -> MgmtAdapterFixture {
        var stage = MgmtAdapterFixture(choice)
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.open()
        return stage
    }

    @Test func poweredOffAdapterIsSetUp() {
        let stage = readyStage()
        #expect(stage.kernel.opcodes == [0x03, 0x04, 0x0D, 0x05, 0x15, 0x18, 0x4C])
        #expect(stage.session.status == .ready)
        #expect(stage.session.isQuiet)
        #expect(stage.session.address == address)
        #expect(stage.session.deadline == nil, "nothing to do, nothing to wake for")
    }

    @Test func missingAdapterIsReportedUntilOneIsAdded() {
        var stage = MgmtAdapterFixture()
        #expect(stage.session.status == .unknown)
        stage.open()
        #expect(stage.session.status == .absent)
        stage.hear(stage.kernel.plug(FakeKernel.Adapter(address), as: 3))
        #expect(stage.session.status == .ready)
        #expect(stage.session.index == 3)
    }

    @Test func unreadableAdapterIsNotUsed() {
        var stage = MgmtAdapterFixture()
        stage.open()
        stage.hear(FakeKernel.event(4, 0, []))
        #expect(stage.session.status == .absent, "it could not be read")
    }

    @Test func adapterIsRecognisedByItsAddressUnderAnotherIndex() {
        var stage = readyStage(.index(0))
        stage.hear(stage.kernel.unplug(0))
        #expect(stage.session.status == .absent)
        stage.hear(stage.kernel.plug(FakeKernel.Adapter(second), as: 0))
        #expect(stage.session.status == .absent, "the number alone is another adapter")
        stage.hear(stage.kernel.plug(FakeKernel.Adapter(address), as: 2))
        #expect(stage.session.status == .ready)
        #expect(stage.session.index == 2)
    }

    @Test func otherAdapterReplacesARemovedOne() {
        var stage = MgmtAdapterFixture()
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.kernel.adapters[1] = FakeKernel.Adapter(second)
        stage.open()
        #expect(stage.session.address == address, "the lowest number")
        stage.hear(stage.kernel.unplug(0))
        #expect(stage.session.address == second)
        #expect(stage.session.status == .ready)
        stage.hear(stage.kernel.plug(FakeKernel.Adapter(address), as: 0))
        #expect(stage.session.address == second, "what serves is kept")
    }

    @Test func adapterChosenByAddressIsUsed() {
        var stage = MgmtAdapterFixture(.address(second))
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.kernel.adapters[1] = FakeKernel.Adapter(second)
        stage.open()
        #expect(stage.session.index == 1)
        #expect(stage.kernel.adapters[0]?.isPowered == false, "the other one is left alone")
    }

    @Test func searchRepeatsDiscoveries() {
        var stage = readyStage()
        stage.search()
        #expect(stage.kernel.adapters[0]?.isDiscovering == true)
        #expect(!stage.session.isQuiet)
        stage.pass(.seconds(12))
        // The first six are cut short.
        #expect(stage.kernel.opcodes.filter { $0 == 0x23 }.count == 7)
        #expect(stage.kernel.opcodes.filter { $0 == 0x24 }.count == 6)
        stage.pass(.seconds(9))
        #expect(stage.kernel.adapters[0]?.isDiscovering == true)
        stage.hear(stage.kernel.endDiscovery(0))
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
        stage.pass(.seconds(0.1))
        #expect(stage.kernel.adapters[0]?.isDiscovering == true)
        stage.search(false)
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
        #expect(stage.session.isQuiet)
    }

    @Test(arguments: [true, false])
    func ownDiscoveryLeftRunningByAClosedChannelIsStopped(isAnswered: Bool) {
        var stage = readyStage()
        if !isAnswered { stage.kernel.ignored = [0x23] }
        stage.search()
        stage.kernel.adapters[0]?.isDiscovering = true
        stage.kernel.ignored = []
        stage.session.closed()
        stage.search(false)
        stage.open()
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
        #expect(stage.session.isQuiet)
    }

    @Test func discoveryWithoutAnEndEventIsRestarted() {
        var stage = readyStage()
        stage.search()
        stage.pass(.seconds(20))
        stage.kernel.adapters[0]?.isDiscovering = false
        stage.pass(.seconds(15))
        #expect(stage.kernel.adapters[0]?.isDiscovering == true)
    }

    @Test func discoveryOfAnotherProcessIsUsedAndNotStopped() {
        var stage = readyStage()
        stage.kernel.adapters[0]?.isDiscovering = true
        stage.search()
        stage.hear(FakeKernel.found(strapBytes, rssi: -50, data: hex("03 03 0d 18"), on: 0))
        #expect(stage.found == [ScanResult(address: strap, rssi: -50, services: [AttributeUUID(0x180D)])])
        stage.kernel.forgetCommands()
        stage.pass(.seconds(20))
        #expect(stage.kernel.opcodes == [0x23, 0x23, 0x23, 0x23], "every 5 s, not in a loop")
        stage.search(false)
        #expect(stage.kernel.adapters[0]?.isDiscovering == true, "and not stopped")
        #expect(stage.session.isQuiet)
    }

    @Test func eventsOfOtherAdaptersAreIgnored() {
        var stage = readyStage()
        stage.hear(FakeKernel.found(strapBytes, rssi: -50, data: [], on: 1))
        stage.hear(FakeKernel.event(0x0B, 1, strapBytes + [0, 0, 0, 0, 0, 0]))
        #expect(stage.found.isEmpty)
        #expect(!stage.session.isConnected(strap))
    }

    @Test func adapterSwitchedOffIsSwitchedOnAfterASecond() {
        var stage = readyStage()
        stage.search()
        stage.hear(stage.kernel.switchOff(0))
        #expect(stage.session.status == .off)
        stage.pass(.seconds(0.9))
        #expect(stage.session.status == .off)
        stage.pass(.seconds(0.2))
        #expect(stage.session.status == .ready)
        #expect(stage.kernel.adapters[0]?.isDiscovering == true, "and the search goes on")
    }

    @Test func adapterIsSwitchedOnAtMostOnceASecond() {
        var stage = readyStage()
        stage.kernel.forgetCommands()
        for _ in 0..<100 {
            stage.hear(stage.kernel.switchOff(0))
            stage.pass(.milliseconds(100))
        }
        #expect(stage.kernel.opcodes.filter { $0 == 0x05 }.count <= 10)
    }

    @Test func blockedAdapterIsReportedAndRetriedEveryFiveSeconds() {
        var stage = MgmtAdapterFixture()
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.kernel.adapters[0]?.isBlocked = true
        stage.open()
        #expect(stage.session.status == .blocked)
        stage.kernel.forgetCommands()
        stage.pass(.seconds(20))
        #expect(stage.kernel.opcodes == [0x05, 0x05, 0x05, 0x05])
        stage.kernel.adapters[0]?.isBlocked = false
        stage.pass(.seconds(5))
        #expect(stage.session.status == .ready)
    }

    @Test(arguments: [(true, true, AdapterStatus.ready), (true, false, .forbidden), (false, true, .off)])
    func missingPermissionReportsTheAdapterStatus(isPowered: Bool, hasLowEnergy: Bool, status: AdapterStatus) {
        var stage = MgmtAdapterFixture()
        stage.kernel.isTrusted = false
        stage.kernel.adapters[0] = FakeKernel.Adapter(address, isPowered: isPowered, hasLowEnergy: hasLowEnergy)
        stage.open()
        #expect(stage.session.status == status)
        #expect(stage.session.isQuiet == (status == .ready), "a connection needs no permission")
        #expect(!stage.session.isPermitted)
        stage.search()
        stage.pass(.seconds(600))
        #expect(stage.kernel.commands.count == 3, "the first refusal is enough")
    }

    @Test func adapterSwitchedOnByOthersIsReadyWithoutPermission() {
        var stage = MgmtAdapterFixture()
        stage.kernel.isTrusted = false
        stage.kernel.adapters[0] = FakeKernel.Adapter(address, hasLowEnergy: true)
        stage.open()
        stage.hear(FakeKernel.event(6, 0, hex("81020000")))
        #expect(stage.session.status == .ready)
    }

    @Test func kernelWithoutDefaultsLoadsParametersForTheStrapOnly() {
        var stage = MgmtAdapterFixture()
        stage.kernel.failures[0x4C] = 0x01
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.open()
        #expect(stage.session.isQuiet, "nobody is known to load them for")
        stage.kernel.forgetCommands()
        stage.carryOut(
            stage.session.tune(MgmtAdapterSession.ScanParameters(devices: [strap: .usual]), at: stage.clock.now))
        #expect(stage.kernel.opcodes == [0x35])
        #expect(stage.kernel.commands[0].parameters == hex("0100 f5f4f3f2f1f0 02 1800 2800 0000 f401"))
        #expect(stage.session.isQuiet)
    }

    @Test func parametersAreSetAgainOnlyWhenTheyChange() {
        var stage = readyStage()
        stage.kernel.forgetCommands()
        stage.carryOut(
            stage.session.tune(MgmtAdapterSession.ScanParameters(devices: [strap: .usual]), at: stage.clock.now))
        #expect(stage.kernel.opcodes == [], "defaults are everybody's")
        let wide = MgmtAdapterSession.ScanParameters(duty: .sparing, devices: [strap: .wide])
        stage.carryOut(stage.session.tune(wide, at: stage.clock.now))
        #expect(stage.kernel.opcodes == [0x4C, 0x35])
        #expect(stage.kernel.commands[0].parameters.suffix(2) == hex("f401"), "others' connections stay as they are")
        #expect(stage.kernel.commands[1].parameters == hex("0100 f5f4f3f2f1f0 02 1800 9001 0000 5802"))
        stage.hear(stage.kernel.unplug(0))
        stage.hear(stage.kernel.plug(FakeKernel.Adapter(address), as: 0))
        #expect(stage.kernel.opcodes.suffix(2) == [0x4C, 0x35], "a new adapter knows nothing of them")
        #expect(stage.session.isQuiet)
    }

    @Test func disconnectCompletesBeforeTheSessionIsQuiet() {
        var stage = readyStage()
        stage.hear(stage.kernel.connect(strapBytes, to: 0))
        #expect(stage.session.isConnected(strap))
        stage.kernel.ignored = [0x14]
        stage.carryOut(stage.session.disconnect(strap, at: stage.clock.now))
        #expect(!stage.session.isQuiet)
        stage.hear(stage.kernel.disconnect(strapBytes, from: 0, reason: 2))
        stage.hear(FakeKernel.event(1, 0, hex("1400 00") + strapBytes))
        #expect(stage.session.isQuiet)
        #expect(!stage.session.isConnected(strap))
    }

    @Test func existingConnectionsAreListed() {
        var stage = MgmtAdapterFixture()
        stage.kernel.adapters[0] = FakeKernel.Adapter(address, isPowered: true, hasLowEnergy: true)
        stage.kernel.adapters[0]?.connections = [strapBytes]
        stage.open()
        #expect(stage.session.isConnected(strap))
    }

    @Test(arguments: [UInt16(0x03), 0x04, 0x0D, 0x05, 0x15, 0x4C, 0x23, 0x24, 0x14])
    func unansweredCommandDoesNotBlockTheSession(opcode: UInt16) {
        var stage = MgmtAdapterFixture()
        stage.kernel.ignored = [opcode]
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.open()
        stage.search()
        stage.pass(.seconds(5))
        stage.search(false)
        stage.kernel.ignored = []
        // If the reply was lost, the adapter is read when it is plugged in again or the channel is opened again.
        if opcode == 0x04 { stage.open() }
        stage.pass(.seconds(60))
        #expect(stage.session.isQuiet)
    }

    @Test(arguments: [UInt16(0x03), 0x0D, 0x05, 0x15, 0x4C, 0x23, 0x24, 0x14], [UInt8(0x03), 0x0A, 0x0D, 0x0F])
    func failedCommandIsRetriedWithADelay(opcode: UInt16, status: UInt8) {
        var stage = MgmtAdapterFixture()
        stage.kernel.failures[opcode] = status
        stage.kernel.adapters[0] = FakeKernel.Adapter(address)
        stage.open()
        stage.search()
        stage.pass(.seconds(60))
        #expect(stage.kernel.commands.count <= 40)
        stage.kernel.failures = [:]
        stage.search(false)
        stage.pass(.seconds(20))
        #expect(stage.session.isQuiet)
    }

    @Test(arguments: 0..<20)
    func randomPacketsKeepTheCommandsBounded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var stage = readyStage()
        stage.kernel.isTrusted = seed.isMultiple(of: 2)
        for _ in 0..<3_000 {
            switch Int.random(in: 0...9, using: &random) {
            case 0: stage.search(.random(using: &random))
            case 1: stage.pass(.milliseconds(.random(in: 0...8_000, using: &random)))
            case 2: stage.open()
            case 3:
                let device = LEAddress(BluetoothAddress(value: .random(in: 0..<1 << 48, using: &random)), .random)
                stage.carryOut(stage.session.disconnect(device, at: stage.clock.now))
            default:
                let count = Int.random(in: 0...40, using: &random)
                let parameters = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                var packet = FakeKernel.event(
                    .random(in: 0...0x15, using: &random), .random(in: 0...3, using: &random), parameters)
                if Int.random(in: 0...9, using: &random) == 0 { packet.removeLast(min(packet.count, 3)) }
                stage.hear(packet)
            }
            #expect(stage.session.deadline.map { $0 >= stage.clock.now - .seconds(1) } ?? true)
        }
        #expect(stage.kernel.commands.count < 6_000)
    }
}
