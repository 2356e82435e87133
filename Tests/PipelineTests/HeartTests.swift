import Domain
import Pipeline
import Testing

@Suite struct HeartTests {
    private func readings(_ run: ScriptedRun) -> [HeartRateSample] {
        run.outputs.compactMap { if case .heart(let reading) = $0 { reading } else { nil } }
    }

    private func connected(_ settings: Settings = Settings()) -> ScriptedRun {
        var run = ScriptedRun(settings)
        run.receive(.heartLink(LinkStatus(.connected, name: SanitizedText("Strap"))))
        return run
    }

    @Test func heartRateIsFreshThenStaleThenAbsent() {
        var run = connected()
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        run.wait(.milliseconds(2999))
        #expect(run.state.heart.beatsPerMinute?.value == 140)
        #expect(!run.state.heart.isStale)
        run.wait(.milliseconds(1))
        #expect(run.state.heart.isStale)
        run.wait(.milliseconds(6999))
        #expect(run.state.heart.beatsPerMinute?.age(at: run.now) == .milliseconds(9999))
        run.wait(.milliseconds(1))
        #expect(run.state.heart.beatsPerMinute == nil)
        #expect(!run.state.heart.isStale)
    }

    @Test(arguments: [
        (HeartRateMeasurement(beatsPerMinute: 0), HeartRateQuality.zero),
        (HeartRateMeasurement(beatsPerMinute: 241), .outOfRange),
        (HeartRateMeasurement(beatsPerMinute: 255, contact: true), .outOfRange),
        (HeartRateMeasurement(beatsPerMinute: 80, contact: false), .noContact),
        (HeartRateMeasurement(beatsPerMinute: 80, contact: false, rrIntervals: [768]), .good),
        (HeartRateMeasurement(beatsPerMinute: 240), .good),
        (HeartRateMeasurement(beatsPerMinute: 80, contact: true), .good),
    ])
    func onlyGoodHeartRatesReachTheState(measurement: HeartRateMeasurement, quality: HeartRateQuality) {
        var run = connected()
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120)))
        run.wait(.seconds(1))
        run.receive(.heart(measurement))
        #expect(readings(run).last?.quality == quality)
        #expect((run.state.heart.beatsPerMinute != nil) == (quality == .good))
        #expect(run.state.heart.contact == measurement.contact)
    }

    @Test func sameHeartRateForAMinuteWithoutIntervalsIsFrozen() {
        var run = connected()
        for _ in 0..<60 {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77)))
            run.wait(.seconds(1))
        }
        #expect(readings(run).allSatisfy { $0.quality == .good })
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77)))
        #expect(readings(run).last?.quality == .frozen)
        #expect(run.state.heart.beatsPerMinute == nil)
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77, rrIntervals: [790])))
        #expect(readings(run).last?.quality == .good)
    }

    @Test func heartRateIsClearedOnStopDisconnectAndStrapChange() throws {
        var run = connected()
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        try run.begin()
        try run.perform(.stop)
        #expect(run.state.heart.beatsPerMinute == nil)
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        run.receive(.heartLink(LinkStatus(.disconnected, reason: .searching)))
        #expect(run.state.heart.beatsPerMinute == nil)
        run.receive(.heartLink(LinkStatus(.connected, address: BluetoothAddress(value: 1))))
        run.receive(.battery(percent: 80))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        run.receive(.heartLink(LinkStatus(.connected, address: BluetoothAddress(value: 2))))
        #expect(run.state.heart.beatsPerMinute == nil)
        #expect(run.state.heart.batteryPercent == nil)
    }

    @Test func beatsFormAChainAndAGapIsMarked() throws {
        var run = connected()
        let start = run.now
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        run.wait(.milliseconds(1300))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [512, 512])))
        run.wait(.milliseconds(700))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        var beats = readings(run)
        #expect(beats.map(\.beatAt) == [start, start + .seconds(1), start + .seconds(2)])
        #expect(beats.map(\.gap) == [false, false, false])
        // Ten seconds are missing: the chain of beats would lag 9 s behind the arrival.
        run.wait(.seconds(10))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        beats = readings(run)
        #expect(beats.last?.gap == true)
        #expect(beats.last?.beatAt == run.now)
        run.receive(.heartLink(LinkStatus(.disconnected, reason: .outOfRange)))
        run.wait(.seconds(1))
        run.receive(.heartLink(LinkStatus(.connected)))
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(readings(run).last?.gap == true)
        #expect(readings(run).last?.beatAt == nil)
    }

    @Test func averageHeartRateWeighsFreshValuesByActiveTime() throws {
        var run = connected()
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 200)))
        run.wait(.seconds(10))
        try run.begin()
        for _ in 0..<3 {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 100)))
            run.wait(.seconds(1))
        }
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 130)))
        // Fresh for 3 s only, regardless of the strap's silence.
        run.wait(.seconds(9))
        let average = try #require(run.activity?.total.averageHeartRate)
        #expect(abs(average - (3 * 100 + 3 * 130) / 6.0) < 0.6)
    }

    @Test func maximumHeartRateNeedsTwoNotifications() throws {
        var run = connected()
        try run.begin()
        for value in [120, 190, 125, 130, 131, 0, 180] as [UInt16] {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: value)))
            run.wait(.seconds(1))
        }
        #expect(run.activity?.total.maximumHeartRate == 130)
    }

    /// A strap that goes silent leaves its last value on each screen until it is 10 s old.
    @Test(arguments: [(RunRules.shownValues, 152), (.powerLimit, 149), (.first, 149)])
    func maximumHeartRateIsAValueThatStoodForThreeSeconds(rules: RunRules, maximum: Int) throws {
        var run = connected()
        var snapshot = run.pipeline.snapshot
        snapshot.rules = rules
        run.pipeline = Pipeline(snapshot)
        try run.begin()
        for value in [149, 149, 152] as [UInt16] {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: value)))
            run.wait(.seconds(1))
        }
        run.wait(.seconds(1.5))
        #expect(run.activity?.total.maximumHeartRate == 149)
        run.wait(.seconds(0.6))
        #expect(run.activity?.total.maximumHeartRate == maximum)
        run.wait(.seconds(10))
        #expect(run.activity?.total.maximumHeartRate == maximum)
    }

    @Test func zoneIsShownOnlyIfZonesAreOn() throws {
        var settings = Settings()
        var run = connected(settings)
        run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        // On, and not set.
        settings.useHeartRateZones = true
        run.receive(.setting(.useHeartRateZones, settings))
        #expect(run.state.heart.zone == nil && run.state.heart.zoneFraction == nil)
        // Set, and not on.
        settings.useHeartRateZones = false
        settings.zones = try Zones([100, 120, 140, 160, 180])
        run.receive(.setting(.useHeartRateZones, settings))
        #expect(run.state.heart.zone == nil && run.state.heart.zoneFraction == nil)
        settings.useHeartRateZones = true
        run.receive(.setting(.useHeartRateZones, settings))
        #expect(run.state.heart.zone == 3)
        #expect(abs(try #require(run.state.heart.zoneFraction) - 0.475) < 1e-12)
    }

    @Test func linkEventReportsTheDurationOfThePreviousState() {
        var run = connected()
        run.wait(.seconds(7))
        run.receive(.heartLink(LinkStatus(.connected, name: SanitizedText("Strap"))))
        run.receive(.heartLink(LinkStatus(.disconnected, reason: .outOfRange, name: SanitizedText("Strap"))))
        guard case .link(.heart, let status, let after)? = run.events.last?.kind else {
            Issue.record("no event")
            return
        }
        #expect(status.reason == .outOfRange)
        #expect(after == .seconds(7))
        #expect(run.events.count == 2)
    }
}
