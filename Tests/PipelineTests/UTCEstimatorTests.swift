import Domain
import Pipeline
import Testing

@Suite struct UTCEstimatorTests {
    private func clocks(_ course: Course) -> [Event.Kind] {
        course.events.map(\.kind).filter { if case .clock = $0 { true } else { false } }
    }

    @Test func unsynchronisedSystemClockIsIgnored() {
        var course = Course()
        course.receive(.systemClock(UTC(milliseconds: 5), isSynchronised: false))
        course.wait(.seconds(2))
        #expect(course.state.time == nil)
        #expect(course.state.clock == .unset)
        #expect(clocks(course).isEmpty)
    }

    @Test func synchronisedSystemClockIsUsed() {
        var course = Course()
        let noon = UTC(milliseconds: 1_800_000_000_000)
        course.receive(.systemClock(noon, isSynchronised: true))
        #expect(course.state.time == noon)
        #expect(course.state.clock == .system)
        #expect(clocks(course) == [.clock(.system, stepMilliseconds: nil)])
        course.wait(.seconds(10))
        #expect(course.state.time == UTC(milliseconds: 1_800_000_010_000))
    }

    @Test func clockStepEmitsAnEventAndChangesNoDuration() throws {
        var course = Course()
        course.receive(.systemClock(UTC(milliseconds: 1_800_000_000_000), isSynchronised: true))
        try course.begin()
        course.wait(.seconds(10))
        course.receive(.systemClock(UTC(milliseconds: 1_800_003_610_000), isSynchronised: true))
        #expect(clocks(course).last == .clock(.system, stepMilliseconds: 3_600_000))
        #expect(course.activity?.total.elapsedMilliseconds == 10_000)
        course.wait(.seconds(1))
        #expect(course.activity?.total.elapsedMilliseconds == 11_000)
        course.receive(.systemClock(UTC(milliseconds: 1_800_003_611_400), isSynchronised: true))
        #expect(clocks(course).count == 2, "0.4 s is no step")
    }

    @Test func threeConsistentFixesSetTheClock() {
        var course = Course()
        for count in 1...3 {
            #expect(course.state.clock == .unset)
            course.wait(.seconds(1))
            course.fix()
            #expect(clocks(course).count == (count == 3 ? 1 : 0))
        }
        #expect(course.state.clock == .receiver)
        let expected = course.nextFix().time
        #expect(course.state.time == expected)
    }

    @Test func receiverTimeBeforeTheReleaseIsIgnored() {
        var course = Course()
        for second in 0..<10 {
            course.wait(.seconds(1))
            var fix = course.nextFix()
            fix.time = UTC(milliseconds: Release.date.milliseconds - 20_000 + Int64(second) * 1000)
            course.receive(.fix(fix))
        }
        #expect(course.state.clock == .unset)
    }

    /// The GPS week number has ten bits: a receiver that misses a rollover is 1024 weeks behind.
    @Test func receiverTimeAfterAWeekRolloverIsIgnored() {
        var course = Course()
        let weeks: Int64 = 1024 * 7 * 86_400_000
        for _ in 0..<10 {
            course.wait(.seconds(1))
            var fix = course.nextFix()
            fix.time = fix.time.map { UTC(milliseconds: $0.milliseconds - weeks) }
            course.receive(.fix(fix))
        }
        #expect(course.state.clock == .unset)
        #expect(course.state.position != nil)
    }

    @Test func runStartedWithoutAClockIsTimedAfterwards() throws {
        var course = Course()
        try course.begin()
        course.wait(.seconds(10))
        course.receive(.systemClock(UTC(milliseconds: 1_800_000_010_000), isSynchronised: true))
        guard case .ended(let summary) = try course.perform(.stop) else {
            throw CommandRejection(command: "stop", state: .idle)
        }
        #expect(summary.started == UTC(milliseconds: 1_800_000_000_000))
        #expect(summary.ended == UTC(milliseconds: 1_800_000_010_000))
    }

    @Test func synchronisedSystemClockOverridesTheReceiver() {
        var course = Course()
        for _ in 0..<3 {
            course.wait(.seconds(1))
            course.fix()
        }
        course.receive(.systemClock(UTC(milliseconds: 1_900_000_000_000), isSynchronised: true))
        #expect(course.state.clock == .system)
        for _ in 0..<3 {
            course.wait(.seconds(1))
            course.fix()
        }
        #expect(course.state.time == UTC(milliseconds: 1_900_000_003_000))
    }
}
