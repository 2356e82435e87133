import Domain
import Pipeline
import TestKit
import Testing

/// The limit alone, as a wheel sensor or a foot pod would use it.
@Suite struct DistanceLimitTests {
    private static let start = Instant(milliseconds: 1_000_000)

    private static func moment(_ seconds: Double) -> Instant {
        start + .nanoseconds(Int64(seconds * 1e9))
    }

    @Test func distanceBelowTheMaximumSpeedIsAllowed() {
        var limit = DistanceLimit(fastest: 35, at: Self.start)
        for second in 1...100 {
            let allowed = limit.allow(34.9, over: .seconds(1), until: Self.moment(Double(second)), isWhole: false)
            #expect(allowed == 34.9)
        }
    }

    @Test func tenSecondsOfDistanceAreAllowedAboveTheLimitOnce() {
        var limit = DistanceLimit(fastest: 6, at: Self.start)
        #expect(limit.allow(500, over: .seconds(1), until: Self.moment(1), isWhole: true) == 0)
        #expect(limit.allow(500, over: .seconds(1), until: Self.moment(1), isWhole: false) == 66)
        #expect(limit.allow(1, over: .zero, until: Self.moment(1), isWhole: false) == 0)
        #expect(limit.allow(500, over: .seconds(1), until: Self.moment(2), isWhole: false) == 6)
        // Ten seconds without distance permit ten seconds of it later.
        #expect(limit.allow(500, over: .seconds(1), until: Self.moment(13), isWhole: false) == 66)
    }

    @Test func distanceOfALongSpanIsSpreadOverTheSpan() {
        var limit = DistanceLimit(fastest: 12.5, at: Self.start)
        #expect(limit.allow(5000, over: .seconds(1800), until: Self.moment(1790), isWhole: true) == 5000)
        // The part of the span before the start gives nothing.
        var late = DistanceLimit(fastest: 12.5, at: Self.moment(1789))
        #expect(late.allow(5000, over: .seconds(1800), until: Self.moment(1790), isWhole: true) == 0)
    }

    @Test(arguments: [-1, -Double.infinity, .infinity, .nan, 1e300])
    func invalidDistanceIsClamped(metres: Double) {
        var limit = DistanceLimit(fastest: 6, at: Self.start)
        let allowed = limit.allow(metres, over: .seconds(1), until: Self.moment(1), isWhole: false)
        #expect((0...66).contains(allowed))
        #expect(limit.allow(5, over: .seconds(1), until: Self.moment(60), isWhole: false) == 5)
    }

    @Test func timeInReverseAllowsNoDistance() {
        var limit = DistanceLimit(fastest: 6, at: Self.start)
        #expect(limit.allow(120, over: .seconds(10), until: Self.moment(10), isWhole: false) == 120)
        #expect(limit.allow(120, over: .seconds(10), until: Self.moment(5), isWhole: false) == 0)
        #expect(limit.allow(120, over: .seconds(-10), until: Self.moment(10), isWhole: false) == 0)
        #expect(limit.allow(120, over: .seconds(10), until: Self.moment(11), isWhole: false) == 6)
    }

    /// Spans may be negative or longer than the time that has passed.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func noSequenceExceedsTheBound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let fastest = [6, 12.5, 35][Int(seed % 3)]
        var limit = DistanceLimit(fastest: fastest, at: Self.start)
        var now = 0.0
        var total = 0.0
        // The ends of the steps, without those inside a span that was counted at once.
        var ends = [(at: 0.0, metres: 0.0)]
        for _ in 0..<500 {
            now += random.uniform() * (random.uniform() < 0.1 ? 60 : 2)
            let metres = random.uniform() * (random.uniform() < 0.2 ? 1e5 : fastest * 3)
            let span = random.uniform() * 2 - 0.1
            let allowed = limit.allow(
                metres, over: .nanoseconds(Int64(span * 1e9)), until: Self.moment(now), isWhole: random.uniform() < 0.3)
            if allowed > 0 { ends.removeAll { $0.at > now - span } }
            total += allowed
            ends.append((now, total))
            let worst = ends.map { total - $0.metres - fastest * (now - $0.at) }.max() ?? 0
            #expect(worst <= fastest * 10 + 1e-6)
        }
    }
}
