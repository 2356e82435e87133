import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// Pairing through bluetoothd: which agent requests are accepted, and when pairing starts.
@Suite(.serialized)
struct BlueZPairingTests {
    private static let stranger = FakeBlueZ.adapter + "/dev_AA_BB_CC_DD_EE_FF"

    /// A strap that requires pairing, with a backend that does not search yet.
    private func benchToBegin() throws -> BluetoothdFixture {
        var strap = FakeBlueZStrap()
        strap.needsPairing = true
        return try BluetoothdFixture([strap])
    }

    private func pairingBench() throws -> BluetoothdFixture {
        let bench = try benchToBegin()
        try bench.start()
        #expect(try bench.run { $0.links.last?.reason == .needsPairing })
        return bench
    }

    @Test func agentRejectsOtherDevicesBeforeDuringAndAfterAPairing() throws {
        let bench = try pairingBench()
        #expect(!bench.bluez.hasAgent, "nobody is there to agree")
        bench.bluez.script["Pair"] = [.never]
        #expect(bench.pair("9AD13824") == nil)
        #expect(try bench.run { $0.bluez.count(of: "Pair") == 1 })
        var answers: [Bool] = []
        let questions = ["RequestAuthorization", "RequestConfirmation", "RequestPinCode", "AuthorizeService"]
        for question in questions {
            bench.bluez.ask(question, about: Self.stranger) {
                if case .success = $0 { answers.append(true) } else { answers.append(false) }
            }
        }
        #expect(try bench.run { _ in answers.count == questions.count })
        #expect(!answers.contains(true))
        bench.bluez.ask("RequestAuthorization", about: bench.bluez.straps[0].path) {
            if case .success = $0 { answers.append(true) } else { answers.append(false) }
        }
        #expect(try bench.run { _ in answers.count == questions.count + 1 })
        #expect(answers.last == true)
        bench.release()
        #expect(bench.paired == .refused, "nobody waits for ever")
        #expect(try bench.run { !$0.bluez.hasAgent })
    }

    @Test func malformedAgentRequestIsRejectedWithoutEffect() throws {
        let bench = try pairingBench()
        bench.bluez.script["Pair"] = [.late(.milliseconds(500))]
        #expect(bench.pair("9AD13824") == nil)
        #expect(try bench.run { $0.bluez.count(of: "Pair") == 1 })
        var refused = 0
        bench.bluez.ask("RequestConfirmation", about: "/", [.string("x"), .bool(true)]) {
            if case .failure = $0 { refused += 1 }
        }
        bench.bluez.ask("Nonsense", about: bench.bluez.straps[0].path) { if case .failure = $0 { refused += 1 } }
        #expect(try bench.run { $0.paired != nil })
        #expect(refused == 2)
        #expect(bench.paired == .paired)
    }

    @Test(arguments: [
        ("AuthenticationFailed", PairingResult.refused), ("AuthenticationRejected", .refused),
        ("AlreadyExists", .pairedAlready), ("ConnectionAttemptFailed", .absent),
    ])
    func pairingErrorOfBluetoothdIsReported(error: String, outcome: PairingResult) throws {
        let bench = try pairingBench()
        bench.bluez.script["Pair"] = [.fails(BusError("org.bluez.Error." + error))]
        #expect(bench.pair("A0:9E:1A:00:00:01") == nil)
        #expect(try bench.run { $0.paired != nil })
        #expect(bench.paired == outcome)
        #expect(try bench.run(for: .seconds(2)) { !$0.bluez.hasAgent })
    }

    @Test func pairingFailsWhenBluetoothdStops() throws {
        let bench = try pairingBench()
        bench.bluez.script["Pair"] = [.never]
        #expect(bench.pair("9AD13824") == nil)
        #expect(try bench.run { $0.bluez.count(of: "Pair") == 1 })
        bench.bluez.stop()
        #expect(try bench.run { $0.paired != nil })
        #expect(bench.paired == .refused)
        #expect(bench.pair("9AD13824") == .unavailable(.noBluetooth))
    }

    private func expectPaired(_ bench: BluetoothdFixture) throws {
        #expect(try bench.run { $0.paired != nil })
        #expect(bench.paired == .paired)
        #expect(try bench.run { $0.links.last?.state == .connected })
    }

    @Test func closingLinkIsClosedBeforeAPairing() throws {
        let bench = try benchToBegin()
        bench.bluez.script["Disconnect"] = [.late(.seconds(1))]
        try bench.start()
        #expect(try bench.run { $0.links.last?.reason == .needsPairing })
        #expect(bench.pair("9AD13824") == nil)
        #expect(try !bench.run(for: .milliseconds(500)) { $0.bluez.count(of: "Pair") > 0 })
        try expectPaired(bench)
    }

    @Test func connectInProgressCompletesBeforeAPairing() throws {
        let bench = try benchToBegin()
        bench.bluez.script["Connect"] = [.late(.seconds(1))]
        try bench.start()
        #expect(try bench.run { $0.bluez.count(of: "Connect") == 1 })
        #expect(bench.pair("9AD13824") == nil)
        let isCalledOff = try bench.run(for: .milliseconds(500)) { $0.bluez.count(of: "Disconnect") > 0 }
        #expect(!isCalledOff)
        #expect(try bench.run { $0.bluez.count(of: "Pair") == 1 })
        #expect(bench.bluez.count(of: "StartNotify") == 0)
        try expectPaired(bench)
    }

    @Test func unansweredSubscriptionIsDisconnectedBeforeAPairing() throws {
        let bench = try benchToBegin()
        try bench.start()
        bench.bluez.script["StartNotify"] = [.never]
        #expect(try bench.run { $0.bluez.count(of: "StartNotify") == 1 })
        #expect(bench.pair("9AD13824") == nil)
        #expect(try bench.run(for: .seconds(5)) { $0.bluez.count(of: "Pair") == 1 }, "not only when it is given up")
        #expect(bench.bluez.count(of: "Disconnect") == 1)
        try expectPaired(bench)
    }

    @Test func connectedStrapIsPairedOverItsLink() throws {
        let bench = try BluetoothdFixture()
        try bench.start()
        #expect(try bench.run { $0.links.last?.state == .connected })
        #expect(bench.pair("9AD13824") == nil)
        #expect(try bench.run { $0.paired != nil })
        #expect(bench.paired == .paired)
        #expect(bench.links.last?.state == .connected)
        #expect(bench.bluez.straps[0].connections == 1)
        #expect(bench.pair("9AD13824") == nil)
        #expect(bench.paired == .paired, "the request returns before its result")
        #expect(try bench.run { $0.paired == .pairedAlready })
    }
}
