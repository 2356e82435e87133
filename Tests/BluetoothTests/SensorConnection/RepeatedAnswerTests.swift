import Domain
import Linux
import Sensors
import TestKit
import Testing

/// A strap that sends each response twice, at once or later.
@Suite(.serialized)
struct RepeatedAnswerTests {
    /// The results for such a strap: its device information, its battery reports, and the number of connections.
    private struct Outcome {
        var information: DeviceInformation?
        var batteries: [Int] = []
        var connections = 0
    }

    /// The latency of a response, as over the air, so that a late repetition falls into another request.
    private static let latency = Duration.milliseconds(20)

    private func connect(repeatingAfter delay: Duration) throws -> Outcome {
        let bench = try StrapFixture()
        var outcome = Outcome()
        var strap = ScriptedStrap()
        strap.answers[ScriptedStrap.subscription] = [[0x13]]
        var peer: HostilePeer?
        peer = try HostilePeer(path: bench.path, loop: bench.loop) { event in
            if case .connected(let count) = event { outcome.connections = count }
            guard case .received(let pdu) = event else { return [] }
            let answers = strap.answer(to: pdu)
            let beat = pdu == ScriptedStrap.subscription ? [ScriptedStrap.notification] : []
            try? bench.after(Self.latency) { peer?.send(delay == .zero ? answers + answers + beat : answers + beat) }
            if delay > .zero { try? bench.after(Self.latency + delay) { peer?.send(answers) } }
            return []
        }
        try bench.connect()
        let begun = Clock.now()
        #expect(try bench.run(for: .seconds(20)) { !$0.information.isEmpty })
        let first = try #require(bench.hearts.first)
        #expect(first.measuredAt - begun < .seconds(5))
        outcome.information = bench.information.first
        outcome.batteries = bench.inputs.compactMap {
            if case .battery(let percent) = $0.value { percent } else { nil }
        }
        // The closure of the peer retains it.
        peer = nil
        return outcome
    }

    @Test(arguments: [0, 5, 50] as [Int64])
    func strapThatRepeatsAtOnceGivesCorrectValues(milliseconds: Int64) throws {
        let outcome = try connect(repeatingAfter: .milliseconds(milliseconds))
        #expect(outcome.connections == 1)
        #expect(outcome.batteries == [87])
        #expect(outcome.information?.manufacturer?.text == "Polar Electro Oy")
        #expect(outcome.information?.model?.text == "H10")
        #expect(outcome.information?.name?.text == "Polar H10 9AD13824")
        #expect(outcome.information?.serialNumber == nil)
        #expect(outcome.information?.software == nil)
        #expect(outcome.information?.location == .chest)
    }

    /// Later than any timeout: values are right or missing, but never those of another response.
    @Test(arguments: [130, 220, 310] as [Int64])
    func strapThatRepeatsLateGivesNoWrongValues(milliseconds: Int64) throws {
        let outcome = try connect(repeatingAfter: .milliseconds(milliseconds))
        #expect(outcome.connections == 1)
        #expect(Set(outcome.batteries).isSubset(of: [87]))
        let information = try #require(outcome.information)
        #expect([nil, "Polar Electro Oy"].contains(information.manufacturer?.text))
        #expect([nil, "H10"].contains(information.model?.text))
        #expect([nil, "Polar H10 9AD13824"].contains(information.name?.text))
        #expect([nil, .chest].contains(information.location))
        #expect(information.serialNumber == nil && information.hardware == nil && information.software == nil)
    }
}
