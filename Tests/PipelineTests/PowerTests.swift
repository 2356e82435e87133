import Domain
import Pipeline
import TestKit
import Testing

/// Rides indoors with one power value a second.
private func ride(_ watts: [Int], ftp: Int = 250, rules: RunRules = .current) throws -> Rider {
    var settings = Settings()
    settings.ftp = ftp
    var rider = Rider(settings)
    var snapshot = rider.run.pipeline.snapshot
    snapshot.rules = rules
    rider.run.pipeline = Pipeline(snapshot)
    rider.hasPosition = false
    rider.hasWheel = false
    rider.connect(Rider.powerMeter, [.cyclingPower])
    try rider.run.perform(.start(.ride, indoor: true))
    for value in watts {
        rider.sends = [(Rider.powerMeter, .power(CyclingPowerMeasurement(watts: Int16(value))))]
        rider.ride(seconds: 1, speed: 0)
    }
    return rider
}

@Suite struct PowerTests {
    @Test func averagesAndWork() throws {
        let rider = try ride(Array(repeating: 100, count: 50) + Array(repeating: 300, count: 50))
        let activity = try #require(rider.run.activity)
        #expect(activity.power == 300)
        #expect(activity.power3s == 300)
        #expect(activity.total.averagePower == 200)
        #expect(activity.total.maximumPower == 300)
        #expect(activity.total.workJoules == 20_000)
        #expect(activity.powerZone == 6)
        #expect(activity.percentOfFTP == 120)
        #expect(activity.total.powerZones.milliseconds(in: 1) == 50_000)
        #expect(activity.total.powerZones.milliseconds(in: 6) == 50_000)
        #expect(activity.total.bestPowers[0] == 300)
        let bestMinute = 16_000.0 / 60
        #expect(activity.total.bestPowers[3] == bestMinute)
        #expect(activity.total.bestPowers[4] == nil)
    }

    @Test func impossiblePowerIsNoPower() throws {
        let watts = Array(repeating: 200, count: 10) + [32_767] + Array(repeating: 200, count: 9)
        var rider = try ride(Array(watts.prefix(11)))
        #expect(rider.run.activity?.power == nil)
        rider = try ride(watts)
        let total = try #require(rider.run.activity).total
        #expect(total.maximumPower == 200 && total.averagePower == 200)
        #expect(try #require(ride([3000]).run.activity).total.maximumPower == 3000)
        // A run of an earlier release has its own rules.
        let former = try #require(try ride(watts, rules: .first).run.activity).total
        #expect(former.maximumPower == 32_767 && former.averagePower == (19 * 200 + 32_767) / 20.0)
    }

    @Test func shortAveragesCoverTheirSeconds() throws {
        let activity = try #require(try ride(Array(1...20).map { $0 * 10 }).run.activity)
        #expect(activity.power == 200)
        #expect(activity.power3s == 190)
        #expect(activity.power10s == 155)
    }

    /// An independent computation over the same seconds: averages of 30 s, their fourth powers, and the mean of these.
    @Test(arguments: 1...5)
    func normalizedPowerEqualsTheDefinition(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let watts = (0..<600).map { second in
            second / 40 % 2 == 0 ? Int.random(in: 80...160, using: &random) : Int.random(in: 240...420, using: &random)
        }
        let figures = try #require(try ride(watts).run.activity).total
        var fourths: [Double] = []
        for end in 30...watts.count {
            let average = Double(watts[(end - 30)..<end].reduce(0, +)) / 30
            fourths.append(average * average * average * average)
        }
        let expected = (fourths.reduce(0, +) / Double(fourths.count)).squareRoot().squareRoot()
        #expect(abs(try #require(figures.normalizedPower) - expected) < 0.01)
        for (index, seconds) in BestPowers.durations.enumerated() where seconds <= watts.count {
            let sums = (seconds...watts.count).map { watts[($0 - seconds)..<$0].reduce(0, +) }
            #expect(abs(try #require(figures.bestPowers[index]) - Double(sums.max()!) / Double(seconds)) < 0.001)
        }
    }

    @Test func zeroIsCountedAndAbsenceIsNot() throws {
        var rider = try ride(Array(repeating: 200, count: 20) + Array(repeating: 0, count: 20))
        #expect(rider.run.activity?.total.averagePower == 100)
        #expect(rider.run.activity?.power == 0)
        rider.sends = []
        rider.ride(seconds: 20, speed: 0)
        #expect(rider.run.activity?.power == nil)
        // The last value holds for 3 s.
        let average = try #require(rider.run.activity?.total.averagePower)
        #expect((4000.0 / 43...4000 / 42).contains(average))
    }

    @Test func lapHasItsOwnFigures() throws {
        var rider = try ride(Array(repeating: 100, count: 40))
        try rider.run.perform(.lap)
        rider.sends = [(Rider.powerMeter, .power(CyclingPowerMeasurement(watts: 260)))]
        rider.ride(seconds: 40, speed: 0)
        let activity = try #require(rider.run.activity)
        #expect(activity.lastLap?.averagePower == 100)
        #expect(activity.lap.averagePower == 260)
        #expect(activity.total.averagePower == 180)
        // The averages of 30 s at the start of the lap reach back over it.
        #expect(try #require(activity.lap.normalizedPower) < 260)
    }

    @Test func cadenceAverageLeavesZerosOut() throws {
        var rider = Rider()
        rider.hasPosition = false
        rider.hasWheel = false
        rider.connect(Rider.speedSensor, [.cyclingSpeedCadence])
        try rider.run.perform(.start(.ride, indoor: true))
        var crank = SimulatedCounter(.crank)
        for second in 0..<120 {
            crank.turn(second < 60 ? 1.5 : 0, seconds: 1)
            rider.sends = [(Rider.speedSensor, .speedCadence(CyclingSpeedCadenceMeasurement(crank: crank.count)))]
            rider.ride(seconds: 1, speed: 0)
        }
        let activity = try #require(rider.run.activity)
        #expect(activity.cadence == 0)
        #expect(abs(try #require(activity.total.averageCadence) - 90) < 1)
        #expect(abs(try #require(activity.total.maximumCadence) - 90) < 1)
    }

    @Test func powerZonesOfTheSettingReplaceThoseOfTheThreshold() {
        var settings = Settings()
        #expect(settings.powerZone(of: 200) == nil)
        settings.ftp = 200
        #expect([0, 109, 110, 149, 150, 300, 999].map { settings.powerZone(of: $0) } == [1, 1, 2, 2, 3, 7, 7])
        settings.powerZones = PowerZones([100, 120, 140, 160, 180, 200])
        #expect(settings.powerZone(of: 110) == 2)
        #expect(PowerZones([100, 120, 140, 160, 160, 200]) == nil)
        #expect(PowerZones([100, 120, 140, 160, 180]) == nil)
    }
}
