import Bluetooth
import Domain
import Foundation
import Linux
import Sensors
import TestKit
import Testing

/// The kernel backend with kernels and straps that reply well, badly or not at all.
@Suite(.serialized)
struct KernelSensorBackendTests {
    private let bench: KernelFixture
    private static let measurement = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882, 906])

    init() throws {
        bench = try KernelFixture()
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter)
    }

    private func serve(_ strap: ScriptedStrap = KernelFixture.notifyingStrap) throws -> HostilePeer {
        try HostilePeer(path: bench.strapPath, loop: bench.loop, serving: strap)
    }

    @Test func poweredOffAdapterIsSetUpAndTheStrapStreams() throws {
        let peer = try serve()
        try bench.start()
        #expect(try bench.run(for: .seconds(5)) { !$0.information.isEmpty })
        #expect(bench.hearts == [Self.measurement])
        #expect(bench.asked == [KernelFixture.strap])
        #expect(bench.kernel.opcodes == [0x03, 0x04, 0x0D, 0x05, 0x15, 0x18, 0x4C], "no search is needed")
        #expect(
            bench.inputs.contains {
                $0.value == .bluetooth(BluetoothStatus(backend: .kernel, adapter: KernelFixture.adapter))
            })
        let name = SanitizedText("Polar H10 9AD13824")
        #expect(bench.links.last == LinkStatus(.connected, address: KernelFixture.strap.address, name: name))
        #expect(bench.inputs.contains { $0.value == .battery(percent: 87) })
        withExtendedLifetime(peer) {}
    }

    @Test func nearStrapIsConnectedAndRememberedAfterABeat() throws {
        let peer = try serve()
        try bench.start(ours: [])
        var isHeard = false
        let isDone = try bench.run(for: .seconds(8)) { bench in
            if bench.kernel.adapters[0]?.isDiscovering == true, !isHeard {
                isHeard = true
                bench.advertise()
            }
            return !bench.information.isEmpty
        }
        #expect(isDone)
        #expect(bench.asked == [KernelFixture.strap])
        #expect(bench.kernel.opcodes.suffix(2) == [0x23, 0x24], "the search ends before the connection begins")
        let first = try #require(bench.remembered.first?.first)
        #expect(first.address == KernelFixture.strap)
        #expect(first.name?.text == "H10")
        #expect(bench.links.last?.name?.text == "H10")
        withExtendedLifetime(peer) {}
    }

    @Test func twoStrangersAreReportedAsAmbiguousAndNotConnected() throws {
        try bench.start(ours: [])
        var isHeard = false
        try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.isDiscovering == true, !isHeard {
                isHeard = true
                bench.advertise(rssi: -60)
                bench.advertise(rssi: -58, [1, 0, 0, 0x1A, 0x9E, 0xA0, 1], hex("03 03 0d 18 03 09 48 39"))
            }
            return bench.links.last?.reason == .ambiguous
        }
        #expect(bench.links.last == LinkStatus(.disconnected, reason: .ambiguous, name: SanitizedText("H10, H9")))
        #expect(bench.asked.isEmpty)
    }

    @Test(arguments: [
        (Int32(EAFNOSUPPORT), LinkReason.noBluetooth), (EPERM, .noPermission), (EACCES, .noPermission),
    ])
    func errorOfTheManagementSocketIsReported(error: Int32, reason: LinkReason) throws {
        bench.managementErrors = Array(repeating: error, count: 100)
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.links.last?.reason == reason })
        #expect(bench.opened == 1)
    }

    @Test func realKernelReportsAMissingAdapterOrBluetooth() throws {
        var links: [LinkStatus] = []
        let loop = bench.loop
        let shell = SensorDriverShell(
            over: .kernel, ours: [], remembered: [],
            report: {
                if case .heartLink(let status) = $0 { links.append(status) }
                if let reason = links.last?.reason, reason != .searching { loop.stop(0) }
            }, describe: { _ in }, remember: { _ in })
        let straps = try KernelSensorBackend(
            adapter: .address(BluetoothAddress(value: 0x123456)), shell, loop: loop)
        try bench.run(for: .seconds(20))
        // No adapter has this address. A kernel without Bluetooth, or a container, gives no socket at all.
        let expected: LinkReason?
        do {
            _ = try BluetoothSockets.bluez.management()
            expected = .noAdapter
        } catch {
            let reasons: [Int32: LinkReason] = [
                EAFNOSUPPORT: .noBluetooth, EPROTONOSUPPORT: .noBluetooth, EPERM: .noPermission,
                EACCES: .noPermission,
            ]
            expected = reasons[error.code]
        }
        let reason = try #require(expected)
        #expect(links.last?.reason == reason)
        withExtendedLifetime(straps) {}
    }

    @Test func missingAdapterIsReportedUntilOneIsAdded() throws {
        bench.kernel.adapters = [:]
        let peer = try serve()
        try bench.start()
        var isPlugged = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.links.last?.reason == .noAdapter, !isPlugged {
                isPlugged = true
                bench.say(bench.kernel.plug(FakeKernel.Adapter(KernelFixture.adapter), as: 2))
            }
            return !bench.hearts.isEmpty
        }
        #expect(isDone)
        withExtendedLifetime(peer) {}
    }

    @Test func blockedAdapterIsReported() throws {
        bench.kernel.adapters[0]?.isBlocked = true
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.links.last?.reason == .adapterBlocked })
    }

    @Test(arguments: [(false, true, LinkReason.adapterOff), (true, false, .noPermission)])
    func missingPermissionIsReportedWithItsReason(isPowered: Bool, hasLowEnergy: Bool, reason: LinkReason) throws {
        bench.kernel.isTrusted = false
        bench.kernel.adapters[0] = FakeKernel.Adapter(
            KernelFixture.adapter, isPowered: isPowered, hasLowEnergy: hasLowEnergy)
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.links.last?.reason == reason && $0.kernel.opcodes.count == 3 })
    }

    @Test func strapKnownByAddressStreamsWithoutPermission() throws {
        bench.kernel.isTrusted = false
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter, isPowered: true, hasLowEnergy: true)
        let peer = try serve()
        try bench.start(ours: ["F0:F1:F2:F3:F4:F5"])
        #expect(try bench.run(for: .seconds(5)) { !$0.hearts.isEmpty })
        #expect(bench.asked.first == KernelFixture.strap, "its bits are those of a random address")
        withExtendedLifetime(peer) {}
    }

    @Test func strapKnownByNameNeedsPermission() throws {
        bench.kernel.isTrusted = false
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter, isPowered: true, hasLowEnergy: true)
        try bench.start(ours: ["H10"])
        #expect(try bench.run(for: .seconds(5)) { $0.links.last?.reason == .noPermission })
        #expect(bench.asked.isEmpty)
    }

    @Test(arguments: [
        (Int32(EBUSY), LinkReason.inUse), (EACCES, .needsPairing), (EHOSTUNREACH, .searching),
        (ENOSYS, .searching), (ECONNREFUSED, .searching), (ENOMEM, .adapterFull), (EMLINK, .adapterFull),
    ])
    func failedConnectIsRetriedWithBackoff(error: Int32, reason: LinkReason) throws {
        bench.attributeError = error
        try bench.start()
        try bench.run(for: .milliseconds(1300))
        #expect(bench.links.last?.reason == reason)
        #expect(bench.asked.count == 3, "at 0, 0 and 0.5 s")
    }
}
