import Domain
import HTTP
import Testing

@Suite struct HostScheduleTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    /// Fails at once, again and again, without jitter.
    private func delays(_ count: Int, jitter: Double = 0) -> [Duration] {
        var schedule = HostSchedule()
        var now = start
        return (0..<count).map { _ in
            schedule.start(.command, at: now)
            schedule.fail(retryAfter: nil, jitter: jitter, at: now)
            let next = schedule.earliestStart(for: .periodic, at: now)
            defer { now = next }
            return next - now
        }
    }

    @Test func delaysDoubleFromTwoSecondsToAQuarterOfAnHour() {
        #expect(delays(11) == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].map { .seconds($0) })
    }

    @Test func jitterTakesAtMostAQuarterOff() {
        #expect(delays(3, jitter: 1) == [.milliseconds(1500), .seconds(3), .seconds(6)])
    }

    @Test func aSuccessEndsTheDelays() {
        var schedule = HostSchedule()
        for _ in 0..<5 {
            schedule.start(.periodic, at: start)
            schedule.fail(retryAfter: .seconds(60), jitter: 0, at: start)
        }
        schedule.start(.periodic, at: start)
        #expect(schedule.isBusy)
        schedule.succeed()
        #expect(!schedule.isBusy)
        #expect(schedule.earliestStart(for: .periodic, at: start) <= start)
    }

    @Test func aCommandDoesNotWaitForADelayButForRetryAfter() {
        var schedule = HostSchedule()
        schedule.start(.periodic, at: start)
        schedule.fail(retryAfter: nil, jitter: 0, at: start)
        #expect(schedule.earliestStart(for: .command, at: start) == start)
        schedule.start(.command, at: start)
        schedule.fail(retryAfter: .seconds(70), jitter: 0, at: start)
        #expect(schedule.earliestStart(for: .command, at: start) == start + .seconds(70))
        #expect(schedule.earliestStart(for: .periodic, at: start) == start + .seconds(70))
    }

    @Test func liveDataHasABudgetOfItsOwn() {
        var schedule = HostSchedule()
        for second in 0..<HostSchedule.Purpose.live.hourlyLimit {
            schedule.start(.live, at: start + .seconds(second))
            schedule.succeed()
        }
        #expect(schedule.earliestStart(for: .live, at: start + .seconds(3599)) == start + .seconds(3600))
        #expect(schedule.earliestStart(for: .periodic, at: start + .seconds(3001)) <= start + .seconds(3001))
    }

    @Test func retryAfterCountsForAnHourAtMost() {
        var schedule = HostSchedule()
        schedule.start(.periodic, at: start)
        schedule.fail(retryAfter: .seconds(86_400), jitter: 0, at: start)
        #expect(schedule.earliestStart(for: .periodic, at: start) == start + .seconds(3600))
    }

    /// Whatever fails and succeeds, no hour has more than twelve requests that reach the host.
    @Test(arguments: 0..<20) func noHourHasMoreThanTwelvePeriodicRequests(seed: UInt64) {
        var random = SystemRandomNumberGenerator()
        var schedule = HostSchedule()
        var now = start
        var starts: [Instant] = []
        while now < start + .seconds(86_400) {
            now = max(now + .seconds(1), schedule.earliestStart(for: .periodic, at: now))
            starts.append(now)
            schedule.start(.periodic, at: now)
            if seed.isMultiple(of: 2) || Bool.random(using: &random) {
                schedule.succeed()
            } else {
                schedule.fail(retryAfter: nil, jitter: .random(in: 0...1), at: now)
            }
        }
        for (index, first) in starts.enumerated() {
            let hour = starts[index...].prefix { $0 < first + .seconds(3600) }
            #expect(hour.count <= 12)
        }
        #expect(starts.count > 200)
    }

    /// Without a network nothing reaches the host: the first request after its return waits for the delay only.
    @Test func requestsThatReachNobodyDoNotCount() {
        var schedule = HostSchedule()
        var now = start
        for _ in 0..<50 {
            schedule.start(.periodic, at: now)
            schedule.fail(wasReached: false, retryAfter: nil, jitter: 0, at: now)
            now = schedule.earliestStart(for: .periodic, at: now)
            #expect(now - start <= .seconds(1022 + 900 * 41))
        }
        schedule.start(.periodic, at: now)
        schedule.succeed()
        #expect(schedule.earliestStart(for: .periodic, at: now) <= now)
    }
}
