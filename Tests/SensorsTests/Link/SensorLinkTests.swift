import Domain
import Sensors
import TestKit
import Testing

/// Times are relative to the start of each test.
struct SensorLinkTests {
    private var clock = ManualClock()
    private var link: SensorLink
    private let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)

    init() {
        link = SensorLink(at: clock.now)
        #expect(link.tick(at: clock.now) == [.search])
    }

    /// Advances the clock, with a tick at each deadline. Returns the actions with their seconds.
    @discardableResult
    private mutating func wait(_ duration: Duration) -> [Timestamped<SensorLink.Action>] {
        let end = clock.now + duration
        var actions: [Timestamped<SensorLink.Action>] = []
        while let deadline = link.deadline, deadline <= end {
            clock.now = max(clock.now, deadline)
            actions += link.tick(at: clock.now).map { Timestamped($0, at: clock.now) }
        }
        clock.now = end
        return actions
    }

    private mutating func stream() {
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
        #expect(link.connected(at: clock.now) == [.subscribe])
        link.subscribed(at: clock.now)
        link.received(.worn, at: clock.now)
    }

    /// Returns the rest until the next search.
    private mutating func restAfterLoss() -> Duration? {
        link.lost(.ended, at: clock.now)
        let lostAt = clock.now
        let searchAt = link.deadline
        while !link.isScanning, let deadline = link.deadline { wait(deadline - clock.now) }
        return searchAt.map { $0 - lostAt }
    }

    @Test mutating func silentStrapIsDisconnectedAndFoundAgain() {
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
        #expect(link.connected(at: clock.advance(by: .seconds(2))) == [.subscribe])
        link.subscribed(at: clock.advance(by: .milliseconds(300)))
        link.received(.worn, at: clock.advance(by: .seconds(1)))
        #expect(link.status == LinkStatus(.connected, address: strap.address))
        let receivedAt = clock.now
        #expect(
            wait(.seconds(12)) == [
                Timestamped(.resubscribe, at: receivedAt + .seconds(5)),
                Timestamped(.disconnect, at: receivedAt + .seconds(12)),
                Timestamped(.search, at: receivedAt + .seconds(12)),
            ])
        #expect(link.status == LinkStatus(.disconnected, reason: .silent, address: strap.address))
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
    }

    @Test mutating func strapIsConnectedFromItsFirstMeasurement() {
        #expect(link.status == LinkStatus(.disconnected, reason: .searching))
        _ = link.found(strap, at: clock.now)
        #expect(link.status == LinkStatus(.connecting, reason: .searching, address: strap.address))
        _ = link.connected(at: clock.now)
        link.subscribed(at: clock.now)
        #expect(link.status == LinkStatus(.connecting, reason: .searching, address: strap.address))
        link.received(.worn, at: clock.now)
        #expect(link.status == LinkStatus(.connected, address: strap.address))
    }

    @Test mutating func measurementBeforeTheSubscriptionResponseCounts() {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.received(.worn, at: clock.now)
        link.subscribed(at: clock.now)
        #expect(link.status.state == .connected)
        #expect(link.deadline == clock.now + SensorLink.Policy.strap.silenceTimeout)
    }

    @Test mutating func eachSilenceSubscribesAgain() {
        stream()
        #expect(wait(.seconds(6)).map(\.value) == [.resubscribe])
        link.subscribed(at: clock.now)
        link.received(.worn, at: clock.now)
        #expect(wait(.seconds(4)).isEmpty)
        link.received(.worn, at: clock.now)
        #expect(wait(.seconds(5)).map(\.value) == [.resubscribe], "each silence is asked about")
    }

    @Test mutating func silenceTimeoutWithoutMeasurementsDoublesUpTo48Seconds() {
        var timeouts: [Double] = []
        for _ in 0..<5 {
            #expect(link.found(strap, at: clock.now) == [.connect(strap)])
            #expect(link.connected(at: clock.now) == [.subscribe])
            link.subscribed(at: clock.advance(by: .seconds(8)))
            let subscribedAt = clock.now
            var actions = wait(.seconds(3))
            #expect(actions == [Timestamped(.resubscribe, at: subscribedAt + .seconds(3))])
            link.subscribed(at: clock.now)
            actions = wait(.seconds(100))
            #expect(actions.prefix(2).map(\.value) == [.disconnect, .search])
            timeouts.append((actions[0].measuredAt - subscribedAt).inSeconds)
            #expect(link.status.reason == .silent)
        }
        #expect(timeouts == [12, 24, 48, 48, 48])
        stream()
        #expect(wait(.seconds(60)).map(\.value) == [.resubscribe, .disconnect, .search])
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.subscribed(at: clock.now)
        #expect(wait(.seconds(12)).map(\.value) == [.resubscribe, .disconnect], "12 s again")
    }

    @Test mutating func unansweredSubscriptionDisconnects() {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        #expect(wait(.seconds(12)).map(\.value) == [.disconnect, .search])
        #expect(link.status.reason == .silent)
    }

    @Test mutating func connectTimesOutAfter45Seconds() {
        _ = link.found(strap, at: clock.now)
        #expect(wait(.seconds(44)).isEmpty)
        #expect(wait(.seconds(1)).map(\.value) == [.disconnect, .search])
        #expect(link.status.reason == .searching)
    }

    @Test mutating func retryDelayGrowsToFiveSecondsDuringARun() {
        link.runChanged(isActive: true, at: clock.now)
        stream()
        let rests = (0..<200).map { _ in
            let rest = restAfterLoss()
            _ = link.found(strap, at: clock.now)
            return rest
        }
        #expect(rests.prefix(6) == [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5)])
        #expect(rests.dropFirst(5).allSatisfy { $0 == .seconds(5) })
        #expect(link.status.reason == .outOfRange)
    }

    @Test mutating func retryDelayGrowsTo30SecondsWhileIdle() {
        stream()
        let rests = (0..<20).map { _ in
            let rest = restAfterLoss()
            _ = link.found(strap, at: clock.now)
            return rest?.inSeconds
        }
        #expect(rests.prefix(8) == [0, 0.5, 1, 2, 4, 8, 16, 30])
        #expect(rests.dropFirst(8).allSatisfy { $0 == 30 })
    }

    @Test mutating func startOfARunShortensTheRetryDelay() {
        for _ in 0..<10 {
            _ = link.found(strap, at: clock.now)
            _ = restAfterLoss()
        }
        _ = link.found(strap, at: clock.now)
        link.lost(.unreachable, at: clock.now)
        let lostAt = clock.now
        #expect(link.deadline == lostAt + .seconds(30))
        link.runChanged(isActive: true, at: clock.advance(by: .seconds(20)))
        #expect(link.deadline == lostAt + .seconds(5))
        #expect(link.tick(at: clock.now) == [.search])
    }

    @Test mutating func runMayStartBeforeTheFirstSearch() {
        link = SensorLink(at: clock.now)
        link.runChanged(isActive: true, at: clock.now)
        #expect(wait(.zero).map(\.value) == [.search])
    }

    @Test mutating func unstableStrapIsRetriedWithBackoff() {
        for count in 0..<6 {
            stream()
            #expect(restAfterLoss() == SensorLink.idleRests[count])
        }
    }

    @Test mutating func lossOfASteadyStreamIsRetriedAtOnce() {
        for _ in 0..<3 {
            stream()
            for _ in 0..<5 { link.received(.worn, at: clock.advance(by: .seconds(1))) }
            #expect(restAfterLoss() == .zero)
        }
    }

    @Test mutating func pendingConnectionIsReportedAsDisconnected() {
        #expect(link.expected(strap, within: .seconds(45), at: clock.now) == [.connect(strap)])
        #expect(link.status == LinkStatus(.disconnected, reason: .searching, address: strap.address))
        #expect(link.duty == .full)
        #expect(link.connected(at: clock.now) == [.subscribe])
        #expect(link.status.state == .connecting)
    }

    @Test mutating func missingExpectedStrapIsSearchedAgainWithoutADelay() {
        for _ in 0..<2 {
            _ = link.expected(strap, within: .seconds(45), at: clock.now)
            link.lost(.notFound, at: clock.advance(by: .seconds(40)))
            #expect(wait(.zero).map(\.value) == [.search])
        }
        _ = link.expected(strap, within: .seconds(45), at: clock.now)
        #expect(wait(.seconds(40)).map(\.value) == [.disconnect, .search], "as long as the air allows")
    }

    @Test mutating func expectedStrapIsAwaitedFiveSecondsInEvery30WhileIdle() {
        wait(.seconds(119))
        _ = link.expected(strap, within: .seconds(45), at: clock.now)
        var connecting = 0
        for _ in 0..<120 {
            for action in wait(.seconds(1)) where action.value == .search {
                _ = link.expected(strap, within: .seconds(45), at: action.measuredAt)
            }
            if link.duty != nil { connecting += 1 }
        }
        #expect(connecting == 4 * 5, "of two minutes")
    }

    @Test mutating func advertisingStrapIsConnectedOutsideTheScanWindow() {
        wait(.seconds(126))
        #expect(link.duty == nil)
        #expect(link.expected(strap, within: .seconds(45), at: clock.now) == [])
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
        #expect(wait(.seconds(44)).isEmpty)
    }

    @Test mutating func floodWaitsAMinuteDuringARunToo() {
        stream()
        link.lost(.flooded, at: clock.now)
        link.runChanged(isActive: true, at: clock.now)
        #expect(link.status == LinkStatus(.disconnected, reason: .backoff, address: strap.address))
        #expect(wait(.seconds(59)).isEmpty)
        #expect(wait(.seconds(1)).map(\.value) == [.search])
    }

    @Test(arguments: [
        (DisconnectCause.unreachable, LinkReason.searching), (.notFound, .searching),
        (.supervisionTimeout, .searching),
        (.ended, .searching), (.remoteTerminated, .searching), (.inUse, .inUse), (.attTimeout, .silent),
        (.unsupported, .silent), (.pairingNeeded, .needsPairing), (.flooded, .backoff),
        (.parametersRefused, .parametersRefused),
    ])
    mutating func linkReasonFollowsTheDisconnectCause(_ loss: DisconnectCause, reason: LinkReason) {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.lost(loss, at: clock.now)
        #expect(link.status == LinkStatus(.disconnected, reason: reason, address: strap.address))
    }

    @Test(arguments: 0..<20)
    mutating func randomCallsNeitherSpinNorStopTheLink(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let losses: [DisconnectCause] = [
            .unreachable, .notFound, .inUse, .ended, .supervisionTimeout, .remoteTerminated, .parametersRefused,
            .attTimeout, .unsupported,
            .pairingNeeded, .flooded, .adapterFull,
        ]
        let other = LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random)
        for _ in 0..<5_000 {
            let strap = [strap, other].randomElement(using: &random)!
            switch Int.random(in: 0...14, using: &random) {
            case 0: _ = link.found(strap, at: clock.now)
            case 1: _ = link.expected(strap, within: .seconds(45), at: clock.now)
            case 2: _ = link.connected(at: clock.now)
            case 3: link.subscribed(at: clock.now)
            case 4: link.received(.random(using: &random) ? .worn : .unworn, at: clock.now)
            case 5: link.lost(losses.randomElement(using: &random)!, at: clock.now)
            case 6: link.runChanged(isActive: .random(using: &random), at: clock.now)
            case 7: _ = link.received(strap, at: clock.now)
            case 8: _ = link.wanted(keepsSensor: .random(using: &random), at: clock.now)
            case 9: _ = link.obstructed(by: .random(using: &random) ? .adapterOff : nil, at: clock.now)
            case 10: link.canListen.toggle()
            case 11:
                let decisions: [StrapSelector.Decision] = [.wait, .choose, .connect(strap)]
                _ = link.considered(decisions.randomElement(using: &random)!, at: clock.now)
            default: clock.advance(by: .milliseconds(.random(in: 0...20_000, using: &random)))
            }
            if Int.random(in: 0...3, using: &random) == 0 { continue }
            var ticks = 0
            while let deadline = link.deadline, deadline <= clock.now {
                _ = link.tick(at: clock.now)
                ticks += 1
                #expect(ticks <= 4, "it spins")
                if ticks > 4 { return }
            }
            if let deadline = link.deadline { #expect(deadline <= clock.now + .seconds(300)) }
            if link.deadline == nil { #expect(link.duty == .sparing || link.status.reason == .adapterOff) }
        }
    }
}
