import Domain
import Sensors
import TestKit
import Testing

/// Only one strap may pair, and only while a person waits for it.
struct MgmtPairingTests {
    private static let address = BluetoothAddress(value: 0x001A_7DDA_7113)
    private static let strap = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)
    private static let strapBytes: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 0x02]
    private static let stranger: [UInt8] = [1, 2, 3, 4, 5, 0xC6, 0x02]
    /// Not authenticated, the host is the central, 16 bytes.
    private static let keyBytes: [UInt8] = [0, 1, 16] + Array(0..<26)
    private static let key = LongTermKey(adapter: address, device: strap, keyBytes)!

    private func readyStage(isBondable: Bool = false, keys: [LongTermKey] = []) -> MgmtAdapterFixture {
        var stage = MgmtAdapterFixture()
        stage.kernel.adapters[0] = FakeKernel.Adapter(Self.address)
        stage.kernel.adapters[0]?.isBondable = isBondable
        stage.session.setKeys(keys)
        stage.open()
        return stage
    }

    private func pairingStage() -> MgmtAdapterFixture {
        var stage = readyStage()
        stage.pair(Self.strap, for: .seconds(60))
        return stage
    }

    @Test func readyAdapterIsNotBondable() {
        let stage = readyStage(isBondable: true)
        #expect(stage.kernel.adapters[0]?.isBondable == false)
        #expect(stage.kernel.adapters[0]?.capability == 1, "the kernel asks before it lets anybody pair")
        #expect(!stage.kernel.opcodes.contains(0x13), "the keys of others stay")
    }

    @Test func requestedStrapPairsAndItsKeyIsKept() {
        var stage = pairingStage()
        #expect(stage.kernel.adapters[0]?.isBondable == true)
        #expect(stage.kernel.adapters[0]?.pairing == Self.strapBytes)
        #expect(stage.kernel.commands.last?.parameters == Self.strapBytes + [3])
        #expect(!stage.session.isQuiet)
        stage.hear(stage.kernel.endPairing(on: 0, key: Self.keyBytes))
        #expect(stage.pairings == [.paired])
        #expect(stage.keys == [Self.key])
        #expect(stage.kernel.adapters[0]?.isBondable == false)
        #expect(stage.session.isPaired(Self.strap) && stage.session.isQuiet)
        #expect(!stage.kernel.opcodes.contains(0x13), "the kernel has it already")
        #expect(stage.session.deadline == nil)
    }

    @Test func storedKeyIsLoadedIntoItsOwnAdapter() {
        let other = LongTermKey(adapter: BluetoothAddress(value: 1), device: Self.strap, Self.keyBytes)!
        var stage = readyStage(keys: [other, Self.key])
        #expect(stage.kernel.adapters[0]?.keys == [Self.strapBytes + Self.keyBytes])
        stage.hear([stage.kernel.unplug(0), stage.kernel.plug(FakeKernel.Adapter(Self.address), as: 1)])
        #expect(stage.kernel.adapters[1]?.keys == [Self.strapBytes + Self.keyBytes])
        stage.carryOut(stage.session.forgetKeys(of: { $0 == Self.strap }, at: stage.clock.now))
        #expect(stage.keys == [] && stage.kernel.adapters[1]?.keys == [])
    }

    @Test func newKeyReplacesTheOldOne() {
        var stage = readyStage(keys: [Self.key])
        stage.pair(Self.strap, for: .seconds(60))
        #expect(stage.kernel.opcodes.contains(0x1B) && stage.keys == [], "the strap has forgotten the old one")
        let bytes: [UInt8] = [0, 1, 16] + Array(repeating: 9, count: 26)
        stage.hear(stage.kernel.endPairing(on: 0, key: bytes))
        #expect(stage.keys.map(\.bytes) == [bytes])
    }

    @Test(arguments: [UInt16(0x0E), 0x0F, 0x10])
    func pairingRequestsOfOtherDevicesAreRejected(event: UInt16) {
        let rest: [UInt8] = event == 0x0E ? [0] : event == 0x0F ? [1, 0, 0, 0, 0] : []
        let refusal: UInt16 = event == 0x0E ? 0x17 : event == 0x0F ? 0x1D : 0x1F
        var stage = readyStage()
        // Before, during and after a pairing; and a BR/EDR device.
        for device in [Self.stranger, Self.strapBytes, [1, 2, 3, 4, 5, 6, 0]] {
            stage.kernel.forgetCommands()
            stage.hear(FakeKernel.event(event, 0, device + rest))
            #expect(stage.kernel.commands.map(\.parameters) == [device] && stage.kernel.opcodes == [refusal])
        }
        stage.pair(Self.strap, for: .seconds(60))
        stage.kernel.forgetCommands()
        stage.hear(FakeKernel.event(event, 0, Self.stranger + rest))
        stage.hear(FakeKernel.event(event, 0, Self.strapBytes + rest))
        #expect(stage.kernel.commands.map(\.parameters) == [Self.stranger, Self.strapBytes])
        #expect(stage.kernel.opcodes == [refusal, event == 0x0F ? 0x1C : refusal], "the strap cannot show a number")
        stage.hear(stage.kernel.endPairing(on: 0, key: Self.keyBytes))
        stage.kernel.forgetCommands()
        stage.hear(FakeKernel.event(event, 0, Self.stranger + rest))
        #expect(stage.kernel.opcodes == [refusal])
    }

    @Test func pairedStrangerIsUnpaired() {
        var stage = pairingStage()
        stage.kernel.forgetCommands()
        stage.hear(FakeKernel.event(0x0A, 0, [1] + Self.stranger + Self.keyBytes))
        #expect(stage.kernel.opcodes == [0x1B] && stage.keys == [])
        #expect(stage.kernel.commands.last?.parameters.starts(with: Self.stranger) == true)
    }

    @Test(arguments: [(UInt8(0x05), PairingResult.refused), (0x0B, .refused), (0x0F, .refused), (0x00, .refused)])
    func failedPairingIsReported(status: UInt8, outcome: PairingResult) {
        var stage = pairingStage()
        // Without a key the strap would be a stranger again after this connection.
        stage.hear(stage.kernel.endPairing(on: 0, status: status))
        #expect(stage.pairings == [outcome])
        #expect(stage.kernel.adapters[0]?.isBondable == false)
    }

    @Test func failedSetBondableIsRetriedWithoutBlockingASearch() {
        var stage = pairingStage()
        stage.kernel.failures[0x09] = 0x03
        stage.hear(stage.kernel.endPairing(on: 0, key: Self.keyBytes))
        stage.search()
        #expect(stage.kernel.adapters[0]?.isBondable == true && stage.kernel.adapters[0]?.isDiscovering == true)
        stage.pass(.seconds(3))
        #expect(stage.kernel.opcodes.filter { $0 == 0x09 }.count == 3, "every 2 s")
        stage.kernel.failures = [:]
        stage.pass(.seconds(2))
        #expect(stage.kernel.adapters[0]?.isBondable == false)
    }

    @Test func failedConnectionOfAPairingIsRetried() {
        var stage = pairingStage()
        stage.hear(stage.kernel.endPairing(on: 0, status: 0x04))
        #expect(stage.kernel.adapters[0]?.pairing == nil && stage.kernel.adapters[0]?.isBondable == true)
        stage.pass(.seconds(1))
        #expect(stage.kernel.adapters[0]?.pairing == Self.strapBytes)
        #expect(stage.pairings == [])
    }

    @Test(arguments: [(false, PairingResult.absent), (true, .refused)])
    func pairingTimesOut(isReached: Bool, outcome: PairingResult) {
        var stage = pairingStage()
        if isReached { stage.hear(stage.kernel.connect(Self.strapBytes, to: 0)) }
        stage.pass(.seconds(59))
        #expect(stage.pairings == [])
        stage.pass(.seconds(1))
        #expect(stage.pairings == [outcome])
        #expect(stage.kernel.adapters[0]?.pairing == nil && stage.kernel.adapters[0]?.isBondable == false)
    }

    @Test func searchPausesDuringAPairing() {
        var stage = readyStage()
        stage.search()
        stage.pair(Self.strap, for: .seconds(60))
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
        #expect(stage.kernel.adapters[0]?.pairing == Self.strapBytes)
        stage.search()
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
        stage.hear(stage.kernel.endPairing(on: 0, key: Self.keyBytes))
        #expect(stage.kernel.adapters[0]?.isDiscovering == true)
    }

    @Test func closedChannelCancelsThePairing() {
        var stage = pairingStage()
        stage.session.closed()
        #expect(stage.kernel.adapters[0]?.pairing != nil, "the kernel goes on with it")
        stage.open()
        #expect(stage.pairings == [.refused])
        #expect(stage.kernel.adapters[0]?.pairing == nil && stage.kernel.adapters[0]?.isBondable == false)
    }

    @Test func removedAdapterCancelsThePairing() {
        var stage = pairingStage()
        stage.hear(stage.kernel.unplug(0))
        #expect(stage.pairings == [.refused])
    }

    @Test func leftoverPairingAndDiscoveryAreCancelled() {
        var stage = pairingStage()
        stage.hear(stage.kernel.connect(Self.stranger, to: 0))
        stage.carryOut(stage.session.parted(from: [LEAddress(BluetoothAddress(value: 0xC605_0403_0201), .random)]))
        #expect(stage.kernel.adapters[0]?.pairing == nil && stage.kernel.adapters[0]?.isBondable == false)
        #expect(stage.kernel.adapters[0]?.connections == [])
        stage = readyStage()
        stage.search()
        stage.carryOut(stage.session.parted(from: []))
        #expect(stage.kernel.adapters[0]?.isDiscovering == false)
    }

    @Test func malformedKeyIsRejected() {
        let wrong: [[UInt8]] = [
            Self.keyBytes.dropLast(), [4] + Self.keyBytes.dropFirst(), [0, 1, 6] + Self.keyBytes.dropFirst(3),
        ]
        for bytes in wrong {
            #expect(LongTermKey(adapter: Self.address, device: Self.strap, bytes) == nil)
        }
    }
}
