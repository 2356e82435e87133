import Domain
import Pipeline
import Testing

@Suite struct ClockTests {
    @Test func elapsedTimeCountsTicksOf100Milliseconds() throws {
        var run = ScriptedRun()
        try run.begin()
        run.wait(.seconds(60))
        #expect(run.activity?.total.elapsedMilliseconds == 60_000)
        let elapsed = run.states.compactMap { $0.activity?.total.elapsedMilliseconds }
        #expect(elapsed == (0...600).map { Int64($0) * 100 })
        #expect(run.states.last?.at == ScriptedRun.start + .seconds(60))
    }

    @Test func lateLoopCatchesUpAndPublishesOneState() throws {
        var run = ScriptedRun()
        try run.begin()
        run.wait(.seconds(1))
        let before = run.states.count
        run.sleep(.milliseconds(3040))
        #expect(run.states.count == before + 1)
        #expect(run.activity?.total.elapsedMilliseconds == 4000)
        #expect(run.states.last?.at == ScriptedRun.start + .seconds(4))
        // Ticks at 1.1 s to 4.0 s, applied at 4.04 s: only the last was less than 50 ms late.
        #expect(run.state.ticks.late == 29)
        #expect(run.state.ticks.worst == .milliseconds(2940))
        run.wait(.milliseconds(60))
        #expect(run.activity?.total.elapsedMilliseconds == 4100)
    }

    @Test func partialTickBeforeAPauseIsKept() throws {
        var run = ScriptedRun()
        try run.begin()
        for _ in 0..<10 {
            run.wait(.milliseconds(130))
            try run.perform(.pause)
            run.wait(.seconds(7))
            try run.perform(.resume)
        }
        // Ten times 130 ms of active time, however they are split.
        #expect(run.activity?.total.elapsedMilliseconds == 1300)
    }

    @Test func phaseOfTheSecondSurvivesAPause() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 12, speed: 3)
        run.wait(.milliseconds(300))
        try run.perform(.pause)
        run.wait(.seconds(20))
        run.fix(speed: 3)
        try run.perform(.resume)
        let before = try #require(run.activity?.total.distanceMetres)
        run.wait(.milliseconds(300))
        run.metres += 3
        run.fix(speed: 3)
        run.wait(.milliseconds(390))
        #expect(run.activity?.total.distanceMetres == before)
        run.wait(.milliseconds(10))
        #expect(run.activity?.total.elapsedMilliseconds == 13_000)
        #expect(try #require(run.activity?.total.distanceMetres) > before + 2.9)
    }

    @Test func holeIsOneStepAndOneGapEvent() throws {
        var run = ScriptedRun()
        try run.begin()
        run.wait(.seconds(5))
        run.sleep(.seconds(3600))
        #expect(run.activity?.total.elapsedMilliseconds == 3_605_000)
        #expect(run.state.ticks.late == 36_000)
        let gaps = run.events.filter { if case .gap(.sleep, _, nil, true) = $0.kind { true } else { false } }
        #expect(gaps.count == 1)
        #expect(run.states.filter { $0.run == .active }.count == 52)
        run.wait(.milliseconds(100))
        #expect(run.activity?.total.elapsedMilliseconds == 3_605_100)
    }

    @Test func delayOf30SecondsIsNotAHole() throws {
        var run = ScriptedRun()
        try run.begin()
        run.sleep(.seconds(30))
        #expect(run.activity?.total.elapsedMilliseconds == 30_000)
        #expect(run.events.count == 1)
    }

    @Test func holeLongerThanAutoStopPausesTheRunAtItsStart() throws {
        var settings = Settings()
        settings.autoStopMinutes = 10
        var run = ScriptedRun(settings)
        try run.begin()
        run.wait(.seconds(5))
        run.sleep(.seconds(601))
        #expect(run.state.run == .paused)
        #expect(run.activity?.total.elapsedMilliseconds == 5000)
        let last = try #require(run.events.last)
        #expect(last.at == ScriptedRun.start + .seconds(5))
        #expect(last.kind == .pause(elapsedMilliseconds: 5000, distanceMetres: 0, .auto))
        #expect(run.states.last?.run == .paused)
    }

    @Test func holeShorterThanAutoStopCountsAsElapsed() throws {
        var settings = Settings()
        settings.autoStopMinutes = 10
        var run = ScriptedRun(settings)
        try run.begin()
        run.sleep(.seconds(599))
        #expect(run.state.run == .active)
        #expect(run.activity?.total.elapsedMilliseconds == 599_000)
    }

    @Test func stateIsPublishedEachSecondWhileIdleOrPaused() throws {
        var run = ScriptedRun()
        run.wait(.seconds(10))
        #expect(run.states.count == 11)
        try run.begin()
        run.wait(.milliseconds(1050))
        try run.perform(.pause)
        let before = run.states.count
        run.wait(.seconds(10))
        #expect(run.states.count == before + 10)
    }

    @Test func linkFaultAndSettingPublishAtOnceWhileIdle() {
        var run = ScriptedRun()
        run.wait(.milliseconds(500))
        let before = run.states.count
        run.receive(.gpsdLink(LinkStatus(.connecting, reason: .noFix)))
        run.receive(.raise(.strapFlood, message: "too much"))
        run.receive(.setting(.metric, Settings()))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(run.states.count == before + 3)
    }

    @Test func dueTicksApplyBeforeAnInput() throws {
        var run = ScriptedRun()
        try run.begin()
        run.now += .milliseconds(250)
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(run.states.last?.activity?.total.elapsedMilliseconds == 200)
        #expect(run.states.last?.heart.beatsPerMinute == nil, "the state is that of the tick, before the input")
        #expect(run.state.heart.beatsPerMinute?.value == 60)
    }
}
