import Domain
import Pipeline
import TestKit
import Testing

/// The rate and its states. `RevolutionCountTests` has the counts.
@Suite struct RevolutionMeterTests {
    @Test(arguments: RevolutionMeter.Rotor.allCases, [0.5, 1.4, 2.8, 4.9])
    func steadyRateIsMeasured(rotor: RevolutionMeter.Rotor, rate: Double) throws {
        var measured = MeasuredCounter(rotor, revolutions: 65_000, ticks: 60_000)
        measured.connect()
        measured.turn(rate, seconds: 6)
        for _ in 0..<300 {
            measured.turn(rate, seconds: 1)
            let shown = try #require(measured.rate)
            // An event time is rounded to a tick; the shortest difference is a second or a revolution.
            #expect(abs(shown - rate) <= rate * 2 / 1024)
        }
    }

    @Test func rateNeedsTwoNotificationsAfterTheFirstOfAConnection() throws {
        var measured = MeasuredCounter(.wheel, revolutions: 7)
        measured.notify()
        #expect(measured.rate == nil && measured.meter.memory.base == nil)
        measured.turn(3, seconds: 1)
        #expect(measured.rate == nil && measured.counted == 0)
        measured.turn(3, seconds: 1)
        #expect(try abs(#require(measured.rate) - 3) < 0.01)
        #expect(measured.counted == 3)
    }

    /// A cadence of 40 and four notifications a second: most repeat the event of the one before.
    @Test func repeatedEventIsNoNewRevolutionAndNotZero() throws {
        var measured = MeasuredCounter(.crank)
        measured.connect()
        measured.turn(40.0 / 60, seconds: 6, every: 0.25)
        for _ in 0..<400 {
            measured.turn(40.0 / 60, seconds: 0.25, every: 0.25)
            #expect(try abs(#require(measured.rate) - 40.0 / 60) < 0.002)
        }
    }

    /// Some sensors renew the event time of a crank that stands still.
    @Test func newEventTimeWithoutARevolutionIsIgnored() throws {
        var meter = RevolutionMeter(.crank)
        var now = Instant(milliseconds: 1_000_000)
        for step in 0..<8 as Range<UInt32> {
            _ = meter.received(RevolutionCount(revolutions: step, eventTime: UInt16(step) * 1024), at: now)
            now += .seconds(1)
        }
        let rate = try #require(meter.rate(at: now))
        _ = meter.received(RevolutionCount(revolutions: 7, eventTime: 7 * 1024 + 900), at: now)
        #expect(meter.rate(at: now) == rate)
        now += .seconds(1)
        #expect(meter.received(RevolutionCount(revolutions: 8, eventTime: 9 * 1024), at: now).revolutions == 1)
        #expect(meter.rate(at: now) == 0.5)
    }

    /// The crank stops at each moment of its revolution and of the notification's second.
    @Test(arguments: [22.0, 30, 45, 60, 72, 90, 97, 120, 180])
    func coastingIsZeroThreeSecondsAfterTheLastRevolution(cadence: Double) {
        for phase in 0..<20 {
            var measured = MeasuredCounter(.crank, revolutions: 65_530, ticks: 40_000)
            measured.connect()
            measured.turn(cadence / 60, seconds: 20)
            measured.counter.turn(cadence / 60, seconds: Double(phase) / 20)
            measured.counter.turn(0, seconds: 1 - Double(phase) / 20)
            measured.notify()
            let stopped = measured.counter.lastEvent
            var zeroAt: Double?
            for tick in 0..<150 {
                measured.counter.turn(0, seconds: 0.1)
                if tick % 10 == 9 { measured.notify() }
                let rate = measured.rate
                #expect(rate != nil)
                if rate == 0 { zeroAt = zeroAt ?? measured.counter.seconds - stopped }
                // Zero stays zero.
                #expect((zeroAt != nil) == (rate == 0))
            }
            #expect(zeroAt.map { abs($0 - 3) <= 0.5 } == true, "phase \(phase): \(String(describing: zeroAt))")
        }
    }

    /// The clock of the sensor is wrong by 0.2 %, 7 s in an hour.
    @Test(arguments: [0.998, 1.002])
    func driftOfTheSensorsClockDelaysNoZero(clockRate: Double) {
        var measured = MeasuredCounter(.crank, clockRate: clockRate)
        measured.connect()
        measured.turn(1.5, seconds: 5)
        var random = SeededRandom(seed: 7)
        for _ in 0..<3600 {
            measured.turn(1.4 + 0.2 * random.uniform(), seconds: 1)
            #expect(measured.rate.map { (1.39...1.61).contains($0) } == true)
        }
        let stopped = measured.counter.lastEvent
        while measured.rate != 0, measured.counter.seconds < stopped + 10 { measured.turn(0, seconds: 0.1, every: 0.1) }
        #expect(abs(measured.counter.seconds - stopped - 3) <= 0.5)
    }

    @Test func wheelThatIsPushedSlowlyTurns() {
        var measured = MeasuredCounter(.wheel)
        measured.connect()
        // 2.1 m in 4.5 s are 1.7 km/h.
        measured.turn(1 / 4.5, seconds: 14)
        for _ in 0..<600 {
            measured.turn(1 / 4.5, seconds: 0.1, every: 0.1)
            #expect(measured.rate.map { abs($0 - 1 / 4.5) < 0.001 } == true)
        }
        measured.turn(0, seconds: 7)
        #expect(measured.rate == 0)
    }

    @Test func sensorWithoutARevolutionIsZeroAfterThreeSeconds() {
        var measured = MeasuredCounter(.wheel)
        measured.connect()
        measured.turn(0, seconds: 2)
        #expect(measured.rate == nil)
        measured.turn(0, seconds: 2)
        #expect(measured.rate == 0)
        // A long standstill says nothing about the first revolution after it.
        measured.turn(0, seconds: 100)
        measured.turn(0.9, seconds: 2)
        #expect(measured.counted == 1 && measured.rate == 0)
        measured.turn(0.9, seconds: 2)
        #expect(measured.rate.map { abs($0 - 0.9) < 0.01 } == true)
    }

    @Test func zeroAndAbsentAreDifferent() {
        var measured = MeasuredCounter(.crank)
        measured.connect()
        measured.turn(1.5, seconds: 10)
        let before = measured.rate
        // Notifications end while the crank turns: the rate is never zero.
        for _ in 0..<49 {
            measured.counter.turn(1.5, seconds: 0.1)
            #expect(measured.rate == before)
        }
        measured.counter.turn(1.5, seconds: 0.1001)
        #expect(measured.rate == nil)
        // They end after it stopped.
        measured.turn(1.5, seconds: 5)
        measured.turn(0, seconds: 4)
        #expect(measured.rate == 0)
        measured.counter.turn(0, seconds: 4.9)
        #expect(measured.rate == 0)
        measured.counter.turn(0, seconds: 0.1001)
        #expect(measured.rate == nil)
        // The first notification after that shows neither the old rate nor zero.
        measured.notify()
        #expect(measured.rate == nil)
        measured.turn(0, seconds: 3)
        #expect(measured.rate == 0)
    }

    @Test func lateNotificationsGiveTheSameRates() throws {
        var random = SeededRandom(seed: 4)
        var measured = MeasuredCounter(.wheel, ticks: 65_000)
        measured.connect()
        var waiting: [RevolutionCount] = []
        for second in 0..<3600 {
            measured.counter.turn(4, seconds: 1)
            waiting.append(measured.counter.count)
            // The radio holds notifications back for some seconds, and delivers them at once.
            if waiting.count < 5, random.uniform() < 0.4 { continue }
            for count in waiting {
                measured.counted += measured.meter.received(count, at: measured.counter.now).revolutions
            }
            waiting = []
            if second > 10 { #expect(try abs(#require(measured.rate) - 4) < 0.02) }
        }
        #expect(measured.counted >= measured.counter.total - 20)
    }

    /// The rounded quotient of 69 revolutions and 2.3 s, which an arrival alone may give, is more than 30 a second.
    @Test(arguments: [(21, 700), (42, 1400), (69, 2300), (84, 2800), (138, 4600)])
    func roundedRateStaysWithinTheLimit(revolutions: UInt32, milliseconds: Int64) {
        var meter = RevolutionMeter(.wheel)
        let start = Instant(milliseconds: 1_000_000)
        for _ in 0..<2 { _ = meter.received(RevolutionCount(revolutions: 0, eventTime: 0), at: start) }
        let now = start + .milliseconds(milliseconds)
        _ = meter.received(RevolutionCount(revolutions: revolutions, eventTime: 20 * 1024), at: now)
        #expect(meter.rate(at: now) ?? 0 <= 30)
    }

    /// The meter of a restored snapshot continues to the bit.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func noSequenceBreaksTheMeter(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let rotor = RevolutionMeter.Rotor.allCases[Int(seed % 3)]
        let fastest = rotor == .crank ? 5.0 : 30
        var meter = RevolutionMeter(rotor)
        var now = Instant(milliseconds: 1_000_000)
        var count = RevolutionCount(revolutions: 0, eventTime: 0)
        for _ in 0..<5000 {
            switch random.next() % 16 {
            case 0: count.revolutions = UInt32(truncatingIfNeeded: random.next())
            case 1: count.eventTime = UInt16(truncatingIfNeeded: random.next())
            case 2: now += .seconds(Int64(random.next() % 10_000))
            case 3: now = now - .milliseconds(Int64(random.next() % 3000))
            case 4: meter.disconnected()
            case 5: meter = RevolutionMeter(rotor, meter.memory)
            default:
                count.revolutions &+= UInt32(random.next() % 8)
                count.eventTime &+= UInt16(random.next() % 1500)
                now += .milliseconds(Int64(random.next() % 1500))
            }
            let new = meter.received(count, at: now)
            #expect(new.revolutions >= 0 && new.span >= .zero)
            #expect(Double(new.revolutions) <= fastest * new.span.inSeconds + 1e-6)
            for wait in [0, 1, 3, 4, 6] as [Int64] {
                if let rate = meter.rate(at: now + .seconds(wait)) { #expect((0...fastest).contains(rate)) }
            }
        }
    }
}
