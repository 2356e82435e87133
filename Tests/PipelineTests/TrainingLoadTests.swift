import Domain
import Pipeline
import Testing

@Suite struct TrainingLoadTests {
    /// The equations of the paper, computed by hand.
    @Test(arguments: [
        (Sex.male, 40, 80.0, 150.0, 15.18), (.female, 35, 60, 140, 8.895), (.male, 30, 70, 60, 0.651),
        (.male, 20, 50, 60, 0), (.female, 20, 120, 60, 0),
    ])
    func energyIsThatOfKeytel(sex: Sex, age: Int, weight: Double, rate: Double, kilocalories: Double) {
        let model = EnergyModel(sex: sex, age: age, weight: weight)
        let value = model.kilojoulesPerMinute(at: rate) / EnergyModel.kilojoulesPerKilocalorie
        #expect(abs(value - kilocalories) < 0.01, "\(value)")
    }

    @Test(
        arguments: [
            ([10], nil), ([10, 10], 0), ([10, 15, 40], 30),
            // Reset, and wrapped.
            ([100, 120, 0, 5], 25), ([65_530, 65_534, 3], 7),
            // Saturated, then reset.
            ([65_500, 65_535, 65_535, 10, 30], 55),
            // The count of another person.
            ([10, 20_000, 20_010], 10),
        ] as [([UInt16], Int?)])
    func strapsEnergyIsSummedOverResets(values: [UInt16], kilojoules: Int?) {
        var counter = EnergyCounter()
        let steps = values.compactMap { counter.receive($0) }
        #expect((steps.isEmpty ? nil : steps.reduce(0, +)) == kilojoules)
    }

    @Test func energyOfAPauseDoesNotCount() {
        var counter = EnergyCounter()
        #expect(counter.receive(100) == nil && counter.receive(110) == 10)
        counter.interrupt()
        #expect(counter.receive(150) == nil && counter.receive(153) == 3)
    }

    @Test func impulseIsThatOfBanister() throws {
        let man = try #require(TrainingImpulse(sex: .male, resting: 60, maximum: 190))
        #expect(abs(60 * man.perMinute(at: 150) - 100.4) < 0.05)
        #expect(man.perMinute(at: 60) == 0 && man.perMinute(at: 40) == 0)
        let woman = try #require(TrainingImpulse(sex: .female, resting: 60, maximum: 190))
        #expect(abs(60 * woman.perMinute(at: 150) - 113.52) < 0.05)
        // Convex: an hour half at 130 and half at 170 is more than one at 150.
        #expect(30 * man.perMinute(at: 130) + 30 * man.perMinute(at: 170) > 60 * man.perMinute(at: 150))
        #expect(TrainingImpulse(sex: .male, resting: 0, maximum: 190) == nil)
        #expect(TrainingImpulse(sex: .male, resting: 190, maximum: 190) == nil)
    }

    @Test(arguments: [(0.0, 3.6), (0.1, 5.968), (-0.1, 2.152), (0.45, 19.426), (0.9, 19.426), (-2, 4.032)])
    func costIsThatOfMinetti(gradient: Double, cost: Double) {
        #expect(abs(GradeAdjustment.cost(at: gradient) - cost) < 0.01, "\(GradeAdjustment.cost(at: gradient))")
    }

    @Test func levelMetresAreMoreUphillAndFewestOnAGentleDescent() throws {
        #expect(abs(3 * (try #require(GradeAdjustment.levelMetres(percent: 10))) - 3 * 1.658) < 0.01)
        #expect(abs(3 * (try #require(GradeAdjustment.levelMetres(percent: -10))) - 3 * 0.598) < 0.01)
        #expect(GradeAdjustment.levelMetres(percent: 0) == 1)
        let cheapest = (-45...45).min {
            GradeAdjustment.cost(at: Double($0) / 100) < GradeAdjustment.cost(at: Double($1) / 100)
        }
        #expect((-20 ... -17).contains(try #require(cheapest)))
        #expect(GradeAdjustment.levelMetres(percent: .nan) == nil)
        #expect(GradeAdjustment.levelMetres(percent: .infinity) == nil)
    }
}
