import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// The kernel backend when devices or channels disappear.
@Suite(.serialized)
struct KernelFailureTests {
    private let bench: KernelFixture

    init() throws {
        bench = try KernelFixture()
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter)
    }

    private func serve(_ strap: ScriptedStrap = KernelFixture.notifyingStrap) throws -> HostilePeer {
        try HostilePeer(path: bench.strapPath, loop: bench.loop, serving: strap)
    }

    @Test(arguments: 0..<8)
    func channelThatClosesAfterAnyCommandIsReopened(count: Int) throws {
        bench.breaksAfter = [count]
        let peer = try serve()
        try bench.start(ours: ["H10"])
        var heardIn = 0
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.isDiscovering == true, heardIn != bench.opened {
                heardIn = bench.opened
                bench.advertise(rssi: -70)
            }
            return !bench.hearts.isEmpty
        }
        #expect(isDone && bench.opened == 2, "\(bench.kernel.opcodes)")
        withExtendedLifetime(peer) {}
    }

    @Test func strapStreamsWhileTheChannelIsReopened() throws {
        let peer = try serve()
        try bench.start()
        var isBroken = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if !bench.information.isEmpty, !isBroken {
                isBroken = true
                bench.managementErrors = [23, 23]
                bench.breakManagement()
            }
            if bench.opened == 4, bench.hearts.count == 1 { peer.send([ScriptedStrap.notification]) }
            return bench.hearts.count >= 2
        }
        #expect(isDone)
        #expect(bench.links.allSatisfy { $0.reason != .outOfRange })
        #expect(bench.asked.count == 1)
    }

    @Test func adapterThatReturnsUnderAnotherIndexIsUsedAgain() throws {
        let peer = try serve()
        try bench.start()
        var isUnplugged = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.information.count == 1, !isUnplugged {
                isUnplugged = true
                peer.close()
                bench.say(bench.kernel.unplug(0))
                bench.say(bench.kernel.plug(FakeKernel.Adapter(KernelFixture.adapter), as: 1))
            }
            return bench.hearts.count == 2
        }
        #expect(isDone)
    }

    @Test func adapterSwitchedOffIsSwitchedOnAndTheStrapStreams() throws {
        let peer = try serve()
        try bench.start()
        var isOff = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.information.count == 1, !isOff {
                isOff = true
                peer.close()
                bench.say(bench.kernel.switchOff(0))
            }
            return bench.hearts.count == 2
        }
        #expect(isDone)
    }

    @Test func strapWithRejectedParametersGetsWideOnes() throws {
        let peer = try serve()
        try bench.start()
        bench.straps?.runChanged(isActive: true)
        var isCut = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.information.count == 1, !isCut {
                isCut = true
                bench.tellDisconnection(reason: 0x08, handle: 0x0041)
                bench.tellDisconnection(reason: 0x3B)
                peer.close()
            }
            return bench.hearts.count == 2
        }
        #expect(isDone)
        #expect(bench.links.contains { $0.reason == .parametersRefused })
        #expect(bench.remembered.last?.first?.isWide == true)
        #expect(bench.kernel.commands.last?.opcode == 0x35)
        #expect(bench.kernel.commands.last?.parameters.suffix(2) == hex("5802"), "6 s")
        let messages = bench.inputs.compactMap { input -> String? in
            if case .raise(.parametersRefused, let message) = input.value { message } else { nil }
        }
        #expect(messages.first?.contains(Kernel.release) == true)
    }

    @Test func pendingConnectionIsReportedAsSearching() throws {
        bench.isStrapAway = true
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.waiting.count == 1 })
        #expect(bench.links.last == LinkStatus(.disconnected, reason: .searching, address: KernelFixture.strap.address))
    }

    @Test func scanSuspendsAPendingConnection() throws {
        bench.isStrapAway = true
        try bench.start()
        var refusals: [SensorRequestError?] = []
        try bench.after(.milliseconds(200)) { [bench] in
            refusals = [bench.scan(for: .milliseconds(300)), bench.scan(for: .seconds(1))]
        }
        var isHeard = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.kernel.adapters[0]?.isDiscovering == true, !isHeard {
                isHeard = true
                bench.advertise(rssi: -70)
            }
            return bench.scanned != nil && bench.waiting.count == 2
        }
        #expect(isDone)
        #expect(refusals == [nil, .busy])
        #expect(bench.waiting.first?.isGivenUp == true)
        #expect(bench.scanned?.map(\.address) == [KernelFixture.strap])
        #expect(bench.scanned?.first?.name?.text == "H10")
        #expect(bench.kernel.adapters[0]?.isDiscovering == false)
    }

    @Test func scanWithoutPermissionIsRejected() throws {
        bench.kernel.isTrusted = false
        bench.kernel.adapters[0] = FakeKernel.Adapter(KernelFixture.adapter, isPowered: true, hasLowEnergy: true)
        bench.isStrapAway = true
        try bench.start()
        #expect(try bench.run(for: .seconds(2)) { $0.waiting.count == 1 })
        #expect(bench.scan(for: .seconds(1)) == .unavailable(.noPermission))
    }

    @Test func deselectedStrapIsDisconnectedAtOnce() throws {
        let peer = try serve()
        try bench.start()
        var isLeft = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.information.count == 1, !isLeft {
                isLeft = true
                bench.say(bench.kernel.connect(KernelFixture.strapBytes, to: 0))
                try? bench.after(.milliseconds(50)) {
                    bench.straps?.select([SensorMatcher("A0:9E:1A:00:00:01/public")!])
                }
            }
            return bench.hearts.count == 2
        }
        #expect(isDone)
        #expect(bench.kernel.opcodes.contains(0x14), "the kernel receives Disconnect")
        #expect(bench.asked.last?.description == "A0:9E:1A:00:00:01/public")
        withExtendedLifetime(peer) {}
    }

    @Test func stoppedBackendRestartsWithASelection() throws {
        let peer = try serve()
        try bench.start()
        var isStopped = false
        let isDone = try bench.run(for: .seconds(5)) { bench in
            if bench.information.count == 1, !isStopped {
                isStopped = true
                try? bench.after(.milliseconds(1)) {
                    bench.straps?.stop()
                    #expect(bench.links.last?.reason == .off)
                    bench.straps?.select([SensorMatcher("F0:F1:F2:F3:F4:F5/random")!])
                }
            }
            return bench.hearts.count == 2
        }
        #expect(isDone)
        withExtendedLifetime(peer) {}
    }

    @Test func reportThatStopsTheBackendFollowsTheReportsInProgress() throws {
        let peer = try serve()
        bench.reported = { [unowned bench] in
            if case .heartLink(let status) = $0, status.state == .connected { bench.straps?.stop() }
        }
        try bench.start()
        #expect(try bench.run(for: .seconds(5)) { $0.links.last?.reason == .off })
        let reports = bench.inputs.map(\.value).filter { if case .sensor = $0 { false } else { true } }.suffix(3)
        guard case .heartLink(let connected)? = reports.first, case .heart? = reports.dropFirst().first,
            case .heartLink? = reports.last
        else {
            Issue.record("in another order: \(reports)")
            return
        }
        #expect(connected.state == .connected)
        withExtendedLifetime(peer) {}
    }

    @Test func releasedBackendHangsUp() throws {
        var isHungUp = false
        let peer = try HostilePeer(path: bench.strapPath, loop: bench.loop, serving: KernelFixture.notifyingStrap) {
            [bench] in
            isHungUp = true
            bench.loop.stop(0)
        }
        try bench.start()
        try bench.run(for: .seconds(5)) { bench in
            if !bench.hearts.isEmpty { bench.release() }
            return false
        }
        #expect(isHungUp)
        withExtendedLifetime(peer) {}
    }

    @Test func pendingConnectionUsesLessThan100MillisecondsOfCPUTime() throws {
        bench.isStrapAway = true
        try bench.start()
        #expect((1...100).contains(try bench.wakeUps(in: .seconds(2))))
    }
}
