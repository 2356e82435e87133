import Domain
import Pipeline
import TestKit
import Testing

/// Ascent and descent of made tracks, second by second.
@Suite struct ElevationMeterTests {
    /// A meter and what it has counted.
    private struct Climb {
        var meter = ElevationMeter()
        var totals = ClimbTotals()
        var second = 0

        /// Passes seconds at 3 m/s.
        mutating func pass(
            _ seconds: Int, isStanding: Bool = false, pressure: ((Int) -> Double)? = nil, fix: ((Int) -> Double)? = nil,
            accuracy: Double? = nil
        ) {
            for _ in 0..<seconds {
                second += 1
                if let pressure { meter.receive(barometric: pressure(second)) }
                if let fix { meter.receive(altitude: fix(second), accuracy: accuracy) }
                totals.add(meter.tick(metres: 3 * Double(second), isStanding: isStanding))
            }
        }

        mutating func flush() {
            totals.add(meter.remainder())
        }

        func isNear(_ ascent: Double, _ descent: Double, within metres: Double) -> Bool {
            guard let up = totals.ascent, let down = totals.descent else { return false }
            return abs(up - ascent) <= metres && abs(down - descent) <= metres
        }
    }

    /// Up 60 m in 10 min and down again.
    private static func hill(_ second: Int) -> Double {
        100 + (second <= 600 ? 0.1 * Double(second) : 120 - 0.1 * Double(min(second, 1200)))
    }

    @Test func pressureOfTheStandardAtmosphereGivesItsAltitudes() {
        var meter = ElevationMeter()
        meter.receive(altitude: 0, accuracy: nil)
        meter.receive(pascals: 101_325)
        _ = meter.tick(metres: 0, isStanding: false)
        for _ in 0..<10 {
            meter.receive(altitude: 0, accuracy: nil)
            meter.receive(pascals: 101_325)
            _ = meter.tick(metres: 0, isStanding: false)
        }
        // ISO 2533: 89 874.6 Pa at 1000 m, 54 019.9 Pa at 5000 m.
        for (pascals, metres) in [(89_874.6, 1000.0), (54_019.9, 5000)] {
            meter.receive(pascals: pascals)
            _ = meter.tick(metres: 0, isStanding: false)
            #expect(abs((meter.altitude ?? 0) - metres) < 1)
        }
    }

    @Test func barometerCountsAHill() {
        var climb = Climb()
        climb.pass(1200, pressure: Self.hill)
        climb.flush()
        #expect(climb.isNear(60, 60, within: 1))
        #expect(climb.totals.source == .barometer)
    }

    @Test func receiverCountsAHill() {
        var climb = Climb()
        climb.pass(1200, fix: Self.hill)
        climb.flush()
        // The mean of 100 s is 2.5 m lower at the top.
        #expect(climb.isNear(60, 60, within: 4))
        #expect(climb.totals.source == .receiver)
    }

    @Test func barometerHasPrecedence() {
        var climb = Climb()
        climb.pass(600, pressure: { _ in 100 }, fix: Self.hill)
        #expect(climb.isNear(0, 0, within: 0.01))
        #expect(climb.meter.source == .barometer)
    }

    @Test func nothingIsKnownWithoutAnAltitude() {
        var climb = Climb()
        climb.pass(100)
        #expect(climb.totals.ascent == nil && climb.meter.grade == nil && climb.meter.verticalSpeed == nil)
    }

    /// The mean of the receiver ends 50 s before the barometer's: what lies between counts once.
    @Test(arguments: [60, 200, 300, 599, 700])
    func changeOfSourceNeitherLosesNorRepeatsClimb(second: Int) {
        var toReceiver = Climb()
        toReceiver.pass(second, pressure: Self.hill, fix: Self.hill)
        toReceiver.pass(1200 - second, fix: Self.hill)
        toReceiver.flush()
        #expect(toReceiver.isNear(60, 60, within: 5))
        var toBarometer = Climb()
        toBarometer.pass(second, fix: Self.hill)
        toBarometer.pass(1200 - second, pressure: Self.hill, fix: Self.hill)
        toBarometer.flush()
        #expect(toBarometer.isNear(60, 60, within: 5))
        #expect(toBarometer.meter.source == .barometer)
    }

    @Test func sourcesThatAlternateCountTheClimbOnce() {
        var climb = Climb()
        for _ in 0..<8 {
            climb.pass(75, pressure: { 30 + Self.hill($0) }, fix: Self.hill)
            climb.pass(75, fix: Self.hill)
        }
        climb.flush()
        #expect(climb.isNear(60, 60, within: 6))
    }

    /// The weather lowers the pressure in a rest, and the receiver drifts.
    @Test func standingCountsNothing() {
        var climb = Climb()
        climb.pass(300, pressure: { _ in 100 })
        climb.pass(3600, isStanding: true, pressure: { 100 + 0.005 * Double($0) })
        #expect(climb.isNear(0, 0, within: 0.01))
        #expect(climb.meter.verticalSpeed == 0 && climb.meter.grade == nil)
        climb.pass(300, pressure: { _ in 118 })
        #expect(climb.isNear(0, 0, within: 0.01))
        var drift = Climb()
        drift.pass(300, fix: { _ in 32 })
        drift.pass(600, isStanding: true, fix: { 32 + 0.07 * Double($0 - 300) })
        drift.pass(300, fix: { _ in 74 })
        drift.flush()
        #expect(drift.isNear(0, 0, within: 0.01))
    }

    /// A wall of 30 m, climbed in 5 min, is too steep for the receiver's speed.
    @Test func steepClimbWhileStandingCountsByTheBarometer() {
        var climb = Climb()
        climb.pass(60, pressure: { _ in 100 })
        climb.pass(300, isStanding: true, pressure: { 100 + 0.1 * Double($0 - 60) })
        climb.pass(60, pressure: { _ in 130 })
        climb.flush()
        #expect(climb.isNear(30, 0, within: 0.5))
    }

    @Test func climbInAPauseDoesNotCount() {
        var climb = Climb()
        climb.pass(300, pressure: Self.hill)
        climb.flush()
        climb.second = 600
        climb.meter.restart()
        climb.pass(600, pressure: Self.hill)
        climb.flush()
        #expect(climb.isNear(30, 60, within: 1))
    }

    @Test func jumpDoesNotCount() {
        var climb = Climb()
        climb.pass(1, pressure: { _ in 55 })
        climb.pass(300, pressure: { _ in 142 })
        #expect(climb.isNear(0, 0, within: 0.01))
    }

    @Test func thresholdOfTheReceiverFollowsItsErrorEstimate() {
        func ascent(_ accuracy: Double?) -> Double? {
            var climb = Climb()
            // Waves of 9 m in 10 min.
            let wave = { (second: Int) -> Double in
                100 + (second / 300 % 2 == 0 ? 1 : -1) * (Double(second % 300) / 300 * 9 - 4.5)
            }
            climb.pass(3600, fix: wave, accuracy: accuracy)
            return climb.totals.ascent
        }
        #expect(ascent(nil) == 0 && ascent(30) == 0)
        #expect(ascent(4) ?? 0 > 30)
    }

    @Test func gradeAndVerticalSpeedAreThoseOfTheSlope() throws {
        var climb = Climb()
        // 0.3 m/s at 3 m/s: 10 %.
        climb.pass(100, pressure: { 0.3 * Double($0) })
        #expect(abs(try #require(climb.meter.grade) - 10) < 0.01)
        #expect(abs(try #require(climb.meter.verticalSpeed) - 0.3) < 0.001)
        climb.pass(100, pressure: { 60 - 0.3 * Double($0) })
        #expect(abs(try #require(climb.meter.grade) + 10) < 0.01)
    }

    @Test func gradeNeeds30Metres() {
        var climb = Climb()
        climb.pass(10, pressure: { 0.3 * Double($0) })
        #expect(climb.meter.grade == nil)
    }

    @Test func senselessValuesAreIgnored() {
        var meter = ElevationMeter()
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0] {
            meter.receive(pascals: value)
            meter.receive(barometric: value == 0 ? .nan : value)
            meter.receive(altitude: value == 0 ? .nan : value, accuracy: value)
        }
        #expect(meter.tick(metres: 0, isStanding: false) == ElevationMeter.Step())
    }

    /// The totals and their rows are finite and never decrease, whatever comes.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func randomAltitudesNeverLowerTheTotals(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var meter = ElevationMeter()
        var totals = ClimbTotals()
        var metres = 0.0
        for _ in 0..<3000 {
            if random.uniform() < 0.7 { meter.receive(pascals: 90_000 + random.normal() * 3000) }
            if random.uniform() < 0.7 {
                meter.receive(altitude: random.normal() * 100, accuracy: random.uniform() * 60)
            }
            let kind = random.uniform()
            var steps = [meter.tick(metres: metres, isStanding: kind < 0.2)]
            if kind > 0.995 {
                steps.append(meter.remainder())
                meter.restart()
            }
            metres += random.uniform() * 5
            for step in steps {
                #expect(step.ascent >= 0 && step.descent >= 0 && step.ascent + step.descent < 1e5)
                totals.add(step)
            }
            #expect(meter.grade?.isFinite ?? true && meter.verticalSpeed?.isFinite ?? true)
        }
    }
}
