import Domain
import Sensors
import TestKit
import Testing

/// A strap that was taken off is left alone, which saves its battery, and connects again when it is put on.
struct StrapSleepTests {
    private var clock = ManualClock()
    private var link: SensorLink
    private var connections = 0
    private let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private let other = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0002), .public)

    init() {
        link = SensorLink(at: clock.now)
        link.canListen = true
        _ = link.tick(at: clock.now)
    }

    /// Advances the clock, with a tick at each deadline.
    @discardableResult
    private mutating func wait(_ duration: Duration) -> [SensorLink.Action] {
        let end = clock.now + duration
        var actions: [SensorLink.Action] = []
        while let deadline = link.deadline, deadline <= end {
            clock.now = max(clock.now, deadline)
            actions += link.tick(at: clock.now)
        }
        clock.now = end
        return actions
    }

    private mutating func stand() {
        #expect(link.connected(at: clock.now) == [.subscribe])
        link.subscribed(at: clock.now)
        connections += 1
    }

    /// Wears the strap for a minute, then takes it off: it stays connected for a while and disconnects.
    private mutating func wearAndTakeOff(leavingAfter unworn: Int = 12) -> [SensorLink.Action] {
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
        stand()
        for _ in 0..<60 { link.received(.worn, at: clock.advance(by: .seconds(1))) }
        return takeOff(leavingAfter: unworn)
    }

    private mutating func takeOff(leavingAfter unworn: Int = 12) -> [SensorLink.Action] {
        for _ in 0..<unworn { link.received(.unworn, at: clock.advance(by: .seconds(1))) }
        return link.lost(.remoteTerminated, at: clock.now)
    }

    @Test mutating func strapThatWasTakenOffSleeps() {
        #expect(wearAndTakeOff() == [.listen])
        #expect(link.status == LinkStatus(.disconnected, reason: .offBody, address: strap.address))
        #expect(link.asleep == strap)
        #expect(link.found(strap, at: clock.now) == [])
        #expect(link.considered(.connect(strap), at: clock.now) == [])
    }

    @Test mutating func wornStrapThatDisconnectsIsSearchedAgain() {
        #expect(wearAndTakeOff(leavingAfter: 9) == [])
        #expect(link.asleep == nil)
        #expect(wait(.seconds(1)) == [.search])
    }

    @Test(arguments: [DisconnectCause.supervisionTimeout, .ended])
    mutating func strapWithALostSignalDoesNotSleep(_ loss: DisconnectCause) {
        _ = link.found(strap, at: clock.now)
        stand()
        for _ in 0..<20 { link.received(.unworn, at: clock.advance(by: .seconds(1))) }
        link.lost(loss, at: clock.now)
        #expect(link.asleep == nil)
    }

    @Test(arguments: [
        HeartRateMeasurement(beatsPerMinute: 70),  // cannot tell, and has a beat
        HeartRateMeasurement(beatsPerMinute: 0, contact: true),  // dry, before its first beat
        HeartRateMeasurement(beatsPerMinute: 70, contact: false, rrIntervals: [882]),  // denies contact all the time
    ])
    mutating func everySignOfWearingPreventsSleep(_ measurement: HeartRateMeasurement) {
        _ = link.found(strap, at: clock.now)
        stand()
        for _ in 0..<30 { link.received(measurement, at: clock.advance(by: .seconds(1))) }
        #expect(link.lost(.remoteTerminated, at: clock.now) == [])
        #expect(link.asleep == nil)
    }

    @Test mutating func strapThatIsPutOnIsConnectedAtOnce() {
        _ = wearAndTakeOff()
        // It advertises for a while, falls silent, and is put on again.
        for _ in 0..<3 {
            wait(.seconds(5))
            #expect(link.received(strap, at: clock.now) == [])
        }
        wait(.seconds(20))
        #expect(link.received(strap, at: clock.now) == [.connect(strap)])
        #expect(link.status.state == .connecting)
        stand()
        link.received(.worn, at: clock.now)
        #expect(link.status == LinkStatus(.connected, address: strap.address))
    }

    @Test mutating func advertisingStrapOffBodyIsRetriedAfterAMinute() {
        _ = wearAndTakeOff()
        for _ in 0..<9 {
            #expect(wait(.seconds(6)) == [])
            #expect(link.received(strap, at: clock.now) == [])
        }
        #expect(wait(.seconds(6)) == [.stopScan, .search])
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
    }

    @Test mutating func strapStillOffBodyIsRetriedAfterFiveMinutes() {
        _ = wearAndTakeOff()
        wait(.seconds(60))
        _ = link.found(strap, at: clock.now)
        stand()
        #expect(takeOff() == [], "nobody listens for it")
        #expect(link.duty == nil)
        wait(.seconds(299))
        #expect(link.received(strap, at: clock.now) == [])
        #expect(wait(.seconds(1)) == [.stopScan, .search])
    }

    @Test mutating func selectionOfTheStrapWakesIt() {
        _ = wearAndTakeOff()
        wait(.seconds(3))
        #expect(link.wanted(keepsSensor: true, at: clock.now) == [.stopScan])
        #expect(wait(.zero) == [.search])
        #expect(link.found(strap, at: clock.now) == [.connect(strap)])
    }

    @Test mutating func startOfARunWakesTheStrap() {
        _ = wearAndTakeOff()
        link.runChanged(isActive: true, at: clock.now)
        #expect(wait(.zero) == [.search])
        #expect(link.status.reason == .outOfRange)
    }

    @Test mutating func otherConfiguredStrapIsUsedDuringSleep() {
        _ = wearAndTakeOff()
        wait(.seconds(30))
        #expect(link.considered(.connect(other), at: clock.now) == [.connect(other)])
        stand()
        link.received(.worn, at: clock.now)
        #expect(link.status == LinkStatus(.connected, address: other.address))
    }

    /// Straps off the body for ten minutes that are heard every `interval` s, with pauses of a minute, and disconnect
    /// 12 s after connecting.
    @Test(arguments: [true, false], [1, 5, 25])
    mutating func tenMinutesOffBodyCauseAtMostThreeConnections(canListen: Bool, interval: Int) {
        link.canListen = canListen
        _ = wearAndTakeOff()
        let takenOffAt = clock.now
        var second = 0
        while clock.now < takenOffAt + .seconds(600) {
            let actions = wait(.seconds(1))
            second += 1
            // Moved in its bag, it advertises for a minute and is silent for one.
            let isAdvertising = interval == 5 || second / 60 % 2 == 0
            guard isAdvertising, second % interval == 0 else { continue }
            var connects = link.received(strap, at: clock.now) != []
            if actions.contains(.search) || link.isScanning { connects = link.found(strap, at: clock.now) != [] }
            guard connects else { continue }
            stand()
            _ = takeOff()
        }
        #expect((2...3).contains(connections))
    }

    @Test mutating func withoutAScanSleepLastsOneMinuteThenFive() {
        link.canListen = false
        #expect(wearAndTakeOff() == [])
        var waits: [Double] = []
        for _ in 0..<3 {
            let asleepAt = clock.now
            #expect(link.received(strap, at: clock.now) == [])
            while link.asleep != nil {
                clock.now = link.deadline!
                _ = link.tick(at: clock.now)
            }
            waits.append((clock.now - asleepAt).inSeconds)
            wait(.zero)
            #expect(link.expected(strap, within: .seconds(45), at: clock.now) == [.connect(strap)])
            stand()
            _ = takeOff()
        }
        #expect(waits == [60, 300, 300])
    }

    @Test mutating func strapWornAgainSleepsForTheShortDelay() {
        for _ in 0..<3 {
            _ = wearAndTakeOff()
            wait(.seconds(30))
            #expect(link.received(strap, at: clock.now) == [.connect(strap)])
            stand()
            for _ in 0..<60 { link.received(.worn, at: clock.advance(by: .seconds(1))) }
            link.lost(.supervisionTimeout, at: clock.now)
            wait(.zero)
        }
    }
}
