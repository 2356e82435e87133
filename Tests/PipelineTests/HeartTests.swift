import Domain
import Pipeline
import Testing

@Suite struct HeartTests {
    private func readings(_ course: Course) -> [HeartRateSample] {
        course.outputs.compactMap { if case .heart(let reading) = $0 { reading } else { nil } }
    }

    private func connected(_ settings: Settings = Settings()) -> Course {
        var course = Course(settings)
        course.receive(.heartLink(LinkStatus(.connected, name: SanitizedText("Strap"))))
        return course
    }

    @Test func heartRateIsFreshThenStaleThenAbsent() {
        var course = connected()
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        course.wait(.milliseconds(2999))
        #expect(course.state.heart.beatsPerMinute?.value == 140)
        #expect(!course.state.heart.isStale)
        course.wait(.milliseconds(1))
        #expect(course.state.heart.isStale)
        course.wait(.milliseconds(6999))
        #expect(course.state.heart.beatsPerMinute?.age(at: course.now) == .milliseconds(9999))
        course.wait(.milliseconds(1))
        #expect(course.state.heart.beatsPerMinute == nil)
        #expect(!course.state.heart.isStale)
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
        var course = connected()
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120)))
        course.wait(.seconds(1))
        course.receive(.heart(measurement))
        #expect(readings(course).last?.quality == quality)
        #expect((course.state.heart.beatsPerMinute != nil) == (quality == .good))
        #expect(course.state.heart.contact == measurement.contact)
    }

    @Test func sameHeartRateForAMinuteWithoutIntervalsIsFrozen() {
        var course = connected()
        for _ in 0..<60 {
            course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77)))
            course.wait(.seconds(1))
        }
        #expect(readings(course).allSatisfy { $0.quality == .good })
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77)))
        #expect(readings(course).last?.quality == .frozen)
        #expect(course.state.heart.beatsPerMinute == nil)
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 77, rrIntervals: [790])))
        #expect(readings(course).last?.quality == .good)
    }

    @Test func heartRateIsClearedOnStopDisconnectAndStrapChange() throws {
        var course = connected()
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        try course.begin()
        try course.perform(.stop)
        #expect(course.state.heart.beatsPerMinute == nil)
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        course.receive(.heartLink(LinkStatus(.disconnected, reason: .searching)))
        #expect(course.state.heart.beatsPerMinute == nil)
        course.receive(.heartLink(LinkStatus(.connected, address: BluetoothAddress(value: 1))))
        course.receive(.battery(percent: 80))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        course.receive(.heartLink(LinkStatus(.connected, address: BluetoothAddress(value: 2))))
        #expect(course.state.heart.beatsPerMinute == nil)
        #expect(course.state.heart.batteryPercent == nil)
    }

    @Test func beatsFormAChainAndAGapIsMarked() throws {
        var course = connected()
        let start = course.now
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        course.wait(.milliseconds(1300))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [512, 512])))
        course.wait(.milliseconds(700))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        var beats = readings(course)
        #expect(beats.map(\.beatAt) == [start, start + .seconds(1), start + .seconds(2)])
        #expect(beats.map(\.gap) == [false, false, false])
        // Ten seconds are missing: the chain of beats would lag 9 s behind the arrival.
        course.wait(.seconds(10))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024])))
        beats = readings(course)
        #expect(beats.last?.gap == true)
        #expect(beats.last?.beatAt == course.now)
        course.receive(.heartLink(LinkStatus(.disconnected, reason: .outOfRange)))
        course.wait(.seconds(1))
        course.receive(.heartLink(LinkStatus(.connected)))
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60)))
        #expect(readings(course).last?.gap == true)
        #expect(readings(course).last?.beatAt == nil)
    }

    @Test func averageHeartRateWeighsFreshValuesByActiveTime() throws {
        var course = connected()
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 200)))
        course.wait(.seconds(10))
        try course.begin()
        for _ in 0..<3 {
            course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 100)))
            course.wait(.seconds(1))
        }
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 130)))
        // Fresh for 3 s only, regardless of the strap's silence.
        course.wait(.seconds(9))
        let average = try #require(course.activity?.total.averageHeartRate)
        #expect(abs(average - (3 * 100 + 3 * 130) / 6.0) < 0.6)
    }

    @Test func maximumHeartRateNeedsTwoNotifications() throws {
        var course = connected()
        try course.begin()
        for value in [120, 190, 125, 130, 131, 0, 180] as [UInt16] {
            course.receive(.heart(HeartRateMeasurement(beatsPerMinute: value)))
            course.wait(.seconds(1))
        }
        #expect(course.activity?.total.maximumHeartRate == 130)
    }

    @Test func zoneIsShownOnlyIfZonesAreOn() throws {
        var settings = Settings()
        var course = connected(settings)
        course.receive(.heart(HeartRateMeasurement(beatsPerMinute: 140)))
        // On, and not set.
        settings.useHeartRateZones = true
        course.receive(.setting(.useHeartRateZones, settings))
        #expect(course.state.heart.zone == nil && course.state.heart.zoneFraction == nil)
        // Set, and not on.
        settings.useHeartRateZones = false
        settings.zones = try Zones([100, 120, 140, 160, 180])
        course.receive(.setting(.useHeartRateZones, settings))
        #expect(course.state.heart.zone == nil && course.state.heart.zoneFraction == nil)
        settings.useHeartRateZones = true
        course.receive(.setting(.useHeartRateZones, settings))
        #expect(course.state.heart.zone == 3)
        #expect(abs(try #require(course.state.heart.zoneFraction) - 0.475) < 1e-12)
    }

    @Test func linkEventReportsTheDurationOfThePreviousState() {
        var course = connected()
        course.wait(.seconds(7))
        course.receive(.heartLink(LinkStatus(.connected, name: SanitizedText("Strap"))))
        course.receive(.heartLink(LinkStatus(.disconnected, reason: .outOfRange, name: SanitizedText("Strap"))))
        guard case .link(.heart, let status, let after)? = course.events.last?.kind else {
            Issue.record("no event")
            return
        }
        #expect(status.reason == .outOfRange)
        #expect(after == .seconds(7))
        #expect(course.events.count == 2)
    }
}
