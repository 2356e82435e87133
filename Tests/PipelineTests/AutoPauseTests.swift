import Domain
import Pipeline
import TestKit
import Testing

/// A ride by positions; the first 20 s at 6 m/s are over.
private func ride(_ settings: Settings = Settings()) throws -> Course {
    var course = Course(settings)
    course.fix(speed: 6)
    try course.begin(.ride)
    course.run(seconds: 20, speed: 6)
    return course
}

private func settings(_ sports: [Sport]) -> Settings {
    var settings = Settings()
    settings.autoPause = sports
    return settings
}

extension Course {
    /// The automatic pauses that events have reported, in milliseconds of active time.
    fileprivate var pauses: [ClosedRange<Int64>] {
        var began: Int64?
        return events.compactMap { event in
            switch event.kind {
            case .autoPause(let elapsed, _):
                #expect(began == nil)
                began = elapsed
                return nil
            case .autoResume(let elapsed, _):
                defer { began = nil }
                return began.map { $0...elapsed }
            default: return nil
            }
        }
    }

    fileprivate var total: Totals { activity?.total ?? Totals() }
}

@Suite struct AutoPauseTests {
    @Test func standingIsAPauseFromItsFirstSecondToItsLast() throws {
        var course = try ride()
        course.run(seconds: 2, speed: 0)
        #expect(course.activity?.isAutoPaused == false)
        course.run(seconds: 1, speed: 0)
        #expect(course.activity?.isAutoPaused == true)
        #expect(course.total.autoPausedMilliseconds == 3000 && course.total.movingMilliseconds == 20_000)
        course.run(seconds: 27, speed: 0)
        course.run(seconds: 1, speed: 5)
        #expect(course.activity?.isAutoPaused == true)
        #expect(course.total.movingMilliseconds == 21_000)
        course.run(seconds: 9, speed: 5)
        #expect(course.activity?.isAutoPaused == false)
        #expect(course.pauses == [20_000...50_000])
        #expect(course.total.elapsedMilliseconds == 60_000)
        #expect(course.total.autoPausedMilliseconds == 30_000 && course.total.movingMilliseconds == 30_000)
    }

    @Test func timerAndAveragesAreTheSameWithAndWithoutPauses() throws {
        var (on, off) = (try ride(), try ride(settings([])))
        for speed in [0.0, 6, 0.3, 4] {
            on.run(seconds: 30, speed: speed)
            off.run(seconds: 30, speed: speed)
        }
        #expect(on.total.elapsedMilliseconds == off.total.elapsedMilliseconds)
        #expect(on.total.distanceMetres == off.total.distanceMetres)
        #expect(on.total.averagePace == off.total.averagePace && on.total.averageSpeed == off.total.averageSpeed)
        #expect(off.total.autoPausedMilliseconds == nil && off.pauses.isEmpty)
        // The seconds up to the first slow one that is confirmed are the difference.
        #expect(off.total.movingMilliseconds == 82_000 && on.total.movingMilliseconds == 80_000)
        let speed = try #require(on.total.averageMovingSpeed)
        #expect(abs(speed - on.total.distanceMetres / 80) < 1e-9)
        #expect(abs(try #require(on.total.averageMovingPace) - 1 / speed) < 1e-9)
    }

    @Test func shortStopsAndSlowWalkingAreNone() throws {
        var course = try ride()
        for _ in 0..<10 {
            course.run(seconds: 2, speed: 0)
            course.run(seconds: 5, speed: 4)
        }
        course.run(seconds: 60, speed: 0.9)
        #expect(course.pauses.isEmpty && course.activity?.isAutoPaused == false)
        #expect(course.total.autoPausedMilliseconds == 0)
        var walk = Course(settings([.walk]))
        try walk.begin(.walk)
        walk.run(seconds: 60, speed: 0.7)
        walk.run(seconds: 3, speed: 0.2)
        walk.run(seconds: 10, speed: 0.7)
        #expect(walk.events.allSatisfy { if case .autoPause = $0.kind { false } else { true } })
        walk.run(seconds: 5, speed: 0.2)
        #expect(walk.activity?.isAutoPaused == true)
    }

    @Test func runsHaveNoneByDefault() throws {
        var course = Course()
        try course.begin(.run)
        course.run(seconds: 10, speed: 3)
        course.run(seconds: 20, speed: 0)
        #expect(course.activity?.isAutoPaused == false && course.total.autoPausedMilliseconds == nil)
        #expect(course.total.movingMilliseconds == 11_000)
    }

    @Test func lossOfThePositionIsNone() throws {
        var course = try ride()
        course.wait(.seconds(120))
        #expect(course.pauses.isEmpty && course.activity?.isAutoPaused == false)
        #expect(course.total.movingMilliseconds == 140_000)
        // The last seconds before it were slow.
        course = try ride()
        course.run(seconds: 2, speed: 0)
        course.wait(.seconds(120))
        #expect(course.activity?.isAutoPaused == false && course.total.autoPausedMilliseconds == 0)
    }

    @Test func pauseEndsWhereThePositionIsLost() throws {
        var course = try ride()
        course.run(seconds: 30, speed: 0)
        course.wait(.seconds(9))
        #expect(course.activity?.isAutoPaused == true)
        course.wait(.seconds(60))
        #expect(course.activity?.isAutoPaused == false)
        #expect(course.pauses == [20_000...50_000])
        #expect(course.total.movingMilliseconds == course.total.elapsedMilliseconds - 30_000)
    }

    @Test func someMissingFixesWhileStandingChangeNothing() throws {
        var course = try ride()
        course.run(seconds: 10, speed: 0)
        course.wait(.seconds(8))
        course.run(seconds: 10, speed: 0)
        course.run(seconds: 10, speed: 6)
        #expect(course.pauses == [20_000...48_000])
        #expect(course.total.autoPausedMilliseconds == 28_000)
    }

    @Test func standingIsJudgedByTheWheelWhereItMeasures() throws {
        var settings = Settings()
        settings.wheelMillimetres = 2000
        var rider = Rider(settings)
        rider.connectWheel()
        rider.ride(seconds: 5, speed: 6)
        try rider.course.begin(.ride)
        rider.ride(seconds: 20, speed: 6)
        rider.hasPosition = false
        rider.ride(seconds: 60, speed: 5)
        #expect(rider.course.pauses.isEmpty)
        rider.ride(seconds: 60, speed: 0)
        #expect(rider.course.activity?.isAutoPaused == true)
        rider.ride(seconds: 20, speed: 5)
        let pauses = rider.course.pauses
        #expect(pauses.count == 1)
        // A wheel that stands is known when a turn is late.
        #expect(abs(Int64(60_000) - (pauses.first.map { $0.upperBound - $0.lowerBound } ?? 0)) <= 3000)
    }

    @Test func indoorRideHasThemByItsWheel() throws {
        var settings = Settings()
        settings.wheelMillimetres = 2000
        var rider = Rider(settings)
        rider.hasPosition = false
        rider.connectWheel()
        rider.ride(seconds: 5, speed: 6)
        try rider.course.perform(.start(.ride, indoor: true))
        for speed in [8.0, 0, 8] { rider.ride(seconds: 60, speed: speed) }
        #expect(rider.course.pauses.count == 1)
        #expect(abs((rider.course.total.autoPausedMilliseconds ?? 0) - 60_000) <= 3000)
    }

    @Test func pauseOfTheTimerEndsIt() throws {
        var course = try ride()
        course.run(seconds: 10, speed: 0)
        course.wait(.milliseconds(400))
        try course.perform(.pause)
        #expect(course.activity?.isAutoPaused == false)
        #expect(course.pauses == [20_000...30_400])
        #expect(course.total.autoPausedMilliseconds == 10_400)
        course.run(seconds: 30, speed: 0)
        try course.perform(.resume)
        course.run(seconds: 10, speed: 0)
        try course.perform(.stop)
        // After the resumption the first second has no fix yet.
        #expect(course.pauses == [20_000...30_400, 31_000...40_400])
    }

    @Test func settingTakesEffectInARun() throws {
        var course = try ride(settings([]))
        course.run(seconds: 10, speed: 0)
        course.receive(.setting(.autoPause, settings([.ride])))
        course.run(seconds: 10, speed: 0)
        #expect(course.activity?.isAutoPaused == true && course.total.autoPausedMilliseconds == 10_000)
        course.receive(.setting(.autoPause, settings([])))
        course.run(seconds: 10, speed: 0)
        #expect(course.pauses == [30_000...40_000] && course.activity?.isAutoPaused == false)
        // The first standing second is not confirmed as one before the next.
        #expect(course.total.movingMilliseconds == 21_000)
    }

    @Test func laterPauseDoesNotReachIntoAClosedLap() throws {
        var course = try ride()
        course.run(seconds: 2, speed: 0)
        try course.perform(.lap)
        course.run(seconds: 10, speed: 0)
        #expect(course.activity?.lap.autoPausedMilliseconds == 10_000 && course.total.autoPausedMilliseconds == 10_000)
        course.wait(.milliseconds(300))
        try course.perform(.lap)
        #expect(course.activity?.lastLap?.autoPausedMilliseconds == 10_300)
        course.run(seconds: 10, speed: 6)
        #expect(course.pauses == [22_000...32_300])
        #expect(course.total.autoPausedMilliseconds == 10_300)
    }

    /// Standing for as long as a forgotten run needs is cut off as before.
    @Test func forgottenRunEndsAtItsLastSign() throws {
        var settings = Settings()
        settings.autoStopMinutes = 1
        var course = try ride(settings)
        course.run(seconds: 90, speed: 0)
        let summary = course.events.compactMap { if case .stop(let summary) = $0.kind { summary } else { nil } }.first
        #expect(summary?.total.elapsedMilliseconds ?? 0 <= 20_000)
        #expect(summary?.total.autoPausedMilliseconds == 0)
    }

    /// The events, the totals of laps and those of the run state the same pauses, whatever happens.
    @Test(arguments: UInt64(1)...40)
    func pausesAddUp(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var course = try ride()
        for _ in 0..<60 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: if course.state.run == .active { _ = try? course.perform(.lap) }
            case 1: try course.perform(course.state.run == .active ? .pause : .resume)
            case 2: course.wait(.milliseconds(.random(in: 100...15_000, using: &random)))
            case 3: course.sleep(.seconds(.random(in: 1...60, using: &random)))
            case 4: course.wait(.milliseconds(.random(in: 0...900, using: &random)))
            default:
                let speeds: [Double] = [0, 0, 0.5, 0.9, 1.1, 3, 6]
                let speed = speeds[Int.random(in: speeds.indices, using: &random)]
                course.run(seconds: .random(in: 1...8, using: &random), speed: speed)
            }
            let total = course.total
            #expect(total.movingMilliseconds + (total.autoPausedMilliseconds ?? 0) == total.elapsedMilliseconds)
        }
        let outcome = try course.perform(.stop)
        guard case .ended(let summary) = outcome else { return }
        let laps = course.events.compactMap { event in
            if case .lap(let figures, _, _) = event.kind { figures } else { nil }
        }
        let sum = (laps + [summary.lastLap]).reduce(0) { $0 + ($1.autoPausedMilliseconds ?? 0) }
        #expect(sum == summary.total.autoPausedMilliseconds)
        #expect(course.pauses.reduce(0) { $0 + $1.upperBound - $1.lowerBound } == sum)
        for lap in laps { #expect(lap.autoPausedMilliseconds ?? 0 <= lap.elapsedMilliseconds) }
        for (one, next) in zip(course.pauses, course.pauses.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }
}
