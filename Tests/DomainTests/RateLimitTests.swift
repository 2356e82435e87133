import Domain
import TestKit
import Testing

private let start = Instant(milliseconds: 1_000_000)

@Suite struct TokenBucketTests {
    @Test func bucketAllowsABurstThenOneTokenPerInterval() {
        var bucket = TokenBucket(burst: 5, interval: .milliseconds(40))
        #expect(bucket.nextAt == nil)
        let first = (0..<8).count { _ in bucket.consume(at: start) }
        #expect(first == 5)
        #expect(bucket.nextAt == start + .milliseconds(40))
        #expect(bucket.consume(at: start + .milliseconds(39)) == false)
        #expect(bucket.consume(at: start + .milliseconds(40)) == true)
        #expect(bucket.consume(at: start + .milliseconds(40)) == false)
        let later = (0..<8).count { _ in bucket.consume(at: start + .seconds(10)) }
        #expect(later == 5, "full again, and no fuller")
    }

    /// No period has more than the burst and its share of time, for any sequence of attempts.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func noPeriodExceedsBurstPlusRate(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bucket = TokenBucket(burst: 50, interval: .milliseconds(40))
        var now = start
        var taken: [Instant] = []
        for _ in 0..<5000 {
            if random.uniform() < 0.25 { now += .milliseconds(Int64.random(in: 0..<200, using: &random)) }
            if bucket.consume(at: now) { taken.append(now) }
        }
        for (index, moment) in taken.enumerated().dropFirst(50) {
            #expect(moment - taken[index - 50] >= .milliseconds(40))
        }
        let seconds = (now - start).inSeconds
        #expect(Double(taken.count) <= 50 + 25 * seconds)
        #expect(Double(taken.count) >= min(5000, 25 * seconds) * 0.9)
    }
}

@Suite struct FloodFaultTests {
    private func fault() -> FloodFault {
        FloodFault(name: .strapFlood) { "\($0) dropped" }
    }

    @Test func floodFaultIsRaisedRenewedAndCleared() {
        var fault = fault()
        #expect(fault.deadline == nil)
        #expect(fault.next(at: start) == nil)
        for tenth in 0..<10 { fault.dropped(at: start + .milliseconds(100 * tenth)) }
        #expect(fault.deadline == start + .seconds(1))
        #expect(fault.next(at: start + .milliseconds(999)) == nil)
        #expect(fault.next(at: start + .seconds(1)) == .raise(.strapFlood, message: "10 dropped"))
        for _ in 0..<32 { fault.dropped(at: start + .seconds(2)) }
        #expect(fault.next(at: start + .seconds(10)) == nil)
        #expect(fault.deadline == start + .seconds(11))
        #expect(fault.next(at: start + .seconds(11)) == .raise(.strapFlood, message: "42 dropped"))
        #expect(fault.deadline == start + .seconds(62))
        #expect(fault.next(at: start + .seconds(61)) == nil)
        #expect(fault.next(at: start + .seconds(62)) == .clear(.strapFlood))
        #expect(fault.deadline == nil)
        #expect(fault.next(at: start + .seconds(100)) == nil)
        fault.dropped(at: start + .seconds(100))
        #expect(fault.next(at: start + .seconds(101)) == .raise(.strapFlood, message: "1 dropped"))
    }
}
