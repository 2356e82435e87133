import Domain
import Pipeline
import Testing

@Suite struct ClockTests {
    @Test func elapsedTimeCountsTicksOf100Milliseconds() throws {
        var course = Course()
        try course.begin()
        course.wait(.seconds(60))
        #expect(course.activity?.total.elapsedMilliseconds == 60_000)
        let elapsed = course.states.compactMap { $0.activity?.total.elapsedMilliseconds }
        #expect(elapsed == (0...600).map { Int64($0) * 100 })
        #expect(course.states.last?.at == Course.start + .seconds(60))
    }

    @Test func lateLoopCatchesUpAndPublishesOneState() throws {
        var course = Course()
        try course.begin()
        course.wait(.seconds(1))
        let before = course.states.count
        course.sleep(.milliseconds(3040))
        #expect(course.states.count == before + 1)
        #expect(course.activity?.total.elapsedMilliseconds == 4000)
        #expect(course.states.last?.at == Course.start + .seconds(4))
        // Ticks at 1.1 s to 4.0 s, applied at 4.04 s: only the last was less than 50 ms late.
        #expect(course.state.ticks.late == 29)
        #expect(course.state.ticks.worst == .milliseconds(2940))
        course.wait(.milliseconds(60))
        #expect(course.activity?.total.elapsedMilliseconds == 4100)
    }

    @Test func partialTickBeforeAPauseIsKept() throws {
        var course = Course()
        try course.begin()
        for _ in 0..<10 {
            course.wait(.milliseconds(130))
            try course.perform(.pause)
            course.wait(.seconds(7))
            try course.perform(.resume)
        }
        // Ten times 130 ms of active time, however they are split.
        #expect(course.activity?.total.elapsedMilliseconds == 1300)
    }

    @Test func phaseOfTheSecondSurvivesAPause() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 12, speed: 3)
        course.wait(.milliseconds(300))
        try course.perform(.pause)
        course.wait(.seconds(20))
        course.fix(speed: 3)
        try course.perform(.resume)
        let before = try #require(course.activity?.total.distanceMetres)
        course.wait(.milliseconds(300))
        course.metres += 3
        course.fix(speed: 3)
        course.wait(.milliseconds(390))
        #expect(course.activity?.total.distanceMetres == before)
        course.wait(.milliseconds(10))
        #expect(course.activity?.total.elapsedMilliseconds == 13_000)
        #expect(try #require(course.activity?.total.distanceMetres) > before + 2.9)
    }

    @Test func holeIsOneStepAndOneGapEvent() throws {
        var course = Course()
        try course.begin()
        course.wait(.seconds(5))
        course.sleep(.seconds(3600))
        #expect(course.activity?.total.elapsedMilliseconds == 3_605_000)
        #expect(course.state.ticks.late == 36_000)
        let gaps = course.events.filter { if case .gap(.sleep, _, nil, true) = $0.kind { true } else { false } }
        #expect(gaps.count == 1)
        #expect(course.states.filter { $0.run == .active }.count == 52)
        course.wait(.milliseconds(100))
        #expect(course.activity?.total.elapsedMilliseconds == 3_605_100)
    }

    @Test func delayOf30SecondsIsNotAHole() throws {
        var course = Course()
        try course.begin()
        course.sleep(.seconds(30))
        #expect(course.activity?.total.elapsedMilliseconds == 30_000)
        #expect(course.events.count == 1)
    }

    @Test func holeLongerThanAutoStopPausesTheRunAtItsStart() throws {
        var settings = Settings()
        settings.autoStopMinutes = 10
        var course = Course(settings)
        try course.begin()
        course.wait(.seconds(5))
        course.sleep(.seconds(601))
        #expect(course.state.run == .paused)
        #expect(course.activity?.total.elapsedMilliseconds == 5000)
        let last = try #require(course.events.last)
        #expect(last.at == Course.start + .seconds(5))
        #expect(last.kind == .pause(elapsedMilliseconds: 5000, distanceMetres: 0, .auto))
        #expect(course.states.last?.run == .paused)
    }

    @Test func holeShorterThanAutoStopCountsAsElapsed() throws {
        var settings = Settings()
        settings.autoStopMinutes = 10
        var course = Course(settings)
        try course.begin()
        course.sleep(.seconds(599))
        #expect(course.state.run == .active)
        #expect(course.activity?.total.elapsedMilliseconds == 599_000)
    }

    @Test func stateIsPublishedEachSecondWhileIdleOrPaused() throws {
        var course = Course()
        course.wait(.seconds(10))
        #expect(course.states.count == 11)
        try course.begin()
        course.wait(.milliseconds(1050))
        try course.perform(.pause)
        let before = course.states.count
        course.wait(.seconds(10))
        #expect(course.states.count == before + 10)
    }

    @Test func linkFaultAndSettingPublishAtOnceWhileIdle() {
        var course = Course()
        course.wait(.milliseconds(500))
        let before = course.states.count
        course.receive(.gpsdLink(LinkStatus(.connecting, reason: .noFix)))
        course.receive(.raise(.strapFlood, message: "too much"))
        course.receive(.setting(.metric, Settings()))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(course.states.count == before + 3)
    }

    @Test func dueTicksApplyBeforeAnInput() throws {
        var course = Course()
        try course.begin()
        course.now += .milliseconds(250)
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(course.states.last?.activity?.total.elapsedMilliseconds == 200)
        #expect(course.states.last?.heart.beatsPerMinute == nil, "the state is that of the tick, before the input")
        #expect(course.state.heart.beatsPerMinute?.value == 60)
    }
}
