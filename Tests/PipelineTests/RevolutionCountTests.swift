import Domain
import Pipeline
import TestKit
import Testing

/// What the meter counts. `RevolutionMeterTests` has the rate.
@Suite struct RevolutionCountTests {
    @Test func crankCounterWrapsAHundredTimes() {
        var measured = MeasuredCounter(.crank, revolutions: 65_000)
        measured.connect()
        // 24 revolutions in each 8 s.
        for _ in 0..<(100 * 65536 / 24 + 1) {
            measured.counter.turn(3, seconds: 8)
            measured.notify()
        }
        #expect(measured.counter.total > 100 * 65536)
        #expect(measured.counted == measured.counter.total)
    }

    @Test(arguments: [RevolutionMeter.Rotor.wheel, .powerMeterWheel])
    func wheelCounterWraps(rotor: RevolutionMeter.Rotor) {
        for start in 0..<100 as Range<UInt64> {
            var measured = MeasuredCounter(rotor, revolutions: (1 << 32) - 1 - start, ticks: 60_000)
            measured.connect()
            measured.turn(7.3, seconds: 20)
            #expect(measured.counted == 146)
        }
    }

    /// The event time wraps 675 times, that of the power meter 1350 times.
    @Test func twelveHoursAreExactOnEveryCounter() {
        var meters = [
            MeasuredCounter(.wheel, revolutions: (1 << 32) - 30_000, ticks: 1),
            MeasuredCounter(.powerMeterWheel, revolutions: (1 << 32) - 30_000, ticks: 30_000),
            MeasuredCounter(.crank, revolutions: 60_000, ticks: 65_535),
        ]
        for index in meters.indices {
            var random = SeededRandom(seed: 12)
            meters[index].connect()
            var speed = 0.0
            while meters[index].counter.seconds < 12 * 3600 {
                speed = random.uniform() < 0.1 ? 0 : min(max(speed + random.normal(), 0), index == 2 ? 3.5 : 12)
                let block = Double(random.next() % 120)
                meters[index].turn(speed, seconds: block, every: random.uniform() < 0.5 ? 1 : 0.5)
            }
            meters[index].turn(0, seconds: 5)
            #expect(meters[index].counted == meters[index].counter.total)
        }
        #expect(meters[0].counter.total > 50_000)
    }

    @Test(arguments: RevolutionMeter.Rotor.allCases, [10.0, 31, 33, 63, 65, 150, 600, 1900])
    func notificationsAreMissing(rotor: RevolutionMeter.Rotor, gap: Double) throws {
        var measured = MeasuredCounter(rotor, revolutions: 60_000, ticks: 12_345)
        measured.connect()
        measured.turn(2, seconds: 20)
        measured.counter.turn(2, seconds: gap)
        let before = measured.counted
        let new = measured.notify()
        if rotor == .crank, gap > 60 {
            // Its counter is too short for a long gap.
            #expect(new == .none && measured.counted == before)
        } else {
            #expect(measured.counted == measured.counter.total)
            #expect(new.revolutions == Int(2 * gap) && abs(new.span.inSeconds - gap) < 0.6)
        }
        measured.turn(2, seconds: 2)
        #expect(try abs(#require(measured.rate) - 2) < 0.01)
    }

    @Test(arguments: RevolutionMeter.Rotor.allCases, [40.0, 70, 100, 700, 4000])
    func standstillOfAnyLengthLosesNothing(rotor: RevolutionMeter.Rotor, seconds: Double) {
        var measured = MeasuredCounter(rotor, revolutions: 60_000, ticks: 12_345)
        measured.connect()
        measured.turn(1.7, seconds: 20)
        measured.turn(0, seconds: seconds)
        measured.turn(1.7, seconds: 20)
        #expect(measured.counted == measured.counter.total)
        #expect(measured.rate.map { abs($0 - 1.7) < 0.01 } == true)
    }

    @Test(arguments: RevolutionMeter.Rotor.allCases)
    func counterThatFallsIsAResetAndAddsNothing(rotor: RevolutionMeter.Rotor) {
        var measured = MeasuredCounter(rotor, revolutions: 5000)
        measured.connect()
        measured.turn(2, seconds: 30)
        let before = measured.counted
        measured.counter = restarted(measured.counter, rotor)
        measured.notify()
        #expect(measured.counted == before && measured.rate == nil)
        let start = measured.counter.total
        measured.turn(2, seconds: 30)
        #expect(measured.counted - before == measured.counter.total - start)
        #expect(measured.rate.map { abs($0 - 2) < 0.01 } == true)
    }

    /// The crank's counter before its sleep is so high that a restart looks like a wrap.
    @Test(arguments: RevolutionMeter.Rotor.allCases)
    func resetInASleepAddsNothing(rotor: RevolutionMeter.Rotor) {
        var measured = MeasuredCounter(rotor, revolutions: 60_000)
        measured.connect()
        measured.turn(1.5, seconds: 30)
        measured.counter.turn(0, seconds: 3600)
        let before = measured.counted
        measured.counter = restarted(measured.counter, rotor)
        let start = measured.counter.total
        measured.turn(1.5, seconds: 30)
        #expect(measured.counted - before == measured.counter.total - start - 1)
    }

    /// A reset while notifications continue is seen whatever the standstill before it.
    @Test func resetAfterALongStandstillAddsNothing() {
        var measured = MeasuredCounter(.crank, revolutions: 60_000)
        measured.connect()
        measured.turn(1.5, seconds: 30)
        measured.turn(0, seconds: 3600)
        let before = measured.counted
        measured.counter = restarted(measured.counter, .crank)
        measured.notify()
        #expect(measured.counted == before)
    }

    /// A counter that begins again at this moment.
    private func restarted(_ counter: SimulatedCounter, _ rotor: RevolutionMeter.Rotor) -> SimulatedCounter {
        var next = SimulatedCounter(rotor, revolutions: 0, ticks: 0)
        next.turn(0, seconds: counter.seconds + 1)
        return next
    }

    @Test func wheelRolledInReverseAddsNothing() {
        var meter = RevolutionMeter(.wheel)
        var counted = 0
        let counts: [UInt32] = [100, 100, 101, 102, 101, 100, 100, 101, 102]
        for (index, revolutions) in counts.enumerated() {
            let now = Instant(milliseconds: 1_000_000 + 1000 * Int64(index))
            counted +=
                meter.received(
                    RevolutionCount(revolutions: revolutions, eventTime: UInt16(index) * 1024), at: now
                ).revolutions
        }
        #expect(counted == 4)
    }

    @Test func countWithoutANewEventTimeIsCountedWithTheNextOne() {
        var meter = RevolutionMeter(.crank)
        let packets: [(UInt32, UInt16)] = [(10, 0), (10, 0), (11, 1024), (13, 1024), (13, 1024), (14, 4096)]
        var counted: [Int] = []
        var now = Instant(milliseconds: 1_000_000)
        for (revolutions, eventTime) in packets {
            let new = meter.received(RevolutionCount(revolutions: revolutions, eventTime: eventTime), at: now)
            counted.append(new.revolutions)
            now += .seconds(1)
        }
        #expect(counted == [0, 0, 1, 0, 0, 3])
        #expect(meter.rate(at: now) == 1)
    }

    @Test func eventTimeThatNeverChangesIsReplacedByTheArrival() {
        var meter = RevolutionMeter(.wheel)
        var counted = 0
        for second in 0..<100 as Range<UInt32> {
            let now = Instant(milliseconds: 1_000_000 + 1000 * Int64(second))
            counted += meter.received(RevolutionCount(revolutions: 2 * second, eventTime: 0), at: now).revolutions
            if let rate = meter.rate(at: now) { #expect((0...2.01).contains(rate)) }
            if second > 10 { #expect(counted >= 2 * Int(second) - 16) }
        }
        #expect((180...196).contains(counted))
    }

    @Test(arguments: [10_000, 20_000, 40_000, 60_000])
    func eventTimeThatJumpsIsReplacedByTheArrival(ticks: UInt16) {
        var measured = MeasuredCounter(.wheel, revolutions: 9000)
        measured.connect()
        measured.turn(2, seconds: 20)
        measured.counter.turn(2, seconds: 20)
        // The sensor restarted its clock in the gap and kept its count.
        var count = measured.counter.count
        count.eventTime &+= ticks
        let new = measured.meter.received(count, at: measured.counter.now)
        #expect(new.revolutions == 40 && abs(new.span.inSeconds - 20) < 1)
    }

    @Test func firstNotificationOfAConnectionMayBeOld() throws {
        var measured = MeasuredCounter(.powerMeterWheel, revolutions: 9000)
        // The sensor kept it from an hour ago, 90 revolutions before.
        _ = measured.meter.received(
            RevolutionCount(revolutions: 8910, eventTime: 77), at: measured.counter.now)
        measured.turn(2, seconds: 10)
        #expect(measured.counted == measured.counter.total - 2)
        #expect(try abs(#require(measured.rate) - 2) < 0.01)
    }

    @Test(arguments: [true, false])
    func revolutionsOfALostConnectionAreCounted(isFirstOld: Bool) throws {
        var measured = MeasuredCounter(.wheel, revolutions: 9000)
        measured.connect()
        measured.turn(2, seconds: 10)
        let old = measured.counter.count
        measured.counter.turn(2, seconds: 40)
        measured.meter.disconnected()
        #expect(measured.meter.received(isFirstOld ? old : measured.counter.count, at: measured.counter.now) == .none)
        #expect(measured.rate == nil)
        measured.counter.turn(2, seconds: 1)
        let new = measured.notify()
        #expect(new.revolutions == 82 && abs(new.span.inSeconds - 41) < 1)
        #expect(measured.counted == measured.counter.total)
        measured.turn(2, seconds: 1)
        #expect(try abs(#require(measured.rate) - 2) < 0.01)
    }

    @Test(arguments: [-5, 30 * 44, 1 << 20, 1 << 31])
    func impossibleRevolutionsOfALostConnectionAreNotCounted(jump: Int) {
        var measured = MeasuredCounter(.wheel, revolutions: 9000)
        measured.connect()
        measured.turn(2, seconds: 10)
        let before = measured.counted
        measured.meter.disconnected()
        let seconds = measured.counter.seconds
        measured.counter = SimulatedCounter(
            .wheel, revolutions: UInt64(9000 + measured.counter.total + jump), ticks: 777)
        measured.counter.turn(0, seconds: seconds + 40)
        measured.notify()
        measured.counter.turn(0, seconds: 1)
        #expect(measured.notify() == .none)
        measured.turn(2, seconds: 10)
        #expect(measured.counted - before == 20)
    }
}
