import Domain
import Testing

@Suite struct PersonalBestTests {
    @Test func `The names of bests are stored and do not change`() {
        #expect(
            BestKind.allCases.map(\.rawValue) == [
                "400m", "1km", "1mile", "5km", "10km", "half-marathon", "marathon", "distance", "ascent", "power-5s",
                "power-30s", "power-1min", "power-5min", "power-20min", "power-60min",
            ])
        #expect(BestKind.times.map(\.metres) == [400, 1000, 1609.344, 5000, 10_000, 21_097.5, 42_195])
        #expect(BestKind.powers.map(\.seconds) == [5, 30, 60, 300, 1200, 3600])
    }

    @Test func `A best is the shortest time or the greatest value of its sport, the first of equal ones`() {
        var bests = PersonalBests()
        bests.add([BestEffort(.kilometre, 300_000), BestEffort(.distance, 5000)], of: 1, .run)
        bests.add([BestEffort(.kilometre, 290_000), BestEffort(.distance, 4000)], of: 2, .run)
        bests.add([BestEffort(.kilometre, 290_000), BestEffort(.distance, 5000)], of: 3, .run)
        bests.add([BestEffort(.kilometre, 280_000), BestEffort(.distance, 6000)], of: 4, .hike)
        #expect(
            bests.all == [
                PersonalBests.Best(sport: .run, effort: BestEffort(.kilometre, 290_000), activity: 2),
                PersonalBests.Best(sport: .run, effort: BestEffort(.distance, 5000), activity: 1),
                PersonalBests.Best(sport: .hike, effort: BestEffort(.kilometre, 280_000), activity: 4),
                PersonalBests.Best(sport: .hike, effort: BestEffort(.distance, 6000), activity: 4),
            ])
    }
}
