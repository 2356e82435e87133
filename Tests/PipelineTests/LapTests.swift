import Domain
import Pipeline
import Testing

@Suite struct LapTests {
    private func laps(_ course: Course) -> [(number: Int, figures: Totals, trigger: Event.Trigger)] {
        course.events.compactMap {
            if case .lap(let figures, let number, let trigger) = $0.kind { (number, figures, trigger) } else { nil }
        }
    }

    @Test func lapHasItsOwnTotals() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 10, speed: 3)
        try course.perform(.lap)
        course.run(seconds: 20, speed: 4)
        try course.perform(.lap)
        let laps = laps(course)
        #expect(laps.map(\.number) == [1, 2])
        #expect(laps.map(\.figures.elapsedMilliseconds) == [10_000, 20_000])
        #expect(abs(laps[0].figures.distanceMetres - 30) < 0.1)
        #expect(abs(laps[1].figures.distanceMetres - 80) < 0.2)
        #expect(course.activity?.lapNumber == 3)
        #expect(course.activity?.lap.elapsedMilliseconds == 0)
    }

    @Test func autoLapClosesAtEachMultipleOfADistance() throws {
        var settings = Settings()
        settings.autoLapMetres = 100
        var course = Course(settings)
        course.fix(speed: 4)
        try course.begin()
        course.run(seconds: 80, speed: 4)
        let laps = laps(course)
        #expect(laps.map(\.trigger) == [.distance, .distance, .distance])
        #expect(laps.map(\.figures.elapsedMilliseconds).reduce(0, +) == 75_000)
        #expect(laps.allSatisfy { abs($0.figures.distanceMetres - 100) <= 4 })
    }

    @Test func autoLapClosesAtEachMultipleOfATime() throws {
        var settings = Settings()
        settings.autoLapSeconds = 30
        var course = Course(settings)
        try course.begin()
        course.wait(.seconds(95))
        #expect(laps(course).map(\.figures.elapsedMilliseconds) == [30_000, 30_000, 30_000])
        #expect(laps(course).allSatisfy { $0.trigger == .time })
    }

    @Test func manualLapDoesNotShiftAutoLaps() throws {
        var settings = Settings()
        settings.autoLapSeconds = 30
        var course = Course(settings)
        try course.begin()
        course.wait(.seconds(20))
        try course.perform(.lap)
        course.wait(.seconds(40))
        #expect(laps(course).map(\.figures.elapsedMilliseconds) == [20_000, 10_000, 30_000])
    }
}
