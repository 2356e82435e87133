import Domain
import Pipeline
import Testing

@Suite struct LapTests {
    private func laps(_ run: ScriptedRun) -> [(number: Int, figures: Totals, trigger: Event.Trigger)] {
        run.events.compactMap {
            if case .lap(let figures, let number, let trigger) = $0.kind { (number, figures, trigger) } else { nil }
        }
    }

    @Test func lapHasItsOwnTotals() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 10, speed: 3)
        try run.perform(.lap)
        run.run(seconds: 20, speed: 4)
        try run.perform(.lap)
        let laps = laps(run)
        #expect(laps.map(\.number) == [1, 2])
        #expect(laps.map(\.figures.elapsedMilliseconds) == [10_000, 20_000])
        #expect(abs(laps[0].figures.distanceMetres - 30) < 0.1)
        #expect(abs(laps[1].figures.distanceMetres - 80) < 0.2)
        #expect(run.activity?.lapNumber == 3)
        #expect(run.activity?.lap.elapsedMilliseconds == 0)
    }

    @Test func autoLapClosesAtEachMultipleOfADistance() throws {
        var settings = Settings()
        settings.autoLapMetres = 100
        var run = ScriptedRun(settings)
        run.fix(speed: 4)
        try run.begin()
        run.run(seconds: 80, speed: 4)
        let laps = laps(run)
        #expect(laps.map(\.trigger) == [.distance, .distance, .distance])
        #expect(laps.map(\.figures.elapsedMilliseconds).reduce(0, +) == 75_000)
        #expect(laps.allSatisfy { abs($0.figures.distanceMetres - 100) <= 4 })
    }

    @Test func autoLapClosesAtEachMultipleOfATime() throws {
        var settings = Settings()
        settings.autoLapSeconds = 30
        var run = ScriptedRun(settings)
        try run.begin()
        run.wait(.seconds(95))
        #expect(laps(run).map(\.figures.elapsedMilliseconds) == [30_000, 30_000, 30_000])
        #expect(laps(run).allSatisfy { $0.trigger == .time })
    }

    @Test func manualLapDoesNotShiftAutoLaps() throws {
        var settings = Settings()
        settings.autoLapSeconds = 30
        var run = ScriptedRun(settings)
        try run.begin()
        run.wait(.seconds(20))
        try run.perform(.lap)
        run.wait(.seconds(40))
        #expect(laps(run).map(\.figures.elapsedMilliseconds) == [20_000, 10_000, 30_000])
    }
}
