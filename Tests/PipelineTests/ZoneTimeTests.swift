import Domain
import Pipeline
import Testing

@Suite struct ZoneTimeTests {
    private func settings(zones: Bool = true) throws -> Settings {
        var settings = Settings()
        settings.useHeartRateZones = zones
        settings.zones = try Zones([100, 120, 140, 160, 180])
        return settings
    }

    /// A run with one notification a second.
    private func beat(_ value: UInt16, seconds: Int, _ course: inout Course) {
        for _ in 0..<seconds {
            course.receive(.heart(HeartRateMeasurement(beatsPerMinute: value)))
            course.wait(.seconds(1))
        }
    }

    private func milliseconds(_ totals: Totals?) -> [Int64] {
        (0...5).map { totals?.zones.milliseconds(in: $0) ?? -1 }
    }

    @Test func timeIsCountedInTheZoneOfTheHeartRate() throws {
        var course = Course(try settings())
        course.receive(.heartLink(LinkStatus(.connected)))
        try course.begin()
        beat(90, seconds: 2, &course)
        beat(140, seconds: 5, &course)
        beat(185, seconds: 3, &course)
        #expect(milliseconds(course.activity?.total) == [2000, 0, 0, 5000, 0, 3000])
    }

    @Test func lapHasItsOwnTimesAndTheLastLapIsKept() throws {
        var course = Course(try settings())
        course.receive(.heartLink(LinkStatus(.connected)))
        try course.begin()
        #expect(course.activity?.lastLap == nil)
        beat(105, seconds: 4, &course)
        try course.perform(.lap)
        beat(125, seconds: 2, &course)
        #expect(milliseconds(course.activity?.lap) == [0, 0, 2000, 0, 0, 0])
        #expect(milliseconds(course.activity?.lastLap) == [0, 4000, 0, 0, 0, 0])
        #expect(course.activity?.lastLap?.elapsedMilliseconds == 4000)
        #expect(milliseconds(course.activity?.total) == [0, 4000, 2000, 0, 0, 0])
    }

    @Test func noTimeIsCountedWhileZonesAreOffOrTheHeartRateIsStale() throws {
        var course = Course(try settings(zones: false))
        course.receive(.heartLink(LinkStatus(.connected)))
        try course.begin()
        beat(140, seconds: 3, &course)
        #expect(milliseconds(course.activity?.total) == [0, 0, 0, 0, 0, 0])
        course.receive(.setting(.useHeartRateZones, try settings()))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        course.wait(.seconds(20))
        #expect(try #require(course.activity).total.zones.milliseconds(in: 3) <= 3000)
    }

    @Test func percentagesNeedTheirSettings() throws {
        var settings = Settings()
        var course = Course(settings)
        course.receive(.heartLink(LinkStatus(.connected)))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 150)))
        #expect(course.state.heart.percentOfMaximum == nil && course.state.heart.percentOfReserve == nil)
        settings.maxHeartRate = 200
        course.receive(.setting(.maxHeartRate, settings))
        #expect(course.state.heart.percentOfMaximum == 75 && course.state.heart.percentOfReserve == nil)
        settings.restingHeartRate = 50
        course.receive(.setting(.restingHeartRate, settings))
        let reserve = try #require(course.state.heart.percentOfReserve)
        #expect(abs(reserve - 200 / 3) < 1e-9)
    }
}
