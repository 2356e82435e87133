import Domain
import Pipeline
import Testing

@Suite struct VariabilityTests {
    private static func figures(_ intervals: [Double], bad: Int = 0) -> HeartRateVariability {
        var sums = VariabilitySums()
        var before: Double?
        for interval in intervals {
            sums.count(interval, after: before)
            before = interval
        }
        for _ in 0..<bad { sums.countBad() }
        return sums.figures(fewest: 2)
    }

    /// By hand: the differences are 10, −20, 60; the mean is 805.
    @Test func figuresInTheTimeDomainAreThoseOfTheirDefinitions() throws {
        let figures = Self.figures([800, 810, 790, 850])
        #expect(figures.meanInterval == 812.5)
        #expect(abs(try #require(figures.rmssd) - (4100.0 / 3).squareRoot()) < 1e-9)
        #expect(abs(try #require(figures.sdnn) - (2075.0 / 3).squareRoot()) < 1e-9)
        #expect(abs(try #require(figures.pnn50) - 100.0 / 3) < 1e-9)
        #expect(figures.artifactPercent == 0)
    }

    @Test func valuesAreHiddenAboveFivePercentOfArtefacts() {
        let intervals = (0..<95).map { 800 + Double($0 % 7) }
        #expect(Self.figures(intervals, bad: 5).rmssd != nil)
        let hidden = Self.figures(intervals, bad: 6)
        #expect(hidden.rmssd == nil && hidden.sdnn == nil && hidden.meanInterval == nil && hidden.pnn50 == nil)
        #expect(hidden.artifactPercent > 5)
    }

    @Test func constantIntervalsHaveNoExponentAndNoiseHasHalf() {
        var analysis = FluctuationAnalysis()
        let (flat, short) = (analysis.alpha1(of: Array(repeating: 800, count: 200)), analysis.alpha1(of: [800, 810]))
        #expect(flat == nil && short == nil)
        var noise: UInt64 = 7
        let intervals = (0..<4000).map { _ in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 800 + Double(noise >> 40) / Double(1 << 24) * 50
        }
        // Independent values have 0.5, their running sum 1.5; short scales bias the first a little.
        let white = analysis.alpha1(of: intervals) ?? 0
        #expect((0.45...0.65).contains(white), "\(white)")
        var sums: [Double] = [0]
        for interval in intervals { sums.append(sums[sums.count - 1] + interval - 825) }
        let walk = analysis.alpha1(of: sums) ?? 0
        #expect((1.35...1.65).contains(walk), "\(walk)")
    }

    @Test(
        arguments: [
            // An early beat and its pause; the one after is good again.
            ([800, 805, 560, 1040, 800, 802], [true, true, false, false, true, true]),
            // A missed beat.
            ([800, 805, 1605, 800, 802], [true, true, false, true, true]),
            // A new level after two that agree.
            ([800, 800, 500, 505, 502, 500], [true, true, false, false, true, true]),
            // Impossible intervals.
            ([800, 100, 800, 2500, 800], [true, false, true, false, true]),
            // In exercise 10 % are too much.
            ([400, 402, 440, 401, 403], [true, true, false, true, true]),
            ([800, 804, 880, 800, 806], [true, true, true, true, true]),
        ] as [([Double], [Bool])])
    func artefactsAreLeftOut(intervals: [Double], expected: [Bool]) {
        var filter = BeatFilter()
        #expect(intervals.map { filter.judge($0) } == expected)
    }

    // MARK: Live

    private static func swinging(_ beat: Int) -> UInt16 {
        UInt16(700 + beat % 5 * 8)
    }

    /// Sends a beat each interval, two in a notification; returns the number of sent beats.
    private static func send(_ seconds: Double, to run: inout ScriptedRun, from first: Int = 0) -> Int {
        var (beat, passed) = (first, 0.0)
        while passed < seconds {
            let intervals = [swinging(beat), swinging(beat + 1)]
            beat += 2
            let length = Double(Int(intervals[0]) + Int(intervals[1])) / 1024
            passed += length
            run.wait(.nanoseconds(Int64(length * 1e9)))
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 84, contact: true, rrIntervals: intervals)))
        }
        return beat
    }

    @Test func runHasTheVariabilityOfItsLastTwoMinutes() throws {
        var run = ScriptedRun()
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        var beat = Self.send(10, to: &run)
        #expect(run.state.activity?.variability?.rmssd == nil)
        beat = Self.send(40, to: &run, from: beat)
        let early = try #require(run.state.activity?.variability)
        #expect(early.rmssd != nil && early.alpha1 == nil && early.artifactPercent == 0)
        beat = Self.send(120, to: &run, from: beat)
        let figures = try #require(run.state.activity?.variability)
        // Four steps of 8 and one back of 32 units.
        let expected = ((4 * 64 + 1024) / 5.0).squareRoot() * 1000 / 1024
        #expect(abs(try #require(figures.rmssd) - expected) < 0.1)
        #expect(abs(try #require(figures.meanInterval) - 716 * 1000 / 1024) < 1)
        #expect(figures.alpha1 != nil && figures.pnn50 == 0)
        run.wait(.seconds(14))
        #expect(run.state.activity?.variability != nil)
        run.wait(.seconds(7))
        #expect(run.state.activity?.variability == nil)
    }

    @Test func stepIsFiveSecondsAndOffTheTick() throws {
        var run = ScriptedRun()
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        var moments: Set<Int64> = []
        var beat = 0
        for _ in 0..<40 {
            beat = Self.send(1, to: &run, from: beat)
            if let figures = run.state.activity?.variability { moments.insert(figures.measuredAt.milliseconds) }
        }
        let steps = zip(moments.sorted(), moments.sorted().dropFirst()).map { $1 - $0 }
        #expect(steps.count >= 6 && steps.allSatisfy { (5000..<7000).contains($0) }, "\(steps)")
    }

    @Test func beatsOfAPauseDoNotCount() throws {
        var run = ScriptedRun()
        run.receive(.heartLink(LinkStatus(.connected)))
        try run.begin()
        let beat = Self.send(60, to: &run)
        try run.perform(.pause)
        #expect(run.state.activity?.variability == nil)
        for _ in 0..<20 {
            run.wait(.seconds(1))
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 60, contact: true, rrIntervals: [1024])))
        }
        try run.perform(.resume)
        _ = Self.send(30, to: &run, from: beat)
        let figures = try #require(run.state.activity?.variability)
        #expect(abs(try #require(figures.meanInterval) - 716 * 1000 / 1024) < 1)
    }

    @Test func floodOfBeatsIsBounded() throws {
        var meter = VariabilityMeter()
        for round in 0..<2000 {
            meter.receive([1, 65_535, 300, 0], until: Instant(milliseconds: Int64(round)), gap: round % 3 == 0)
        }
        #expect(meter.figures?.rmssd == nil)
        meter.receive([700], until: Instant(milliseconds: -5_000_000), gap: true)
    }

    // MARK: Breath

    @Test(arguments: [10.0, 14, 18, 24, 28])
    func respirationIsTheRateOfTheSwing(perMinute: Double) throws {
        let figures = Self.breathing(perMinute, swing: 30, interval: 900)
        #expect(abs(try #require(figures.respiration) - perMinute) < 1, "\(figures)")
        #expect(figures.isRespirationGood)
    }

    @Test func respirationOfAnIrregularOrFastHeartIsPoor() {
        #expect(!Self.breathing(20, swing: 0.5, interval: 900).isRespirationGood)
        #expect(!Self.breathing(20, swing: 15, interval: 400).isRespirationGood)
    }

    private static func breathing(_ perMinute: Double, swing: Double, interval: Double) -> HeartRateVariability {
        var meter = VariabilityMeter()
        var now = 0.0
        while now < 150_000 {
            // A triangle wave has the same crossings as a sine.
            let phase = (now / 60_000 * perMinute).truncatingRemainder(dividingBy: 1)
            let length = interval + swing * (abs(phase - 0.5) * 4 - 1)
            now += length
            let units = UInt16((length * 1.024).rounded())
            meter.receive([units], until: Instant(nanoseconds: Int64(now * 1e6)), gap: false)
        }
        return meter.figures ?? HeartRateVariability()
    }

    // MARK: Recordings

    @Test func recordingHasTheFiguresOfItsActiveTime() throws {
        var recording = RecordingVariability()
        recording.ingest(.begin(at: 0, .command))
        #expect(recording.figures == nil)
        for second in 1...300 { recording.ingest(.beats(at: Int64(second * 1000), rr: [500, 524], gap: false)) }
        recording.ingest(.end(at: 300_500, .auto))
        for second in 301...400 { recording.ingest(.beats(at: Int64(second * 1000), rr: [1000], gap: false)) }
        recording.ingest(.begin(at: 400_500, .auto))
        for second in 401...500 { recording.ingest(.beats(at: Int64(second * 1000), rr: [500, 524], gap: false)) }
        let figures = try #require(recording.figures)
        #expect(figures.meanInterval == 500 && figures.artifactPercent == 0)
        #expect(abs(try #require(figures.rmssd) - 24 * 1000 / 1024) < 1e-9)
        #expect(figures.alpha1 != nil)
    }

    @Test func zoneTimesAreThoseBeforeTheSamples() throws {
        var times = RecordingZoneTimes(try Zones([100, 120, 140, 160, 180]))
        for (elapsed, rate) in [(0, 99), (1000, 100), (3000, 119), (20_000, 180), (21_000, nil), (22_000, 140)] {
            var sample = RecordingSample(at: Int64(elapsed) + 50, elapsedMilliseconds: Int64(elapsed))
            sample.heartRate = rate
            times.ingest(.sample(sample))
        }
        #expect(times.milliseconds == [0, 3000, 0, 1000, 0, 10_000])
    }
}
