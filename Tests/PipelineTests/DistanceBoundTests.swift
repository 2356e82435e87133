import Domain
import Pipeline
import TestKit
import Testing

/// The limits that no sequence of fixes can exceed, and that an honest one does not reach.
@Suite struct DistanceBoundTests {
    private static let start = Instant(milliseconds: 1_000_000)

    /// Returns a fix that many metres north of 52° N, `seconds` after the start; its time runs `ahead` of its arrival.
    private static func fix(
        _ metres: Double, at seconds: Double, ahead: Double? = 0, speed: Double? = nil, accuracy: Double? = 5
    ) -> RunStep {
        let at = start + .milliseconds(Int64(seconds * 1000))
        let time = ahead.map { UTC(milliseconds: 1_800_000_000_000 + Int64((seconds + $0) * 1000)) }
        return RunStep(
            at: at,
            .fix(
                Fix(
                    arrivedAt: at, time: time, mode: 3, latitude: 52 + metres / 111_260, longitude: 13,
                    accuracy: accuracy, speed: speed)))
    }

    private static func begin(_ sport: Sport, at seconds: Double = 0) -> RunStep {
        RunStep(at: start + .milliseconds(Int64(seconds * 1000)), .command(.start(sport, indoor: false)))
    }

    /// Returns the start of a run, and a fix for each number.
    private static func steps(_ sport: Sport, _ numbers: Range<Int>, _ fix: (Double) -> RunStep) -> [RunStep] {
        [begin(sport)] + numbers.map { fix(Double($0)) }
    }

    private static func expectBound(_ run: BoundedRun, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(run.worstExcess < 1e-6, sourceLocation: sourceLocation)
        #expect(run.worstGapExcess < 1e-6, sourceLocation: sourceLocation)
    }

    // MARK: Impossible speeds

    @Test(arguments: Sport.allCases, [0.05, 0.5, 0.9, 1, 1.5])
    func distantSecondFixAddsNoDistance(sport: Sport, after seconds: Double) {
        let steps = [Self.begin(sport), Self.fix(0, at: 0.1), Self.fix(4_000_000, at: 0.1 + seconds)]
        #expect(BoundedRun(steps, sport: sport).metres == 0)
    }

    @Test(arguments: [0.3, 0.9])
    func fixSoonAfterAJumpAddsNoDistance(seconds: Double) {
        var steps = Self.steps(.walk, 0..<5) { Self.fix($0, at: $0 + 0.1) }
        // The third distant fix moves the track there.
        for second in [5.0, 6, 7] { steps.append(Self.fix(2_000_000 + second, at: second + 0.1)) }
        steps += [Self.fix(-3_000_000, at: 7.1 + seconds), Self.fix(-3_000_000, at: 8.2)]
        let run = BoundedRun(steps, sport: .walk)
        #expect(run.metres < 10)
    }

    @Test func randomPositionsAddLessThan100Metres() {
        var random = SeededRandom(seed: 1)
        let steps = Self.steps(.walk, 0..<120) {
            Self.fix((random.uniform() - 0.5) * 1e7, at: $0 / 2 + 0.1, speed: 3)
        }
        let run = BoundedRun(steps, sport: .walk)
        Self.expectBound(run)
        #expect(run.metres < 100)
    }

    /// A noisy track, whose steps are limited by the Doppler speed, which becomes absurd.
    @Test func absurdReportedSpeedKeepsTheDistanceWithinTheBound() {
        var random = SeededRandom(seed: 2)
        let steps = Self.steps(.run, 0..<300) {
            Self.fix($0 * 3 + random.normal() * 2, at: $0 + 0.1, speed: $0 > 100 ? 5000 : 3)
        }
        Self.expectBound(BoundedRun(steps, sport: .run))
    }

    // MARK: Times ahead of arrival

    @Test func fixWithATimeAheadOfItsArrivalAddsNoDistance() {
        var steps = Self.steps(.run, 0..<20) { Self.fix($0 * 3, at: $0 + 0.1) }
        steps.append(Self.fix(57 + 300, at: 20.1, ahead: 60))
        let run = BoundedRun(steps, sport: .run)
        #expect((56...58).contains(run.metres))
    }

    @Test func receiverClockSetAheadOnceLosesOnlyOneFix() {
        let steps = Self.steps(.run, 0..<200) { Self.fix($0 * 3, at: $0 + 0.1, ahead: $0 < 100 ? 0 : 300) }
        let run = BoundedRun(steps, sport: .run)
        // The fix at which the clock was set gives no distance.
        #expect(abs(run.metres - (199 - 1) * 3) < 0.1)
    }

    @Test(arguments: [2.0, 5, 20])
    func fastReceiverClockGainsAtMostTenSeconds(factor: Double) {
        let steps = Self.steps(.run, 0..<300) { Self.fix($0 * 3 * factor, at: $0 + 0.1, ahead: $0 * (factor - 1)) }
        let run = BoundedRun(steps, sport: .run)
        Self.expectBound(run)
        // Ten seconds ahead may be late delivery; a clock may be 1 % fast.
        let fixes = 11 / (factor - 1) + 5
        #expect(run.metres <= 3 * factor * fixes)
    }

    /// 300 ppm: 26 s in a day, with a few fixes in every minute.
    @Test func receiverClock300PpmFastLosesNoDistance() {
        var steps = [Self.begin(.ride)]
        for minute in 0..<1440 {
            for second in 0..<5 {
                let seconds = Double(minute * 60 + second)
                let metres = Double(minute * 5 + second) * 3
                steps.append(Self.fix(metres, at: seconds + 0.1, ahead: seconds * 3e-4))
            }
        }
        let run = BoundedRun(steps, sport: .ride)
        #expect(abs(run.metres - 7199 * 3) < 10)
    }

    // MARK: Gaps

    @Test(arguments: [(5.0, 20.0, true), (7, 20, false), (5, 60, true)])
    func gapCountsUpToTheSustainedSpeedOverItsFixTime(speed: Double, seconds: Double, isCounted: Bool) {
        let end = Self.fix(3 + speed * seconds, at: 1.1 + seconds)
        let run = BoundedRun([Self.begin(.run), Self.fix(0, at: 0.1), Self.fix(3, at: 1.1), end], sport: .run)
        #expect(run.gaps.isEmpty == !isCounted)
    }

    /// The receiver claims that 19 s have passed, but 12 s have.
    @Test(arguments: [(5.0, true), (7, false)])
    func gapCountsUpToTheSustainedSpeedOverItsArrivalTime(speed: Double, isCounted: Bool) {
        let end = Self.fix(3 + speed * 12, at: 13.1, ahead: 7)
        let run = BoundedRun([Self.begin(.run), Self.fix(0, at: 0.1), Self.fix(3, at: 1.1), end], sport: .run)
        #expect(run.gaps.isEmpty == !isCounted)
        #expect(run.worstGapExcess <= 0)
    }

    /// The receiver claims to stand still while its positions move on; then it reports movement.
    @Test func distancePendingWhileStandingStaysWithinTheBound() {
        let steps = Self.steps(.run, 0..<300) { second in
            let speed = second.truncatingRemainder(dividingBy: 100) == 99 ? 3 : 0.1
            return Self.fix(second * 12, at: second + 0.1, speed: speed)
        }
        Self.expectBound(BoundedRun(steps, sport: .run))
    }

    // MARK: Honest tracks

    /// Reports arrive up to this many seconds late, in order.
    @Test(arguments: [(Sport.ride, 25.0), (.run, 8.5), (.other, 34), (.walk, 3)], [0, 3, 9] as [Double])
    func delayedFixesOfAFastAthleteLoseNoDistance(pace: (Sport, Double), late: Double) {
        var random = SeededRandom(seed: 3)
        let (sport, speed) = pace
        var newest = 0.0
        var steps = Self.steps(sport, 0..<600) { second in
            newest = max(newest, second + 0.1 + random.uniform() * late)
            return Self.fix(second * speed, at: newest, ahead: second - newest, speed: speed)
        }
        steps.append(Self.fix(599 * speed, at: newest + 2, ahead: -2, speed: speed))
        let run = BoundedRun(steps, sport: sport)
        #expect(abs(run.metres - 599 * speed) < speed * 1.1 + 0.1, "\(run.metres) of \(599 * speed)")
        Self.expectBound(run)
    }

    /// Ten seconds of reports arrive at once, every ten seconds.
    @Test(arguments: [(Sport.ride, 25.0), (.run, 8.5)])
    func burstsOfFixesOfAFastAthleteLoseNoDistance(pace: (Sport, Double)) {
        let (sport, speed) = pace
        let steps = Self.steps(sport, 0..<600) { second in
            let burst = (second / 10).rounded(.down)
            let arrival = (burst + 1) * 10 + (second - burst * 10) * 0.01
            return Self.fix(second * speed, at: arrival, ahead: second - arrival, speed: speed)
        }
        let run = BoundedRun(steps, sport: sport)
        #expect(abs(run.metres - 590 * speed) < speed * 10 + 0.1, "\(run.metres) of \(590 * speed)")
        Self.expectBound(run)
    }

    // MARK: Any sequence

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func noSequenceExceedsTheBound(seed: UInt64) {
        var attack = RandomAttack(seed: seed)
        let (steps, sport) = attack.play()
        let run = BoundedRun(steps, sport: sport)
        #expect(run.worstExcess < 1e-6, "\(run.worstExcess) m over in \(run.metres) m of \(sport)")
        #expect(run.worstGapExcess < 1e-6, "\(run.worstGapExcess) m over")
    }
}
