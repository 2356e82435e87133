import Domain
import Pipeline
import TestKit
import Testing

@Suite struct FilterTests {
    /// A receiver that moves north at 3 m/s, with one fix a second.
    private struct Receiver {
        var filter = FixFilter()
        var second = 0
        var metres = 0.0

        mutating func fix(
            mode: UInt8 = 3, latitude: Double? = nil, longitude: Double? = 13, accuracy: Double? = 5,
            timeOffset: Int64? = 0
        ) -> Fix {
            second += 1
            metres += 3
            return Fix(
                arrivedAt: Instant(milliseconds: Int64(second) * 1000),
                time: timeOffset.map { UTC(milliseconds: 1_800_000_000_000 + Int64(second) * 1000 + $0) }, mode: mode,
                latitude: latitude ?? (mode == 1 ? nil : 52 + metres / 111_000), longitude: longitude,
                accuracy: accuracy, speed: 3)
        }

        mutating func judge(_ fix: Fix) -> FixRejection? {
            if case .refused(let reason) = filter.judge(fix, fastest: Sport.run.maxSpeed) { reason } else { nil }
        }

        /// Returns why the next fix is rejected; nil if it is accepted.
        mutating func next(
            mode: UInt8 = 3, latitude: Double? = nil, longitude: Double? = 13, accuracy: Double? = 5,
            timeOffset: Int64? = 0
        ) -> FixRejection? {
            judge(fix(mode: mode, latitude: latitude, longitude: longitude, accuracy: accuracy, timeOffset: timeOffset))
        }
    }

    @Test func goodFixesAreAccepted() {
        var receiver = Receiver()
        for _ in 0..<10 { #expect(receiver.next() == nil) }
        #expect(receiver.filter.refused.isEmpty)
    }

    @Test func fixWithoutAModeOrUsablePositionIsRejectedAndCounted() {
        var receiver = Receiver()
        #expect(receiver.next(mode: 1) == .noFix)
        #expect(receiver.next(mode: 0) == .noFix)
        #expect(receiver.next(latitude: 91) == .noPosition)
        #expect(receiver.next(longitude: 180.1) == .noPosition)
        #expect(receiver.next(longitude: nil) == .noPosition)
        #expect(receiver.next(latitude: .nan) == .noPosition)
        #expect(receiver.next(longitude: .infinity) == .noPosition)
        #expect(receiver.next(latitude: 0, longitude: 0) == .noPosition)
        #expect(receiver.next() == nil)
        #expect(receiver.filter.refused == [.noFix: 2, .noPosition: 6])
    }

    @Test func timeThatDoesNotIncreaseIsRejected() {
        var receiver = Receiver()
        #expect(receiver.next() == nil)
        #expect(receiver.next(timeOffset: -1000) == .time)
        #expect(receiver.next(timeOffset: -10_000) == .time)
        #expect(receiver.next() == nil)
    }

    @Test func timeMoreThanTenMinutesAheadIsRejected() {
        var receiver = Receiver()
        #expect(receiver.next() == nil)
        #expect(receiver.next(timeOffset: 601_000) == .time)
        #expect(receiver.next() == nil)
        #expect(receiver.next(timeOffset: 599_000) == nil)
    }

    @Test(arguments: [-619_315_200_000, 5_000_000, -2000] as [Int64])
    func thirdConsistentTimeIsAcceptedAsANewClock(offset: Int64) {
        var receiver = Receiver()
        for _ in 0..<5 { #expect(receiver.next() == nil) }
        #expect(receiver.next(timeOffset: offset) == .time)
        #expect(receiver.next(timeOffset: offset) == .time)
        let fix = receiver.fix(timeOffset: offset)
        guard case .accepted(let point, let isJump) = receiver.filter.judge(fix, fastest: 12.5) else {
            Issue.record("the third was refused")
            return
        }
        #expect(!isJump)
        #expect(point.moment == .seconds(7), "the time line goes on by arrivals")
        #expect(receiver.next(timeOffset: offset) == nil)
    }

    @Test func inconsistentTimesAreNotANewClock() {
        var receiver = Receiver()
        #expect(receiver.next() == nil)
        for offset in [-5000, -90_000, -20_000, -300_000, -7000] as [Int64] {
            #expect(receiver.next(timeOffset: offset) == .time)
        }
    }

    @Test func fixWithoutTimeIsTimedByItsArrival() {
        var receiver = Receiver()
        for _ in 0..<5 { #expect(receiver.next(timeOffset: nil) == nil) }
        #expect(receiver.next() == nil)
        #expect(receiver.next(timeOffset: nil) == nil)
    }

    @Test(arguments: [(Sport.walk, 6.0), (.hike, 6), (.run, 12.5), (.ride, 35), (.other, 35)])
    func fixAboveTheMaximumSpeedOfTheSportIsRejected(sport: Sport, limit: Double) {
        for (speed, rejection) in [(limit * 0.99, nil), (limit * 1.01, FixRejection.speed)] {
            var receiver = Receiver()
            #expect(receiver.next() == nil)
            var fix = receiver.fix()
            // A degree of latitude is 111,267 m here.
            fix.latitude = 52 + (3 + speed) / 111_267
            let result = receiver.filter.judge(fix, fastest: sport.maxSpeed)
            if case .refused(let reason) = result {
                #expect(reason == rejection, "\(speed) m/s")
            } else {
                #expect(rejection == nil, "\(speed) m/s")
            }
        }
    }

    @Test func accuracyLimitIs50MetresOrThreeTimesTheMedian() {
        var receiver = Receiver()
        #expect(receiver.next(accuracy: 50) == nil)
        #expect(receiver.next(accuracy: 50.1) == .accuracy)
        // If a receiver's median is 30 m, up to 90 m is accepted after 60 estimates.
        for _ in 0..<60 { #expect(receiver.next(accuracy: 30) == nil) }
        #expect(receiver.next(accuracy: 90) == nil)
        #expect(receiver.next(accuracy: 91) == .accuracy)
    }

    @Test func rejectedEstimatesRaiseTheAccuracyLimitTo400Metres() {
        var receiver = Receiver()
        for _ in 0..<60 { #expect(receiver.next(accuracy: 200) == .accuracy) }
        #expect(receiver.next(accuracy: 400) == nil)
        #expect(receiver.next(accuracy: 400.1) == .accuracy)
        #expect(receiver.next(accuracy: .infinity) == nil, "without an estimate, mode 3 passes")
    }

    @Test func fixWithoutAccuracyIsAcceptedInMode3Only() {
        var receiver = Receiver()
        #expect(receiver.next(accuracy: nil) == nil)
        #expect(receiver.next(mode: 2, accuracy: nil) == .accuracy)
        #expect(receiver.next(mode: 2, accuracy: 20) == nil)
    }

    @Test func impossibleSpeedIsRejectedUntilTheThirdFix() {
        var receiver = Receiver()
        for _ in 0..<3 { #expect(receiver.next() == nil) }
        receiver.metres += 500
        #expect(receiver.next() == .speed)
        receiver.metres -= 500
        #expect(receiver.next() == nil, "one teleport and back costs one fix")
        receiver.metres += 5000
        #expect(receiver.next() == .speed)
        #expect(receiver.next() == .speed)
        guard case .accepted(_, isJump: true) = receiver.filter.judge(receiver.fix(), fastest: 12.5) else {
            Issue.record("the track did not move")
            return
        }
        #expect(receiver.next() == nil)
    }

    @Test func speedIsMeasuredOverAtLeastASecond() {
        var filter = FixFilter()
        for tenth in 0..<100 {
            // 3 m/s with a metre of jitter: 13 m/s between neighbours at 10 Hz.
            let metres = Double(tenth) * 0.3 + (tenth.isMultiple(of: 2) ? 0 : 1)
            let fix = Fix(
                arrivedAt: Instant(milliseconds: Int64(tenth) * 100),
                time: UTC(milliseconds: 1_800_000_000_000 + Int64(tenth) * 100), mode: 3,
                latitude: 52 + metres / 111_000, longitude: 13, accuracy: 5)
            #expect(filter.judge(fix, fastest: 12.5) != .refused(.speed))
        }
    }

    @Test func rejectionsFor30SecondsRaiseAFaultThatTheNextGoodFixClears() {
        var run = ScriptedRun()
        run.fix()
        for _ in 0..<31 {
            run.wait(.seconds(1))
            run.fix(accuracy: 100)
        }
        let fault = run.state.faults.first
        #expect(fault?.name == .positionRejected)
        #expect(fault?.message == "no position was accepted for 30 s: the receiver's position is too uncertain")
        run.wait(.seconds(1))
        run.fix()
        #expect(run.state.faults.isEmpty)
        let raised = run.events.compactMap { if case .fault(_, let raised) = $0.kind { raised } else { nil } }
        #expect(raised == [true, false])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func accuracyLimitFollowsTheMedianOfTheLast120Estimates(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var receiver = Receiver()
        var estimates: [Double] = []
        for _ in 0..<500 {
            let accuracy = (random.uniform() * 60).rounded()
            let median = estimates.suffix(120).sorted()
            let limit = estimates.count >= 60 ? max(50, 3 * median[median.count / 2]) : 50
            #expect((receiver.next(accuracy: accuracy) == nil) == (accuracy <= limit))
            estimates.append(accuracy)
        }
    }
}
