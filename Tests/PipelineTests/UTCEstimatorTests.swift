import Domain
import Pipeline
import Testing

@Suite struct UTCEstimatorTests {
    private func clocks(_ run: ScriptedRun) -> [Event.Kind] {
        run.events.map(\.kind).filter { if case .clock = $0 { true } else { false } }
    }

    @Test func unsynchronisedSystemClockIsIgnored() {
        var run = ScriptedRun()
        run.receive(.systemClock(UTC(milliseconds: 5), isSynchronised: false))
        run.wait(.seconds(2))
        #expect(run.state.time == nil)
        #expect(run.state.clock == .unset)
        #expect(clocks(run).isEmpty)
    }

    @Test func synchronisedSystemClockIsUsed() {
        var run = ScriptedRun()
        let noon = UTC(milliseconds: 1_800_000_000_000)
        run.receive(.systemClock(noon, isSynchronised: true))
        #expect(run.state.time == noon)
        #expect(run.state.clock == .system)
        #expect(clocks(run) == [.clock(.system, stepMilliseconds: nil)])
        run.wait(.seconds(10))
        #expect(run.state.time == UTC(milliseconds: 1_800_000_010_000))
    }

    @Test func clockStepEmitsAnEventAndChangesNoDuration() throws {
        var run = ScriptedRun()
        run.receive(.systemClock(UTC(milliseconds: 1_800_000_000_000), isSynchronised: true))
        try run.begin()
        run.wait(.seconds(10))
        run.receive(.systemClock(UTC(milliseconds: 1_800_003_610_000), isSynchronised: true))
        #expect(clocks(run).last == .clock(.system, stepMilliseconds: 3_600_000))
        #expect(run.activity?.total.elapsedMilliseconds == 10_000)
        run.wait(.seconds(1))
        #expect(run.activity?.total.elapsedMilliseconds == 11_000)
        run.receive(.systemClock(UTC(milliseconds: 1_800_003_611_400), isSynchronised: true))
        #expect(clocks(run).count == 2, "0.4 s is no step")
    }

    @Test func threeConsistentFixesSetTheClock() {
        var run = ScriptedRun()
        for count in 1...3 {
            #expect(run.state.clock == .unset)
            run.wait(.seconds(1))
            run.fix()
            #expect(clocks(run).count == (count == 3 ? 1 : 0))
        }
        #expect(run.state.clock == .receiver)
        let expected = run.nextFix().time
        #expect(run.state.time == expected)
    }

    @Test func receiverTimeBeforeTheReleaseIsIgnored() {
        var run = ScriptedRun()
        for second in 0..<10 {
            run.wait(.seconds(1))
            var fix = run.nextFix()
            fix.time = UTC(milliseconds: Release.date.milliseconds - 20_000 + Int64(second) * 1000)
            run.receive(.fix(fix))
        }
        #expect(run.state.clock == .unset)
    }

    /// The GPS week number has ten bits: a receiver that misses a rollover is 1024 weeks behind.
    @Test func receiverTimeAfterAWeekRolloverIsIgnored() {
        var run = ScriptedRun()
        let weeks: Int64 = 1024 * 7 * 86_400_000
        for _ in 0..<10 {
            run.wait(.seconds(1))
            var fix = run.nextFix()
            fix.time = fix.time.map { UTC(milliseconds: $0.milliseconds - weeks) }
            run.receive(.fix(fix))
        }
        #expect(run.state.clock == .unset)
        #expect(run.state.position != nil)
    }

    @Test func runStartedWithoutAClockIsTimedAfterwards() throws {
        var run = ScriptedRun()
        try run.begin()
        run.wait(.seconds(10))
        run.receive(.systemClock(UTC(milliseconds: 1_800_000_010_000), isSynchronised: true))
        guard case .ended(let summary) = try run.perform(.stop) else {
            throw CommandRejection(command: "stop", state: .idle)
        }
        #expect(summary.started == UTC(milliseconds: 1_800_000_000_000))
        #expect(summary.ended == UTC(milliseconds: 1_800_000_010_000))
    }

    @Test func synchronisedSystemClockOverridesTheReceiver() {
        var run = ScriptedRun()
        for _ in 0..<3 {
            run.wait(.seconds(1))
            run.fix()
        }
        run.receive(.systemClock(UTC(milliseconds: 1_900_000_000_000), isSynchronised: true))
        #expect(run.state.clock == .system)
        for _ in 0..<3 {
            run.wait(.seconds(1))
            run.fix()
        }
        #expect(run.state.time == UTC(milliseconds: 1_900_000_003_000))
    }
}
