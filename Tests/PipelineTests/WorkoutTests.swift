import Domain
import Pipeline
import Testing

@Suite struct WorkoutTests {
    private static func settings(_ steps: [String], alerts: [String] = []) throws -> Settings {
        var settings = Settings()
        settings.workout = try steps.map { try #require(WorkoutStep($0)) }
        settings.alerts = try alerts.map { try #require(Alert($0)) }
        return settings
    }

    private static func begun(_ settings: Settings) throws -> ScriptedRun {
        var run = ScriptedRun(settings)
        run.fix(speed: 4)
        try run.begin()
        return run
    }

    /// The number of each step that an event has reported, from 0; and the milliseconds of the run at which it came.
    private static func steps(_ run: ScriptedRun) -> [(step: Int, at: Int64)] {
        run.events.compactMap {
            guard case .workout(let step, _, _) = $0.kind else { return nil }
            return (step, $0.at.milliseconds - ScriptedRun.start.milliseconds)
        }
    }

    private static func laps(_ run: ScriptedRun) -> [(figures: Totals, trigger: Event.Trigger)] {
        run.events.compactMap {
            if case .lap(let figures, _, let trigger) = $0.kind { (figures, trigger) } else { nil }
        }
    }

    @Test func stepsFollowByTimeDistanceAndLap() throws {
        var run = try Self.begun(Self.settings(["20 s", "100 m # Fast", "lap", "10 s"]))
        #expect(run.activity?.workout?.step == 0)
        run.run(seconds: 19, speed: 4)
        #expect(run.activity?.workout?.elapsedMilliseconds == 19_000)
        run.run(seconds: 30, speed: 4)
        #expect(run.activity?.workout?.step == 2)
        run.run(seconds: 100, speed: 4)
        #expect(run.activity?.workout?.step == 2)
        try run.perform(.lap)
        run.run(seconds: 11, speed: 4)
        #expect(run.activity?.workout?.isDone == true)
        let steps = Self.steps(run)
        #expect(steps.map(\.step) == [1, 2, 3, 4])
        #expect(steps[0].at == 20_000)
        let laps = Self.laps(run)
        #expect(laps.map(\.trigger) == [.time, .distance, .command, .time])
        #expect(laps.map(\.figures.elapsedMilliseconds).prefix(1) == [20_000])
        #expect(abs(laps[1].figures.distanceMetres - 100) <= 4)
    }

    @Test func distanceStepsLoseNothingAtTheirEnds() throws {
        var run = try Self.begun(Self.settings(Array(repeating: "50 m", count: 10)))
        run.run(seconds: 140, speed: 3.7)
        let done = try #require(Self.steps(run).last)
        #expect(done.step == 10)
        // 500 m at 3.7 m/s are 135.1 s; the end of each step is not rounded up to a second.
        #expect((135_000...137_000).contains(done.at))
    }

    @Test func lapEndsAStepOfATime() throws {
        var run = try Self.begun(Self.settings(["10 min", "20 s", "lap"]))
        run.run(seconds: 5, speed: 4)
        try run.perform(.lap)
        #expect(run.activity?.workout?.step == 1)
        run.run(seconds: 20, speed: 4)
        #expect(run.activity?.workout?.step == 2)
        #expect(Self.steps(run).map(\.at) == [5_000, 25_000])
    }

    @Test func workoutClosesLapsInsteadOfAutoLaps() throws {
        var settings = try Self.settings(["40 s"])
        settings.autoLapSeconds = 30
        var run = try Self.begun(settings)
        run.run(seconds: 95, speed: 4)
        #expect(Self.laps(run).map(\.figures.elapsedMilliseconds) == [40_000, 20_000, 30_000])
    }

    @Test func targetIsJudgedLikeAnAlertAndTakesItsPlace() throws {
        var run = try Self.begun(
            Self.settings(["60 s pace 3:00..3:30 /km", "60 s"], alerts: ["pace 4:00..5:00 /km"]))
        run.run(seconds: 59, speed: 4)
        #expect(run.activity?.workout?.target == .low)
        run.run(seconds: 61, speed: 4)
        let reports = run.events.compactMap { if case .alert(let report) = $0.kind { report } else { nil } }
        #expect(reports.map(\.state) == [.low])
        #expect(reports[0].range == TargetRange(.pace, low: 1000.0 / 210, high: 1000.0 / 180))
        #expect(run.activity?.workout?.target == nil, "the second step has no target")
    }

    @Test func changeOfTheSettingBeginsAnotherWorkout() throws {
        var run = try Self.begun(Self.settings(["20 s", "20 s"]))
        run.run(seconds: 25, speed: 4)
        let settings = try Self.settings(["10 s", "10 s", "10 s"])
        run.receive(.setting(.workout, settings))
        #expect(run.activity?.workout?.step == 0)
        #expect(run.activity?.workout?.steps == 3)
        run.run(seconds: 12, speed: 4)
        #expect(run.activity?.workout?.step == 1)
        run.receive(.setting(.workout, Settings()))
        #expect(run.activity?.workout == nil)
    }

    @Test func pauseHoldsTheStep() throws {
        var run = try Self.begun(Self.settings(["20 s", "lap"]))
        run.run(seconds: 10, speed: 4)
        try run.perform(.pause)
        run.wait(.seconds(60))
        #expect(run.activity?.workout?.step == 0)
        try run.perform(.resume)
        run.run(seconds: 10, speed: 4)
        #expect(run.activity?.workout?.step == 1)
    }

    @Test func holeCrossesSeveralSteps() throws {
        var run = try Self.begun(Self.settings(["10 s", "10 s", "60 s", "lap"]))
        run.sleep(.seconds(45))
        #expect(run.activity?.workout?.step == 2)
        #expect(run.activity?.workout?.elapsedMilliseconds == 25_000)
    }
}
