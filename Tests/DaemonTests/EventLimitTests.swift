import Daemon
import Domain
import Testing

@Suite struct EventLimitTests {
    private let start = Instant(milliseconds: 1_000_000)

    private func link(_ owner: Event.LinkOwner = .gpsd) -> Output {
        output(.link(owner, LinkStatus(.connected), after: .zero))
    }

    private func output(_ kind: Event.Kind) -> Output {
        .event(Event(at: start, kind: kind))
    }

    @Test func fiftyEventsOfAKindThenOneASecondArePublished() {
        var limit = EventLimit()
        let flood = Array(repeating: link(), count: 200)
        #expect(limit.limited(flood, at: start).count == 50)
        #expect(limit.limited([link(.heart)], at: start).count == 1, "each link for itself")
        #expect(limit.limited([output(.clock(.receiver, stepMilliseconds: 1000))], at: start).count == 1)
        for second in 1...20 {
            #expect(limit.limited(flood, at: start + .seconds(second)).count == 1)
        }
        let expected = "too much happens at once; \(150 + 20 * 199) EVENTs were left out, STATE is right"
        #expect(limit.fault(at: start + .seconds(20)) == .raise(.eventFlood, message: expected))
        #expect(limit.fault(at: start + .seconds(79)) == nil)
        #expect(limit.fault(at: start + .seconds(80)) == .clear(.eventFlood))
    }

    @Test func eventsOfTheRunAndSamplesAreNeverDropped() {
        var limit = EventLimit()
        let summary = ActivitySummary(
            id: 1, sport: .run, isOpen: false, started: nil, ended: nil, total: Totals(), totalMilliseconds: 0,
            laps: 1, gaps: 0, isDemo: false)
        let kinds: [Event.Kind] = [
            .start(.run), .pause(elapsedMilliseconds: 0, distanceMetres: 0, .command),
            .resume(elapsedMilliseconds: 0, distanceMetres: 0, .command), .lap(Totals(), number: 1, .time),
            .stop(summary), .discard(summary), .gap(.position, seconds: 5, metres: nil, counted: false),
        ]
        let reading = HeartRateSample(
            at: start, time: nil, measurement: HeartRateMeasurement(beatsPerMinute: 60), quality: .good, gap: false,
            beatAt: nil)
        let outputs = (0..<100).flatMap { _ in kinds.map(output) + [.heart(reading)] }
        #expect(limit.limited(outputs, at: start) == outputs)
        #expect(limit.fault(at: start) == nil)
    }
}
