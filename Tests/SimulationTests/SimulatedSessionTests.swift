import Domain
import Simulation
import Testing

private func inputs(of session: SimulatedSession, seconds: Int) -> [Timestamped<Input>] {
    var run = SimulatedRun(session, seed: 1, startedAt: Recording.start, utc: Recording.utc)
    var inputs: [Timestamped<Input>] = []
    for tenth in 0...(seconds * 10) { inputs += run.advance(to: Recording.start + .milliseconds(100 * tenth)) }
    return inputs
}

struct SimulatedSessionTests {
    @Test func rideHasTheSpeedsOfARider() {
        let fixes = inputs(of: .ride, seconds: 1800).fixes.map(\.value).filter { $0.mode == 3 }
        let speeds = fixes.compactMap(\.speed)
        #expect((6...8.5).contains(moments(speeds).mean))
        #expect(speeds.allSatisfy { (0...13.2).contains($0) })
        // A hill is climbed slowly.
        #expect(speeds.contains { (1...4).contains($0) })
        #expect(speeds.contains { $0 > 9 })
    }

    @Test func heartRateOfARideIsThatOfAnEffort() {
        let beats = inputs(of: .ride, seconds: 1800).notifications.filter {
            $0.measuredAt > Recording.start + .seconds(120)
        }
        #expect((115...165).contains(moments(beats.map { Double($0.value.beatsPerMinute) }).mean))
    }

    @Test func indoorSessionHasBeatsAndNoPosition() {
        let inputs = inputs(of: .indoor, seconds: 900)
        #expect(inputs.fixes.isEmpty)
        #expect(inputs.gpsdLinks.isEmpty)
        let rates = inputs.notifications.map { Double($0.value.beatsPerMinute) }
        #expect(rates.count > 850)
        // Intervals: the heart rate rises in the hard ones and falls between.
        #expect((rates.dropFirst(500).max() ?? 0) - (rates.dropFirst(500).min() ?? 0) > 15)
    }

    @Test func sessionNamesItsSport() {
        #expect(SimulatedSession.run.sport == nil)
        #expect(SimulatedSession.ride.sport == .ride)
        #expect(SimulatedSession.allCases.map(\.isIndoor) == [false, false, true])
    }
}
