import Domain
import Pipeline
import Testing

@Suite struct EnergyTests {
    private static func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
        var settings = Settings.ofABody
        change(&settings)
        return settings
    }

    private func run(_ settings: Settings = settings()) throws -> ScriptedRun {
        var run = ScriptedRun(settings)
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        return run
    }

    /// One notification a second, and a counter that rises by a number of kilojoules each time.
    private func beat(
        _ value: UInt16, seconds: Int, from energy: UInt16? = nil, rise: UInt16 = 0, _ run: inout ScriptedRun
    ) {
        for second in 0..<seconds {
            let counted = energy.map { $0 + UInt16(second) * rise }
            // RR intervals, because a value that stays the same without them is frozen after a minute.
            run.receive(
                .heart(HeartRateMeasurement(beatsPerMinute: value, energyKilojoules: counted, rrIntervals: [1000])))
            run.wait(.seconds(1))
        }
    }

    private static func isNear(_ one: Double?, _ other: Double, _ bound: Double = 1e-9) -> Bool {
        one.map { abs($0 - other) < bound } ?? false
    }

    @Test func hourHasTheEnergyAndTheImpulseOfTheFormulas() throws {
        var run = try run()
        beat(150, seconds: 3600, &run)
        let total = try #require(run.activity).total
        let model = EnergyModel(sex: .male, age: 40, weight: 80)
        #expect(Self.isNear(total.energyKilocalories, 60 * model.kilojoulesPerMinute(at: 150) / 4.184, 0.01))
        #expect(Self.isNear(total.energyKilocalories, 60 * 15.18, 1))
        #expect(Self.isNear(total.trainingImpulse, 100.4, 0.1))
    }

    @Test func pauseAddsNothing() throws {
        var run = try run()
        beat(150, seconds: 10, &run)
        try run.perform(.pause)
        let before = try #require(run.activity).total
        beat(150, seconds: 60, from: 100, rise: 5, &run)
        let after = try #require(run.activity).total
        #expect(after.energyKilocalories == before.energyKilocalories)
        #expect(after.trainingImpulse == before.trainingImpulse)
        // What the strap has counted in the pause does not count either.
        try run.perform(.resume)
        beat(150, seconds: 1, from: 900, &run)
        let resumed = try #require(run.activity?.total.energyKilocalories)
        #expect(resumed - (before.energyKilocalories ?? 0) < 0.5)
    }

    @Test func staleHeartRateAddsNothing() throws {
        var run = try run()
        beat(150, seconds: 10, &run)
        run.wait(.seconds(3))
        let before = run.activity?.total
        run.wait(.seconds(60))
        #expect(run.activity?.total.energyKilocalories == before?.energyKilocalories)
        #expect(run.activity?.total.trainingImpulse == before?.trainingImpulse)
    }

    @Test func figureWithoutItsSettingIsAbsent() throws {
        for (change, hasEnergy, hasImpulse) in [
            ({ $0.age = 0 }, false, true), ({ $0.weightKilograms = 0 }, false, true), ({ $0.sex = nil }, false, false),
            ({ $0.restingHeartRate = 0 }, true, false), ({ $0.maxHeartRate = 0 }, true, false),
            ({ $0.maxHeartRate = 60 }, true, false),
        ] as [(change: (inout Settings) -> Void, hasEnergy: Bool, hasImpulse: Bool)] {
            var run = try run(Self.settings(change))
            beat(150, seconds: 5, &run)
            let total = try #require(run.activity).total
            #expect((total.energyKilocalories != nil) == hasEnergy)
            #expect((total.trainingImpulse != nil) == hasImpulse)
        }
        var run = try run()
        run.wait(.seconds(5))
        #expect(run.activity?.total.energyKilocalories == nil && run.activity?.total.trainingImpulse == nil)
    }

    @Test func lapsAddUpToTheRun() throws {
        var run = try run()
        beat(150, seconds: 20, &run)
        try run.perform(.lap)
        beat(170, seconds: 20, from: 10, rise: 1, &run)
        let activity = try #require(run.activity)
        let (one, other) = (try #require(activity.lastLap), activity.lap)
        #expect(one.energyKilocalories ?? 0 > 0 && one.trainingImpulse ?? 0 < other.trainingImpulse ?? 0)
        let energy = (one.energyKilocalories ?? 0) + (other.energyKilocalories ?? 0)
        #expect(Self.isNear(activity.total.energyKilocalories, energy))
        let impulse = (one.trainingImpulse ?? 0) + (other.trainingImpulse ?? 0)
        #expect(Self.isNear(activity.total.trainingImpulse, impulse))
    }

    @Test func counterOfTheStrapReplacesTheFormulaAndNeedsNoSettings() throws {
        var run = try run(Settings())
        beat(150, seconds: 101, from: 500, rise: 2, &run)
        #expect(Self.isNear(run.activity?.total.energyKilocalories, 200 / 4.184))
        #expect(run.activity?.total.trainingImpulse == nil)
        var other = try self.run()
        beat(150, seconds: 101, from: 500, rise: 2, &other)
        #expect(Self.isNear(other.activity?.total.energyKilocalories, 200 / 4.184))
    }

    @Test func counterThatStaysAtZeroOrStopsLeavesTheFormula() throws {
        for value in [0, UInt16.max] {
            var run = try run()
            beat(150, seconds: 60, from: value, &run)
            #expect(Self.isNear(run.activity?.total.energyKilocalories, 15.18, 0.05))
        }
    }

    @Test func strapThatComesBackIsCountedFromItsNextValue() throws {
        var run = try run(Settings())
        beat(150, seconds: 11, from: 100, rise: 1, &run)
        run.receive(.heartLink(LinkStatus(.disconnected, reason: .outOfRange)))
        run.wait(.seconds(5))
        run.receive(.heartLink(LinkStatus(.connected)))
        beat(150, seconds: 11, from: 200, rise: 1, &run)
        #expect(Self.isNear(run.activity?.total.energyKilocalories, 20 / 4.184))
    }

    @Test func summaryHasBothFigures() throws {
        var run = try run()
        beat(150, seconds: 10, &run)
        let total = try #require(run.activity).total
        guard case .ended(let summary) = try run.perform(.stop) else {
            Issue.record("the run has not ended")
            return
        }
        #expect(summary.total.energyKilocalories == total.energyKilocalories && total.energyKilocalories != nil)
        #expect(summary.total.trainingImpulse == total.trainingImpulse && total.trainingImpulse != nil)
        #expect(summary.lastLap.energyKilocalories == total.energyKilocalories)
    }
}
