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
}
