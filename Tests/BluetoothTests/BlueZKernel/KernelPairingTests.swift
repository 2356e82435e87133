import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// Pairing over the kernel backend, with a strap that sends heart rate only over an encrypted link.
@Suite(.serialized)
struct KernelPairingTests {
    private let bench: KernelFixture
    private static let keyBytes: [UInt8] = [0, 1, 16] + Array(0..<26)
    private static let key = LongTermKey(adapter: KernelFixture.adapter, device: KernelFixture.strap, keyBytes)!

    init() throws {
        bench = try KernelFixture()
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter)
    }

    private func pairSoon(_ strap: String = "F0:F1:F2:F3:F4:F5/random") throws {
        try bench.after(.milliseconds(200)) { [bench] in #expect(bench.pair(strap) == nil) }
    }

    @Test func pairedStrapIsConnectedWithItsKey() throws {
        bench.isStrapAway = true
        try bench.start()
        try pairSoon()
        var isAsked = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.pairing != nil, !isAsked {
                isAsked = true
                #expect(bench.waiting.allSatisfy { $0.isGivenUp }, "one connection is made at a time")
                for packet in bench.kernel.endPairing(on: 0, key: Self.keyBytes) { bench.say(packet) }
            }
            return !bench.paired.isEmpty && bench.encrypted.count == 2
        }
        #expect(isDone)
        #expect(bench.paired == [.paired])
        #expect(bench.encrypted == [false, true])
        #expect(bench.keys == [[Self.key]])
        #expect(bench.kernel.adapters[0]?.isBondable == false)
    }

    @Test func storedKeyIsUsedAtTheNextStart() throws {
        bench.isStrapAway = true
        try bench.start(keys: [Self.key])
        #expect(try bench.run(for: .seconds(5)) { $0.encrypted == [true] })
        #expect(bench.kernel.adapters[0]?.keys == [KernelFixture.strapBytes + Self.keyBytes])
    }

    @Test func pairingOfAPairedStrapReportsPairedAlready() throws {
        bench.isStrapAway = true
        try bench.start(keys: [Self.key])
        try pairSoon()
        #expect(try bench.run(for: .seconds(5)) { !$0.paired.isEmpty })
        #expect(bench.paired == [.pairedAlready])
        #expect(!bench.kernel.opcodes.contains(0x19))
    }

    @Test func strapThatLostItsKeyIsPairedAgain() throws {
        bench.attributeError = 52  // EBADE
        try bench.start(keys: [Self.key])
        try bench.after(.milliseconds(200)) { [bench] in
            #expect(bench.links.last?.reason == .needsPairing)
            #expect(bench.pair("F0:F1:F2:F3:F4:F5") == nil)
        }
        #expect(try bench.run(for: .seconds(5)) { $0.kernel.adapters[0]?.pairing != nil })
        #expect(bench.keys == [[]], "the old key is no use")
    }

    @Test func sensorToPairIsSearchedByItsName() throws {
        bench.isStrapAway = true
        try bench.start()
        try pairSoon("h10")
        var isHeard = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.isDiscovering == true, !isHeard {
                isHeard = true
                bench.advertise([1, 2, 3, 4, 5, 0xC6, 2], hex("04 09 48 31 31"))
                bench.advertise()
            }
            return bench.kernel.adapters[0]?.pairing != nil
        }
        #expect(isDone)
        #expect(bench.kernel.adapters[0]?.pairing == KernelFixture.strapBytes)
        #expect(bench.kernel.adapters[0]?.isDiscovering == false, "a pairing connects")
    }

    @Test func pairingRejectsOtherRequests() throws {
        bench.isStrapAway = true
        try bench.start()
        try pairSoon()
        try bench.after(.milliseconds(300)) { [bench] in
            #expect(bench.pair("h10") == .busy && bench.scan(for: .seconds(1)) == .busy)
            bench.loop.stop(0)
        }
        #expect(try bench.run(for: .seconds(5)))
    }

    @Test func pairingWithoutAnAdapterIsRejected() throws {
        bench.kernel.adapters = [:]
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.links.last?.reason == .noAdapter })
        #expect(bench.pair("h10") == .unavailable(.noAdapter))
    }

    @Test func removedAdapterEndsThePairing() throws {
        bench.isStrapAway = true
        try bench.start()
        try pairSoon()
        var isPulled = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.pairing != nil, !isPulled {
                isPulled = true
                bench.say(bench.kernel.unplug(0))
            }
            return !bench.paired.isEmpty
        }
        #expect(isDone)
        #expect(bench.paired == [.refused])
    }

    @Test func releasedBackendEndsThePairing() throws {
        bench.isStrapAway = true
        try bench.start()
        try pairSoon()
        try bench.after(.milliseconds(400)) { [bench] in
            #expect(bench.kernel.adapters[0]?.isBondable == true)
            bench.release()
            #expect(bench.paired == [.refused])
        }
        try bench.after(.milliseconds(500)) { [bench] in bench.loop.stop(0) }
        try bench.run(for: .seconds(2))
        #expect(bench.kernel.adapters[0]?.pairing == nil && bench.kernel.adapters[0]?.isBondable == false)
    }

    @Test func forgottenStrapLosesItsKeys() throws {
        bench.isStrapAway = true
        try bench.start(keys: [Self.key])
        try bench.after(.milliseconds(200)) { [bench] in
            bench.straps?.forget(SensorMatcher("F0:F1:F2:F3:F4:F5"), remaining: [])
        }
        #expect(try bench.run(for: .seconds(2)) { $0.keys == [[]] && $0.kernel.adapters[0]?.keys == [] })
    }
}
