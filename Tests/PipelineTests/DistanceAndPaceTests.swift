import Domain
import Pipeline
import Testing

@Suite struct DistanceAndPaceTests {
    @Test func distanceUpdatesEachSecondAndPaceEveryFive() throws {
        var course = Course()
        course.fix(speed: 4)
        course.wait(.milliseconds(10))
        try course.begin()
        course.run(seconds: 20, speed: 4)
        course.states.removeAll { $0.activity == nil }
        let changes = { (value: (State) -> Double?) in
            zip(course.states, course.states.dropFirst()).filter { value($0) != value($1) }
                .compactMap { $1.activity?.total.elapsedMilliseconds }
        }
        #expect(changes { $0.activity?.total.distanceMetres } == (1...20).map { Int64($0) * 1000 })
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 80) < 0.01)
        #expect(abs(try #require(course.activity?.pace) - 0.25) < 1e-4)
        #expect(course.states.first { $0.activity?.pace != nil }?.activity?.total.elapsedMilliseconds == 5000)
    }

    /// RunFree's paces: metres in 5 s, minutes per kilometre and per mile of 1609.344 m.
    @Test(arguments: [
        (20.0, "4:10", "6:42"), (15, "5:33", "8:56"), (12.5, "6:40", "10:43"), (10, "8:20", "13:24"),
        (5, "16:40", "26:49"), (0.1, "--:--", "--:--"), (0, "--:--", "--:--"),
    ])
    func paceIsComputedOverFiveSeconds(metres: Double, perKilometre: String, perMile: String) throws {
        var course = Course()
        course.fix(speed: metres / 5)
        course.wait(.milliseconds(10))
        try course.begin(.walk)
        // From 2 m/s every second counts; slower, the last of five fixes closes the step.
        if metres >= 10 {
            course.run(seconds: 5, speed: metres / 5)
        } else {
            course.wait(.milliseconds(4990))
            course.metres += metres
            course.fix(speed: metres / 5)
            course.wait(.milliseconds(10))
        }
        // A tiny rounding error of the geodesic must not decide a truncation.
        let pace = course.activity?.pace.map { ($0 * 1e5).rounded() / 1e5 }
        #expect(RunFormat.pace(secondsPerMetre: pace, metric: true) == perKilometre)
        #expect(RunFormat.pace(secondsPerMetre: pace, metric: false) == perMile)
    }

    @Test func firstFixAfterAStartWithoutOneSetsTheAnchor() throws {
        var course = Course()
        try course.begin()
        course.wait(.seconds(30))
        course.fix(speed: 3)
        course.wait(.seconds(1))
        #expect(course.activity?.total.distanceMetres == 0)
        course.run(seconds: 10, speed: 3)
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 30) < 0.01)
        #expect(course.activity?.pace != nil)
    }

    @Test func movementWhilePausedIsNotCounted() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 10, speed: 3)
        try course.perform(.pause)
        course.run(seconds: 60, speed: 10)
        try course.perform(.resume)
        course.run(seconds: 10, speed: 3)
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 60) < 0.1)
    }

    @Test func driftWhileStandingAddsNoDistance() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 10, speed: 3)
        for second in 0..<60 {
            course.wait(.milliseconds(990))
            course.metres += second.isMultiple(of: 2) ? 4 : -3
            course.fix(speed: 0.2)
            course.wait(.milliseconds(10))
        }
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 30) < 0.1)
        #expect(course.activity?.speed == 0)
        #expect(course.activity?.pace == nil)
        #expect(course.activity?.total.movingMilliseconds == 11_000)
        #expect(course.activity?.total.elapsedMilliseconds == 70_000)
    }

    @Test(arguments: [(9.0, 5.0, false), (11, 5, true), (20, 25, false), (30, 25, true)])
    func stretchAfterStandingCountsOnlyBeyondTenMetresAndTheError(
        metres: Double, accuracy: Double, isCounted: Bool
    ) throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin(.ride)
        course.run(seconds: 5, speed: 3)
        course.run(seconds: 5, speed: 0)
        let before = try #require(course.activity?.total.distanceMetres)
        course.wait(.milliseconds(990))
        course.metres += metres
        course.fix(speed: 3, accuracy: accuracy)
        course.wait(.milliseconds(10))
        let counted = try #require(course.activity?.total.distanceMetres) - before
        #expect(abs(counted - (isCounted ? metres : 0)) < 0.01)
    }

    @Test func movingFixesOverrideAReportedSpeedOfZero() throws {
        var course = Course()
        course.fix(speed: 0)
        try course.begin()
        course.run(seconds: 30, speed: 3, reported: 0)
        #expect(try #require(course.activity?.total.distanceMetres) > 80)
    }

    @Test func missingSpeedIsComputedFromDisplacement() throws {
        var course = Course()
        course.fix()
        try course.begin()
        for _ in 0..<10 {
            course.wait(.milliseconds(990))
            course.metres += 3
            course.fix()
            course.wait(.milliseconds(10))
        }
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 30) < 0.01)
        #expect(abs(try #require(course.activity?.speed) - 9.0 / 3) < 0.01)
    }

    @Test(arguments: [
        // seconds, metres, sport, counted
        (20, 60.0, Sport.run, true), (20, 130, .run, false), (20, 130, .ride, true), (60, 200, .walk, false),
        (60, 170, .walk, true), (1790, 5000, .run, true), (1810, 5000, .run, false),
    ])
    func gapCountsOnlyAtASpeedTheSportCanSustain(
        seconds: Int, metres: Double, sport: Sport, isCounted: Bool
    ) throws {
        var course = Course()
        course.fix(speed: 2.5)
        try course.begin(sport)
        course.run(seconds: 5, speed: 2.5)
        let before = try #require(course.activity?.total.distanceMetres)
        course.wait(.seconds(seconds))
        course.metres += metres
        course.fix(speed: 2.5)
        course.wait(.seconds(1))
        let counted = try #require(course.activity?.total.distanceMetres) - before
        #expect(abs(counted - (isCounted ? metres : 0)) < 0.5)
        let gap = course.events.compactMap { event -> (Double, Double?, Bool)? in
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
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 5, speed: 3)
        course.wait(.seconds(8))
        course.metres += 27
        course.fix(speed: 3)
        course.wait(.seconds(1))
        #expect(abs(try #require(course.activity?.total.distanceMetres) - 42) < 0.1)
        #expect(course.events.allSatisfy { if case .gap = $0.kind { false } else { true } })
    }

    @Test func indoorRunIgnoresPositions() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.perform(.start(.run, indoor: true))
        course.run(seconds: 20, speed: 3)
        #expect(course.activity?.total.distanceMetres == 0)
        #expect(course.activity?.speed == nil)
        #expect(course.activity?.total.elapsedMilliseconds == 20_000)
    }

    @Test func paceAndSpeedExpireWithThePosition() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 10, speed: 3)
        #expect(course.activity?.pace != nil)
        course.wait(.milliseconds(4900))
        #expect(course.state.positionIsStale == false)
        #expect(course.activity?.speed != nil)
        course.wait(.milliseconds(200))
        #expect(course.state.positionIsStale)
        #expect(course.activity?.speed == nil)
        course.wait(.seconds(5))
        #expect(course.state.position == nil)
        #expect(course.activity?.pace == nil)
        let freshness = course.events.compactMap { event in
            if case .fix(let freshness, _, _) = event.kind { freshness } else { nil }
        }
        #expect(freshness == [.fresh, .stale, .absent])
    }

    @Test func speedIsTheMeanOfTheLastThreeSeconds() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 1, speed: 3)
        course.run(seconds: 1, speed: 4)
        course.run(seconds: 1, speed: 5)
        #expect(course.activity?.speed == 4)
        course.run(seconds: 1, speed: 6)
        #expect(course.activity?.speed == 5)
        #expect(course.activity?.total.maximumSpeed == 5)
    }

    @Test func sameInputsGiveTheSameOutputs() throws {
        func course() throws -> Course {
            var course = Course()
            course.fix(speed: 3)
            try course.begin()
            course.run(seconds: 100, speed: 3.3)
            course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 150, rrIntervals: [400])))
            course.sleep(.seconds(2))
            return course
        }
        let (one, other) = (try course(), try course())
        #expect(one.outputs == other.outputs)
        #expect(one.states == other.states)
    }
}
