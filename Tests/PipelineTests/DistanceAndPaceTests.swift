import Domain
import Pipeline
import Testing

@Suite struct DistanceAndPaceTests {
    @Test func distanceUpdatesEachSecondAndPaceEveryFive() throws {
        var run = ScriptedRun()
        run.fix(speed: 4)
        run.wait(.milliseconds(10))
        try run.begin()
        run.run(seconds: 20, speed: 4)
        run.states.removeAll { $0.activity == nil }
        let changes = { (value: (State) -> Double?) in
            zip(run.states, run.states.dropFirst()).filter { value($0) != value($1) }
                .compactMap { $1.activity?.total.elapsedMilliseconds }
        }
        #expect(changes { $0.activity?.total.distanceMetres } == (1...20).map { Int64($0) * 1000 })
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 80) < 0.01)
        #expect(abs(try #require(run.activity?.pace) - 0.25) < 1e-4)
        #expect(run.states.first { $0.activity?.pace != nil }?.activity?.total.elapsedMilliseconds == 5000)
    }

    /// RunFree's paces: metres in 5 s, minutes per kilometre and per mile of 1609.344 m.
    @Test(arguments: [
        (20.0, "4:10", "6:42"), (15, "5:33", "8:56"), (12.5, "6:40", "10:43"), (10, "8:20", "13:24"),
        (5, "16:40", "26:49"), (0.1, "--:--", "--:--"), (0, "--:--", "--:--"),
    ])
    func paceIsComputedOverFiveSeconds(metres: Double, perKilometre: String, perMile: String) throws {
        var run = ScriptedRun()
        run.fix(speed: metres / 5)
        run.wait(.milliseconds(10))
        try run.begin(.walk)
        // From 2 m/s every second counts; slower, the last of five fixes closes the step.
        if metres >= 10 {
            run.run(seconds: 5, speed: metres / 5)
        } else {
            run.wait(.milliseconds(4990))
            run.metres += metres
            run.fix(speed: metres / 5)
            run.wait(.milliseconds(10))
        }
        // A tiny rounding error of the geodesic must not decide a truncation.
        let pace = run.activity?.pace.map { ($0 * 1e5).rounded() / 1e5 }
        #expect(RunFormat.pace(secondsPerMetre: pace, metric: true) == perKilometre)
        #expect(RunFormat.pace(secondsPerMetre: pace, metric: false) == perMile)
    }

    @Test func firstFixAfterAStartWithoutOneSetsTheAnchor() throws {
        var run = ScriptedRun()
        try run.begin()
        run.wait(.seconds(30))
        run.fix(speed: 3)
        run.wait(.seconds(1))
        #expect(run.activity?.total.distanceMetres == 0)
        run.run(seconds: 10, speed: 3)
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 30) < 0.01)
        #expect(run.activity?.pace != nil)
    }

    @Test func movementWhilePausedIsNotCounted() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 10, speed: 3)
        try run.perform(.pause)
        run.run(seconds: 60, speed: 10)
        try run.perform(.resume)
        run.run(seconds: 10, speed: 3)
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 60) < 0.1)
    }

    @Test func driftWhileStandingAddsNoDistance() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 10, speed: 3)
        for second in 0..<60 {
            run.wait(.milliseconds(990))
            run.metres += second.isMultiple(of: 2) ? 4 : -3
            run.fix(speed: 0.2)
            run.wait(.milliseconds(10))
        }
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 30) < 0.1)
        #expect(run.activity?.speed == 0)
        #expect(run.activity?.pace == nil)
        #expect(run.activity?.total.movingMilliseconds == 11_000)
        #expect(run.activity?.total.elapsedMilliseconds == 70_000)
    }

    @Test(arguments: [(9.0, 5.0, false), (11, 5, true), (20, 25, false), (30, 25, true)])
    func stretchAfterStandingCountsOnlyBeyondTenMetresAndTheError(
        metres: Double, accuracy: Double, isCounted: Bool
    ) throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin(.ride)
        run.run(seconds: 5, speed: 3)
        run.run(seconds: 5, speed: 0)
        let before = try #require(run.activity?.total.distanceMetres)
        run.wait(.milliseconds(990))
        run.metres += metres
        run.fix(speed: 3, accuracy: accuracy)
        run.wait(.milliseconds(10))
        let counted = try #require(run.activity?.total.distanceMetres) - before
        #expect(abs(counted - (isCounted ? metres : 0)) < 0.01)
    }

    @Test func movingFixesOverrideAReportedSpeedOfZero() throws {
        var run = ScriptedRun()
        run.fix(speed: 0)
        try run.begin()
        run.run(seconds: 30, speed: 3, reported: 0)
        #expect(try #require(run.activity?.total.distanceMetres) > 80)
    }

    @Test func missingSpeedIsComputedFromDisplacement() throws {
        var run = ScriptedRun()
        run.fix()
        try run.begin()
        for _ in 0..<10 {
            run.wait(.milliseconds(990))
            run.metres += 3
            run.fix()
            run.wait(.milliseconds(10))
        }
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 30) < 0.01)
        #expect(abs(try #require(run.activity?.speed) - 9.0 / 3) < 0.01)
    }

    @Test(arguments: [
        // seconds, metres, sport, counted
        (20, 60.0, Sport.run, true), (20, 130, .run, false), (20, 130, .ride, true), (60, 200, .walk, false),
        (60, 170, .walk, true), (1790, 5000, .run, true), (1810, 5000, .run, false),
    ])
    func gapCountsOnlyAtASpeedTheSportCanSustain(
        seconds: Int, metres: Double, sport: Sport, isCounted: Bool
    ) throws {
        var run = ScriptedRun()
        run.fix(speed: 2.5)
        try run.begin(sport)
        run.run(seconds: 5, speed: 2.5)
        let before = try #require(run.activity?.total.distanceMetres)
        run.wait(.seconds(seconds))
        run.metres += metres
        run.fix(speed: 2.5)
        run.wait(.seconds(1))
        let counted = try #require(run.activity?.total.distanceMetres) - before
        #expect(abs(counted - (isCounted ? metres : 0)) < 0.5)
        let gap = run.events.compactMap { event -> (Double, Double?, Bool)? in
            if case .gap(.position, let seconds, let metres, let counted) = event.kind {
                (seconds, metres, counted)
            } else {
                nil
            }
        }
        try #require(gap.count == 1)
        #expect(abs(gap[0].0 - Double(seconds)) < 0.02)
        #expect(abs(try #require(gap[0].1) - metres) < 0.5)
        #expect(gap[0].2 == isCounted)
    }

    @Test func nineSecondsWithoutAFixAreNotAGap() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 5, speed: 3)
        run.wait(.seconds(8))
        run.metres += 27
        run.fix(speed: 3)
        run.wait(.seconds(1))
        #expect(abs(try #require(run.activity?.total.distanceMetres) - 42) < 0.1)
        #expect(run.events.allSatisfy { if case .gap = $0.kind { false } else { true } })
    }

    @Test func indoorRunIgnoresPositions() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.perform(.start(.run, indoor: true))
        run.run(seconds: 20, speed: 3)
        #expect(run.activity?.total.distanceMetres == 0)
        #expect(run.activity?.speed == nil)
        #expect(run.activity?.total.elapsedMilliseconds == 20_000)
    }

    @Test func paceAndSpeedExpireWithThePosition() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 10, speed: 3)
        #expect(run.activity?.pace != nil)
        run.wait(.milliseconds(4900))
        #expect(run.state.positionIsStale == false)
        #expect(run.activity?.speed != nil)
        run.wait(.milliseconds(200))
        #expect(run.state.positionIsStale)
        #expect(run.activity?.speed == nil)
        run.wait(.seconds(5))
        #expect(run.state.position == nil)
        #expect(run.activity?.pace == nil)
        let freshness = run.events.compactMap { event in
            if case .fix(let freshness, _, _) = event.kind { freshness } else { nil }
        }
        #expect(freshness == [.fresh, .stale, .absent])
    }

    @Test func speedIsTheMeanOfTheLastThreeSeconds() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 1, speed: 3)
        run.run(seconds: 1, speed: 4)
        run.run(seconds: 1, speed: 5)
        #expect(run.activity?.speed == 4)
        run.run(seconds: 1, speed: 6)
        #expect(run.activity?.speed == 5)
        #expect(run.activity?.total.maximumSpeed == 5)
    }

    @Test func sameInputsGiveTheSameOutputs() throws {
        func run() throws -> ScriptedRun {
            var run = ScriptedRun()
            run.fix(speed: 3)
            try run.begin()
            run.run(seconds: 100, speed: 3.3)
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 150, rrIntervals: [400])))
            run.sleep(.seconds(2))
            return run
        }
        let (one, other) = (try run(), try run())
        #expect(one.outputs == other.outputs)
        #expect(one.states == other.states)
    }
}
