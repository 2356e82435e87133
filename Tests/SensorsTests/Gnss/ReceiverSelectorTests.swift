import Domain
import Sensors
import TestKit
import Testing

@Suite struct ReceiverSelectorTests {
    var clock = ManualClock()
    var receivers = ReceiverSelector()

    /// Returns the receivers of the fixes that these reports close; without a time each report closes at once.
    mutating func used(_ reports: TPVReport...) -> [String] {
        var fixes: [Fix] = []
        for report in reports {
            receivers.received(report, at: clock.now, into: &fixes)
            receivers.tick(at: clock.now, into: &fixes)
        }
        return fixes.map { $0.device?.text ?? "none" }
    }

    func good(_ device: String?, accuracy: Double? = nil) -> TPVReport {
        report(nil, accuracy: accuracy, device: device)
    }

    func flat(_ device: String) -> TPVReport {
        report(nil, mode: 2, device: device)
    }

    func lost(_ device: String) -> TPVReport {
        report(nil, mode: 1, latitude: nil, longitude: nil, device: device)
    }

    @Test mutating func singleReceiverIsAlwaysUsed() {
        #expect(used(lost("a"), good("a"), lost("a")) == ["a", "a", "a"])
    }

    @Test mutating func requestedReceiverIsUsedWithoutAPosition() {
        receivers = ReceiverSelector(wanted: "a")
        #expect(used(good("b"), lost("a"), good("b")) == ["a"])
        clock.advance(by: .seconds(60))
        #expect(used(good("b")) == [])
        receivers.received(satellites: 7, of: "b", at: clock.now)
        #expect(used(good("a")) == ["a"])
    }

    @Test mutating func betterModeWinsThenSmallerError() {
        #expect(
            used(flat("a"), good("b", accuracy: 20), good("a", accuracy: 5), good("b", accuracy: 20)) == [
                "a", "b", "a",
            ])
        #expect(used(good("c", accuracy: 5.1), good("d")) == [])
    }

    @Test mutating func choiceIsKeptAfterTwoSeconds() {
        #expect(used(good("a", accuracy: 50)) == ["a"])
        clock.advance(by: .milliseconds(2_000))
        #expect(used(good("b", accuracy: 1), good("a", accuracy: 50)) == ["a"])
    }

    @Test mutating func receiverIsReplacedAfterTenSecondsOfSilence() {
        #expect(used(good("a"), good("b")) == ["a"])
        clock.advance(by: .milliseconds(9_999))
        #expect(used(good("b")) == [])
        clock.advance(by: .milliseconds(1))
        #expect(used(good("b")) == ["b"])
        #expect(used(good("a")) == [])
    }

    @Test mutating func receiverWithoutAFixForTenSecondsIsReplaced() {
        #expect(used(good("a")) == ["a"])
        for _ in 0..<9 {
            clock.advance(by: .seconds(1))
            #expect(used(good("b"), lost("a")) == ["a"])
        }
        clock.advance(by: .seconds(1))
        #expect(used(lost("a"), good("b"), lost("a")) == ["b"])
    }

    @Test mutating func bestOtherReceiverReplacesASilentOne() {
        #expect(used(good("a")) == ["a"])
        clock.advance(by: .seconds(5))
        #expect(used(good("b", accuracy: 30), good("c", accuracy: 3)) == [])
        clock.advance(by: .seconds(5))
        #expect(used(good("b", accuracy: 30), good("c", accuracy: 3)) == ["c"])
    }

    @Test mutating func firstReceiverReportsWhileNoneHasAPosition() {
        #expect(used(lost("a"), lost("b"), lost("a")) == ["a", "a"])
        clock.advance(by: .seconds(10))
        #expect(used(lost("b")) == ["b"])
        #expect(used(good("c")) == ["c"])
    }

    @Test mutating func reportsWithoutADeviceAreOneReceiver() {
        #expect(used(good(nil), good(nil)) == ["none", "none"])
    }

    @Test mutating func reportsOfTwoReceiversAreNotMerged() {
        var fixes: [Fix] = []
        receivers.received(report(0, altitude: 1, device: "a"), at: clock.now, into: &fixes)
        receivers.received(report(0, altitude: 2, device: "b"), at: clock.now, into: &fixes)
        receivers.received(report(1_000, altitude: 3, device: "a"), at: clock.now, into: &fixes)
        #expect(fixes.map(\.altitude) == [1])
    }

    @Test mutating func manyReceiversDoNotReplaceTheOneInUse() {
        #expect(used(good("a")) == ["a"])
        for index in 0..<1_000 {
            clock.advance(by: .milliseconds(5))
            #expect(used(lost("other \(index)")) == [])
        }
        #expect(used(good("a")) == ["a"])
    }

    /// Returns who is used in each second of some seconds. Each receiver has a position of an error at its own seconds.
    mutating func used(
        in seconds: Range<Int>, _ receivers: [(device: String, accuracy: Double, reports: (Int) -> Bool)]
    ) -> [String] {
        var devices: [String] = []
        for second in seconds {
            for receiver in receivers where receiver.reports(second) {
                devices += used(good(receiver.device, accuracy: receiver.accuracy))
            }
            clock.advance(by: .seconds(1))
        }
        return devices
    }

    @Test(arguments: [0, 1, 4], [2.0, 20]) mutating func slowReceiverDoesNotDisplaceOneAtOneHertz(
        phase: Int, accuracy: Double
    ) {
        let both: [(device: String, accuracy: Double, reports: (Int) -> Bool)] = [
            ("slow", accuracy, { $0 % 5 == phase }), ("a", 5, { _ in true }),
        ]
        _ = used(in: 0..<20, both)
        #expect(used(in: 20..<200, both) == Array(repeating: "a", count: 180))
    }

    @Test mutating func receiverAtATenthOfAHertzDoesNotComeBack() {
        let both: [(device: String, accuracy: Double, reports: (Int) -> Bool)] = [
            ("slow", 2, { $0 % 11 == 0 }), ("a", 5, { $0 > 0 }),
        ]
        _ = used(in: 0..<30, both)
        #expect(used(in: 30..<200, both) == Array(repeating: "a", count: 170))
    }

    @Test mutating func receiverThatReportsInBurstsDoesNotComeBack() {
        let both: [(device: String, accuracy: Double, reports: (Int) -> Bool)] = [
            ("bursts", 2, { $0 % 12 < 2 }), ("a", 5, { _ in true }),
        ]
        _ = used(in: 0..<24, both)
        #expect(used(in: 24..<200, both) == Array(repeating: "a", count: 176))
    }

    @Test mutating func fastReceiverComesBackAfterItWasLost() {
        let both: [(device: String, accuracy: Double, reports: (Int) -> Bool)] = [
            ("a", 5, { !(20..<40).contains($0) }), ("slow", 2, { $0 % 5 == 0 }),
        ]
        _ = used(in: 0..<20, both)
        #expect(used(in: 20..<40, both) == ["slow", "slow"])
        _ = used(in: 40..<44, both)
        #expect(used(in: 44..<100, both) == Array(repeating: "a", count: 56))
    }

    @Test mutating func receiverThatMissesSecondsIsKept() {
        let both: [(device: String, accuracy: Double, reports: (Int) -> Bool)] = [
            ("a", 5, { $0 % 10 < 4 }), ("b", 4, { $0 > 2 }),
        ]
        #expect(Set(used(in: 0..<100, both)) == ["a"])
    }

    @Test mutating func slowReceiverAloneIsUsed() {
        #expect(used(in: 0..<50, [("slow", 5, { $0 % 5 == 0 })]).count == 10)
    }
}
