import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// The backend with a peer in the same loop that replies well, badly, too much or not at all.
@Suite(.serialized)
struct UnixSensorTests {
    private let bench: StrapFixture
    private static let measurement = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882, 906])

    init() throws {
        bench = try StrapFixture()
    }

    /// A scripted strap that sends a notification after the subscription.
    private func notifyingStrap() -> ScriptedStrap {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x13], ScriptedStrap.notification]
        return strap
    }

    @Test func inputsOfAStrapAreReportedOnceAndInOrder() throws {
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: notifyingStrap())
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { !$0.information.isEmpty })
        let name = SanitizedText("Polar H10 9AD13824")
        #expect(
            bench.inputs.map(\.value) == [
                .heartLink(LinkStatus(.connecting, reason: .searching)), .heartLink(LinkStatus(.connected)),
                .heart(Self.measurement), .battery(percent: 87), .heartLink(LinkStatus(.connected, name: name)),
            ])
        #expect(bench.information.first?.model?.text == "H10")
        withExtendedLifetime(peer) {}
    }

    @Test func strapThatAppearsLaterIsConnected() throws {
        try bench.connect()
        bench.strap?.runChanged(isActive: true)
        var peer: HostilePeer?
        try bench.after(.milliseconds(700)) { [bench] in
            peer = try? HostilePeer(path: bench.path, loop: bench.loop, serving: notifyingStrap())
        }
        #expect(try bench.run(for: .seconds(5)) { !$0.hearts.isEmpty })
        #expect(
            bench.links == [
                LinkStatus(.disconnected, reason: .searching), LinkStatus(.connecting, reason: .searching),
                LinkStatus(.connected),
            ], "failed attempts are not news")
        withExtendedLifetime(peer) {}
    }

    @Test func closedStrapIsOutOfRangeUntilItReconnects() throws {
        var strap = notifyingStrap()
        let peer = try HostilePeer(path: bench.path, loop: bench.loop) { event in
            switch event {
            case .connected(1): return []
            case .received(ScriptedStrap.reading(0x2A29)): return [.close]
            case .received(let pdu): return strap.answer(to: pdu).map { .send($0) }
            default: return []
            }
        }
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { $0.hearts.count == 2 })
        #expect(
            bench.links == [
                LinkStatus(.connecting, reason: .searching), LinkStatus(.connected),
                LinkStatus(.disconnected, reason: .outOfRange), LinkStatus(.connecting, reason: .outOfRange),
                LinkStatus(.connected),
            ])
        withExtendedLifetime(peer) {}
    }

    @Test func batteryOfAReplacedStrapIsReported() throws {
        var strap = notifyingStrap()
        let peer = try HostilePeer(path: bench.path, loop: bench.loop) { event in
            switch event {
            case .connected(2):
                strap.set(text: "Another", ofType: 0x2A00)
                strap.answers[ScriptedStrap.reading(0x2A19)] = [hex("09 03 1d 00 0c")]
                return []
            case .received(let pdu): return strap.answer(to: pdu).map { .send($0) }
            default: return []
            }
        }
        try bench.connect()
        var isClosed = false
        #expect(
            try bench.run(for: .seconds(5)) { bench in
                if bench.information.count == 1, !isClosed {
                    isClosed = true
                    peer.close()
                }
                return bench.information.count == 2
            })
        let another = SanitizedText("Another")
        #expect(
            bench.inputs.map(\.value).suffix(3) == [
                .battery(percent: 12), .heartLink(LinkStatus(.connected, name: another)), .battery(percent: 12),
            ])
    }

    @Test func peerThatClosesAtOnceIsRetriedWithBackoff() throws {
        var connections = 0
        let peer = try HostilePeer(path: bench.path, loop: bench.loop) { event in
            guard case .connected(let count) = event else { return [] }
            connections = count
            return [.close]
        }
        try bench.connect()
        try bench.run(for: .milliseconds(1300))
        #expect(connections == 3, "at 0, 0 and 0.5 s")
        #expect(bench.hearts.isEmpty)
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: [ScriptedStrap.notification, hex("0a 03 00"), hex("ff"), hex("02 17 00")])
    func floodIsDisconnectedAndBacksOff(_ datagram: [UInt8]) throws {
        var strap = ScriptedStrap()
        var isHungUp = false
        let peer = try HostilePeer(path: bench.path, loop: bench.loop) { [bench] event in
            switch event {
            case .received(ScriptedStrap.subscription):
                return [.send([0x13])] + Array(repeating: .send(datagram), count: 200)
            case .received(let pdu): return strap.answer(to: pdu).map { .send($0) }
            case .hungUp:
                isHungUp = true
                bench.loop.stop(0)
                return []
            default: return []
            }
        }
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)))
        #expect(isHungUp)
        #expect(bench.links.last == LinkStatus(.disconnected, reason: .backoff))
        let faults = bench.inputs.map(\.value).filter { if case .raise = $0 { true } else { false } }
        #expect(faults == [SensorFault.flood.raised(kernel: "")])
        #expect(bench.hearts.count <= GattClient.notificationLimit)
        withExtendedLifetime(peer) {}
    }

    @Test func hugeAndMalformedDatagramsDoNotDisturbHeartRate() throws {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [
            Array(repeating: 0x1B, count: 4096), [0x0B] + Array(repeating: 0, count: 517), hex("02 17 00"),
            hex("0a 03 00"), hex("1d"), hex("1d 99 99 00"), hex("52 01 00 02"), hex("1b 15 00 08 3c"),
            ScriptedStrap.notification, [0x13], ScriptedStrap.notification,
        ]
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: strap)
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { !$0.information.isEmpty })
        #expect(bench.hearts.map(\.value) == [Self.measurement, Self.measurement])
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: [UInt8(0x05), 0x0F])
    func strapThatNeedsPairingIsReported(_ error: UInt8) throws {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x01, 0x12, 0x16, 0x00, error]]
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: strap)
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { $0.links.last?.reason == .needsPairing })
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: ["07 13 00 1a", "07 1a 00 13 00", "01 06 01 00 0a", "07"])
    func malformedDiscoveryIsReportedAsSilent(_ answer: String) throws {
        var strap = ScriptedStrap()
        strap.answers[hex("06 01 00 ff ff 00 28 0d 18")] = [hex(answer)]
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: strap)
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { $0.links.last == LinkStatus(.disconnected, reason: .silent) })
        withExtendedLifetime(peer) {}
    }

    @Test func silentStrapIsSubscribedAgainAfterThreeSeconds() throws {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x13]]
        var subscribedAt: [Instant] = []
        let peer = try HostilePeer(path: bench.path, loop: bench.loop) { event in
            guard case .received(let pdu) = event else { return [] }
            if pdu == ScriptedStrap.subscription { subscribedAt.append(Clock.now()) }
            let isSecond = subscribedAt.count == 2
            return (strap.answer(to: pdu) + (isSecond ? [ScriptedStrap.notification] : [])).map { .send($0) }
        }
        try bench.connect()
        #expect(try bench.run(for: .seconds(5)) { !$0.hearts.isEmpty })
        try #require(subscribedAt.count == 2)
        let wait = subscribedAt[1] - subscribedAt[0]
        #expect(wait >= .seconds(3) && wait < .seconds(3.5))
        withExtendedLifetime(peer) {}
    }

    @Test func waitingUsesLessThan100MillisecondsOfCPUTime() throws {
        // One strap is missing, one accepts the connection and sends nothing, one ended while it streamed.
        let mute = try StrapFixture()
        let gone = try StrapFixture()
        let silent = try HostilePeer(path: mute.path, loop: bench.loop) { _ in [] }
        let leaving = try HostilePeer(path: gone.path, loop: bench.loop, serving: notifyingStrap())
        let straps = try [bench.path, mute.path, gone.path].map {
            try UnixSensor(path: $0, loop: bench.loop, report: { _ in }, describe: { _ in })
        }
        try bench.after(.milliseconds(100)) { leaving.close() }
        #expect((1...100).contains(try bench.wakeUps(in: .seconds(2))))
        withExtendedLifetime((silent, straps)) {}
    }

    @Test func releasedStrapHangsUpAndReportsNothing() throws {
        var isHungUp = false
        var reports = 0
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: notifyingStrap()) { [bench] in
            isHungUp = true
            bench.loop.stop(0)
        }
        try bench.connect()
        try bench.run(for: .seconds(5)) { bench in
            reports = bench.inputs.count
            if !bench.hearts.isEmpty { bench.release() }
            return false
        }
        #expect(isHungUp)
        #expect(bench.inputs.count == reports)
        #expect(bench.information.isEmpty)
        withExtendedLifetime(peer) {}
    }

    @Test func strapCanBeReleasedDuringAReport() throws {
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x13]] + Array(repeating: ScriptedStrap.notification, count: 50)
        let peer = try HostilePeer(path: bench.path, loop: bench.loop, serving: strap)
        try bench.connect()
        try bench.run(for: .milliseconds(300)) { bench in
            if bench.hearts.count == 2 { bench.release() }
            return false
        }
        #expect(bench.hearts.count == 2)
        withExtendedLifetime(peer) {}
    }

    @Test func overlongSocketPathIsRejected() throws {
        #expect(throws: SystemError.self) {
            try UnixSensor(
                path: "/" + String(repeating: "x", count: 107), loop: bench.loop, report: { _ in }, describe: { _ in })
        }
    }
}
