import Domain
import Pipeline
import TestKit
import Testing

/// A ride by positions; the first 20 s at 6 m/s are over.
private func ride(_ settings: Settings = Settings()) throws -> ScriptedRun {
    var run = ScriptedRun(settings)
    run.fix(speed: 6)
    try run.begin(.ride)
    run.run(seconds: 20, speed: 6)
    return run
}

private func settings(_ sports: [Sport]) -> Settings {
    var settings = Settings()
    settings.autoPause = sports
    return settings
}

extension ScriptedRun {
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
        var run = try ride()
        run.run(seconds: 2, speed: 0)
        #expect(run.activity?.isAutoPaused == false)
        run.run(seconds: 1, speed: 0)
        #expect(run.activity?.isAutoPaused == true)
        #expect(run.total.autoPausedMilliseconds == 3000 && run.total.movingMilliseconds == 20_000)
        run.run(seconds: 27, speed: 0)
        run.run(seconds: 1, speed: 5)
        #expect(run.activity?.isAutoPaused == true)
        #expect(run.total.movingMilliseconds == 21_000)
        run.run(seconds: 9, speed: 5)
        #expect(run.activity?.isAutoPaused == false)
        #expect(run.pauses == [20_000...50_000])
        #expect(run.total.elapsedMilliseconds == 60_000)
        #expect(run.total.autoPausedMilliseconds == 30_000 && run.total.movingMilliseconds == 30_000)
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
        var run = try ride()
        for _ in 0..<10 {
            run.run(seconds: 2, speed: 0)
            run.run(seconds: 5, speed: 4)
        }
        run.run(seconds: 60, speed: 0.9)
        #expect(run.pauses.isEmpty && run.activity?.isAutoPaused == false)
        #expect(run.total.autoPausedMilliseconds == 0)
        var walk = ScriptedRun(settings([.walk]))
        try walk.begin(.walk)
        walk.run(seconds: 60, speed: 0.7)
        walk.run(seconds: 3, speed: 0.2)
        walk.run(seconds: 10, speed: 0.7)
        #expect(walk.events.allSatisfy { if case .autoPause = $0.kind { false } else { true } })
        walk.run(seconds: 5, speed: 0.2)
        #expect(walk.activity?.isAutoPaused == true)
    }

    @Test func runsHaveNoneByDefault() throws {
        var run = ScriptedRun()
        try run.begin(.run)
        run.run(seconds: 10, speed: 3)
        run.run(seconds: 20, speed: 0)
        #expect(run.activity?.isAutoPaused == false && run.total.autoPausedMilliseconds == nil)
        #expect(run.total.movingMilliseconds == 11_000)
    }

    @Test func lossOfThePositionIsNone() throws {
        var run = try ride()
        run.wait(.seconds(120))
        #expect(run.pauses.isEmpty && run.activity?.isAutoPaused == false)
        #expect(run.total.movingMilliseconds == 140_000)
        // The last seconds before it were slow.
        run = try ride()
        run.run(seconds: 2, speed: 0)
        run.wait(.seconds(120))
        #expect(run.activity?.isAutoPaused == false && run.total.autoPausedMilliseconds == 0)
    }

    @Test func pauseEndsWhereThePositionIsLost() throws {
        var run = try ride()
        run.run(seconds: 30, speed: 0)
        run.wait(.seconds(9))
        #expect(run.activity?.isAutoPaused == true)
        run.wait(.seconds(60))
        #expect(run.activity?.isAutoPaused == false)
        #expect(run.pauses == [20_000...50_000])
        #expect(run.total.movingMilliseconds == run.total.elapsedMilliseconds - 30_000)
    }

    @Test func someMissingFixesWhileStandingChangeNothing() throws {
        var run = try ride()
        run.run(seconds: 10, speed: 0)
        run.wait(.seconds(8))
        run.run(seconds: 10, speed: 0)
        run.run(seconds: 10, speed: 6)
        #expect(run.pauses == [20_000...48_000])
        #expect(run.total.autoPausedMilliseconds == 28_000)
    }

    @Test func standingIsJudgedByTheWheelWhereItMeasures() throws {
        var settings = Settings()
        settings.wheelMillimetres = 2000
        var rider = Rider(settings)
        rider.connectWheel()
        rider.ride(seconds: 5, speed: 6)
        try rider.run.begin(.ride)
        rider.ride(seconds: 20, speed: 6)
        rider.hasPosition = false
        rider.ride(seconds: 60, speed: 5)
        #expect(rider.run.pauses.isEmpty)
        rider.ride(seconds: 60, speed: 0)
        #expect(rider.run.activity?.isAutoPaused == true)
        rider.ride(seconds: 20, speed: 5)
        let pauses = rider.run.pauses
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
        try rider.run.perform(.start(.ride, indoor: true))
        for speed in [8.0, 0, 8] { rider.ride(seconds: 60, speed: speed) }
        #expect(rider.run.pauses.count == 1)
        #expect(abs((rider.run.total.autoPausedMilliseconds ?? 0) - 60_000) <= 3000)
    }

    @Test func pauseOfTheTimerEndsIt() throws {
        var run = try ride()
        run.run(seconds: 10, speed: 0)
        run.wait(.milliseconds(400))
        try run.perform(.pause)
        #expect(run.activity?.isAutoPaused == false)
        #expect(run.pauses == [20_000...30_400])
        #expect(run.total.autoPausedMilliseconds == 10_400)
        run.run(seconds: 30, speed: 0)
        try run.perform(.resume)
        run.run(seconds: 10, speed: 0)
        try run.perform(.stop)
        // After the resumption the first second has no fix yet.
        #expect(run.pauses == [20_000...30_400, 31_000...40_400])
    }

    @Test func settingTakesEffectInARun() throws {
        var run = try ride(settings([]))
        run.run(seconds: 10, speed: 0)
        run.receive(.setting(.autoPause, settings([.ride])))
        run.run(seconds: 10, speed: 0)
        #expect(run.activity?.isAutoPaused == true && run.total.autoPausedMilliseconds == 10_000)
        run.receive(.setting(.autoPause, settings([])))
        run.run(seconds: 10, speed: 0)
        #expect(run.pauses == [30_000...40_000] && run.activity?.isAutoPaused == false)
        // The first standing second is not confirmed as one before the next.
        #expect(run.total.movingMilliseconds == 21_000)
    }

    @Test func laterPauseDoesNotReachIntoAClosedLap() throws {
        var run = try ride()
        run.run(seconds: 2, speed: 0)
        try run.perform(.lap)
        run.run(seconds: 10, speed: 0)
        #expect(run.activity?.lap.autoPausedMilliseconds == 10_000 && run.total.autoPausedMilliseconds == 10_000)
        run.wait(.milliseconds(300))
        try run.perform(.lap)
        #expect(run.activity?.lastLap?.autoPausedMilliseconds == 10_300)
        run.run(seconds: 10, speed: 6)
        #expect(run.pauses == [22_000...32_300])
        #expect(run.total.autoPausedMilliseconds == 10_300)
    }

    /// Standing for as long as a forgotten run needs is cut off as before.
    @Test func forgottenRunEndsAtItsLastSign() throws {
        var settings = Settings()
        settings.autoStopMinutes = 1
        var run = try ride(settings)
        run.run(seconds: 90, speed: 0)
        let summary = run.events.compactMap { if case .stop(let summary) = $0.kind { summary } else { nil } }.first
        #expect(summary?.total.elapsedMilliseconds ?? 0 <= 20_000)
        #expect(summary?.total.autoPausedMilliseconds == 0)
    }

    /// The events, the totals of laps and those of the run state the same pauses, whatever happens.
    @Test(arguments: UInt64(1)...40)
    func pausesAddUp(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var run = try ride()
        for _ in 0..<60 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: if run.state.run == .active { _ = try? run.perform(.lap) }
            case 1: try run.perform(run.state.run == .active ? .pause : .resume)
            case 2: run.wait(.milliseconds(.random(in: 100...15_000, using: &random)))
            case 3: run.sleep(.seconds(.random(in: 1...60, using: &random)))
            case 4: run.wait(.milliseconds(.random(in: 0...900, using: &random)))
            default:
                let speeds: [Double] = [0, 0, 0.5, 0.9, 1.1, 3, 6]
                let speed = speeds[Int.random(in: speeds.indices, using: &random)]
                run.run(seconds: .random(in: 1...8, using: &random), speed: speed)
            }
            let total = run.total
            #expect(total.movingMilliseconds + (total.autoPausedMilliseconds ?? 0) == total.elapsedMilliseconds)
        }
        let outcome = try run.perform(.stop)
        guard case .ended(let summary) = outcome else { return }
        let laps = run.events.compactMap { event in
            if case .lap(let figures, _, _) = event.kind { figures } else { nil }
        }
        let sum = (laps + [summary.lastLap]).reduce(0) { $0 + ($1.autoPausedMilliseconds ?? 0) }
        #expect(sum == summary.total.autoPausedMilliseconds)
        #expect(run.pauses.reduce(0) { $0 + $1.upperBound - $1.lowerBound } == sum)
        for lap in laps { #expect(lap.autoPausedMilliseconds ?? 0 <= lap.elapsedMilliseconds) }
        for (one, next) in zip(run.pauses, run.pauses.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
    }
}
