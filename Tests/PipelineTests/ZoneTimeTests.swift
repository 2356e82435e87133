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
    private func beat(_ value: UInt16, seconds: Int, _ run: inout ScriptedRun) {
        for _ in 0..<seconds {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: value)))
            run.wait(.seconds(1))
        }
    }

    private func milliseconds(_ totals: Totals?) -> [Int64] {
        (0...5).map { totals?.zones.milliseconds(in: $0) ?? -1 }
    }

    @Test func timeIsCountedInTheZoneOfTheHeartRate() throws {
        var run = ScriptedRun(try settings())
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        beat(90, seconds: 2, &run)
        beat(140, seconds: 5, &run)
        beat(185, seconds: 3, &run)
        #expect(milliseconds(run.activity?.total) == [2000, 0, 0, 5000, 0, 3000])
    }

    @Test func lapHasItsOwnTimesAndTheLastLapIsKept() throws {
        var run = ScriptedRun(try settings())
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        #expect(run.activity?.lastLap == nil)
        beat(105, seconds: 4, &run)
        try run.perform(.lap)
        beat(125, seconds: 2, &run)
        #expect(milliseconds(run.activity?.lap) == [0, 0, 2000, 0, 0, 0])
        #expect(milliseconds(run.activity?.lastLap) == [0, 4000, 0, 0, 0, 0])
        #expect(run.activity?.lastLap?.elapsedMilliseconds == 4000)
        #expect(milliseconds(run.activity?.total) == [0, 4000, 2000, 0, 0, 0])
    }

    @Test func noTimeIsCountedWhileZonesAreOffOrTheHeartRateIsStale() throws {
        var run = ScriptedRun(try settings(zones: false))
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        beat(140, seconds: 3, &run)
        #expect(milliseconds(run.activity?.total) == [0, 0, 0, 0, 0, 0])
        run.receive(.setting(.useHeartRateZones, try settings()))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        run.wait(.seconds(20))
        #expect(try #require(run.activity).total.zones.milliseconds(in: 3) <= 3000)
    }

    @Test func percentagesNeedTheirSettings() throws {
        var settings = Settings()
        var run = ScriptedRun(settings)
        run.receive(.heartLink(LinkStatus(.connected)))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 150)))
        #expect(run.state.heart.percentOfMaximum == nil && run.state.heart.percentOfReserve == nil)
        settings.maxHeartRate = 200
        run.receive(.setting(.maxHeartRate, settings))
        #expect(run.state.heart.percentOfMaximum == 75 && run.state.heart.percentOfReserve == nil)
        settings.restingHeartRate = 50
        run.receive(.setting(.restingHeartRate, settings))
        let reserve = try #require(run.state.heart.percentOfReserve)
        #expect(abs(reserve - 200 / 3) < 1e-9)
    }
}
