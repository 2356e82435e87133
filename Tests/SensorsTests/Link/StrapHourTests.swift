import Domain
import Sensors
import TestKit
import Testing

/// A long run, in simulated time.
struct StrapHourTests {
    /// Sends an hour of notifications at 1 Hz in every form, with requests of the strap and responses for battery and
    /// description in between.
    @Test(arguments: 0..<3)
    func everyIntervalSentInAnHourIsReceivedInOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var clock = ManualClock()
        var link = SensorLink(at: clock.now)
        var session = SensorSession()
        var strap = ScriptedStrap()
        var sent: [UInt16] = []
        var received: [UInt16] = []
        var batteries = 0

        func carryOut(_ actions: [SensorSession.Action]) {
            var left = actions
            while !left.isEmpty {
                switch left.removeFirst() {
                case .send(let bytes):
                    for answer in strap.answer(to: bytes) { left += session.received(answer.span, at: clock.now) }
                case .report(.subscribed): link.subscribed(at: clock.now)
                case .report(.measured(.heartRate(let measurement))):
                    link.received(measurement, at: clock.now)
                    received += measurement.rrIntervals
                case .report(.battery): batteries += 1
                case .report(.described), .report(.measured), .report(.found), .report(.compensated): break
                case .close(let loss): Issue.record("closed: \(loss)")
                }
            }
        }

        _ = link.tick(at: clock.now)
        _ = link.found(nil, at: clock.now)
        #expect(link.connected(at: clock.now) == [.subscribe])
        carryOut(session.start(at: clock.now))
        for second in 0..<3_600 {
            clock.advance(by: .seconds(1))
            carryOut(session.tick(at: clock.now))
            #expect(link.deadline.map { $0 > clock.now } ?? false, "nothing is late")
            let isLong = Bool.random(using: &random)
            let hasEnergy = second.isMultiple(of: 10)
            let intervals = (0..<Int.random(in: 0...(isLong ? 7 : 8), using: &random)).map { _ in
                UInt16.random(in: 200...2_000, using: &random)
            }
            var value: [UInt8] = [0x06 | 0x10 | (isLong ? 1 : 0) | (hasEnergy ? 8 : 0), 140]
            if isLong { value.append(0) }
            if hasEnergy { value += [UInt8(second / 16 % 256), 0] }
            for interval in intervals { value += [UInt8(truncatingIfNeeded: interval), UInt8(interval >> 8)] }
            sent += intervals
            if second.isMultiple(of: 97) { carryOut(session.received([0x02, 0x17, 0x00].span, at: clock.now)) }
            carryOut(session.received(([0x1B, 0x15, 0x00] + value).span, at: clock.now))
        }
        // Compared outside of the expectation, which would print thousands of them.
        let isTheSame = received == sent
        #expect(isTheSame, "\(received.count) of \(sent.count)")
        #expect(batteries == 6)
        #expect(link.status.state == .connected)
    }
}
