import Domain
import Pipeline
import Testing

struct ReplayClockTests {
    private static let start = Instant(milliseconds: 86_400_000)

    @Test(arguments: [0.1, 0.7, 1, 2.5, 60])
    func timePassesAtTheSpeed(speed: Double) {
        let clock = ReplayClock(speed: speed, at: Self.start)
        #expect(clock.moment(at: Self.start) == Self.start)
        for seconds in [1, 60, 3600, 86_400] {
            let passed = clock.moment(at: Self.start + .seconds(seconds)) - Self.start
            #expect(abs(passed.inSeconds - Double(seconds) * speed) < 1e-5)
        }
    }

    @Test(arguments: [0.1, 0.7, 1, 2.5, 60])
    func momentHasComeWhenItIsDue(speed: Double) {
        let clock = ReplayClock(speed: speed, at: Self.start)
        for milliseconds in stride(from: 0, to: 10_000_000 as Int64, by: 99_900) {
            let moment = Self.start + .milliseconds(milliseconds)
            let due = clock.due(moment)
            #expect(clock.moment(at: due) >= moment)
            #expect(clock.moment(at: due - .microseconds(3)) < moment || speed == 1)
        }
    }

    @Test func speedOneIsTheBootClock() {
        let clock = ReplayClock(speed: 1, at: Self.start)
        for nanoseconds in [1, 999_999_937, 3_600_000_000_001] as [Int64] {
            let now = Self.start + .nanoseconds(nanoseconds)
            #expect(clock.moment(at: now) == now)
            #expect(clock.due(now) == now)
        }
    }

    @Test func holeIsLeftOut() {
        var clock = ReplayClock(speed: 2, at: Self.start)
        clock.skip(.seconds(600))
        #expect(clock.moment(at: Self.start + .seconds(601)) == Self.start + .seconds(2))
    }

    @Test(arguments: [
        (0.1, 100), (1, 100), (1.5, 200), (2, 200), (5, 500), (7, 1000), (10, 1000), (10.1, 2000), (60, 6000),
    ])
    func atMostTenStatesASecondArePublished(speed: Double, milliseconds: Int64) {
        #expect(ReplayClock(speed: speed, at: Self.start).statePeriod == milliseconds)
    }
}
