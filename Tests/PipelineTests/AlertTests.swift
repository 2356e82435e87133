import Domain
import Pipeline
import TestKit
import Testing

@Suite struct AlertTests {
    private static func settings(_ alerts: [String], zones: Bool = false) throws -> Settings {
        var settings = Settings()
        settings.alerts = try alerts.map { try #require(Alert($0)) }
        if zones { settings.zones = try Zones([100, 120, 140, 160, 180]) }
        return settings
    }

    /// The reports with the second of the run in which each came.
    private static func reports(_ run: ScriptedRun) -> [(second: Int64, report: AlertReport)] {
        run.events.compactMap { event in
            guard case .alert(let report) = event.kind else { return nil }
            return ((event.at.milliseconds - ScriptedRun.start.milliseconds) / 1000, report)
        }
    }

    /// A run with one heart rate a second.
    private static func run(_ beats: [Int], _ settings: Settings) throws -> ScriptedRun {
        var run = ScriptedRun(settings)
        try run.begin()
        for value in beats {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: UInt16(value))))
            run.wait(.seconds(1))
        }
        return run
    }

    @Test func rangeIsLeftAfterThreeSecondsAndEnteredByTheHysteresis() throws {
        let beats =
            Array(repeating: 150, count: 5) + Array(repeating: 170, count: 20) + Array(repeating: 164, count: 20)
            + Array(repeating: 160, count: 10)
        let reports = Self.reports(try Self.run(beats, Self.settings(["heart_rate 120..165"])))
        #expect(reports.map(\.report.state) == [.high, .within])
        #expect(reports.map(\.second) == [9, 49])
        #expect(reports[0].report.value == 170)
        #expect(reports[0].report.range == TargetRange(.heartRate, low: 120, high: 165))
    }

    /// The value has come back below the limit when the report is due, but not by the hysteresis.
    @Test(arguments: [(RunRules.shownValues, 147.0), (.powerLimit, 144)])
    func alertHasTheValueThatSetItOff(rules: RunRules, value: Double) throws {
        var run = ScriptedRun(try Self.settings(["heart_rate ..145"]))
        var snapshot = run.pipeline.snapshot
        snapshot.rules = rules
        run.pipeline = Pipeline(snapshot)
        try run.begin()
        for beats in [147, 146, 144, 144, 144, 144] as [UInt16] {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: beats)))
            run.wait(.seconds(1))
        }
        #expect(Self.reports(run).map(\.report.value) == [value])
    }

    @Test func aPeakOfTwoSecondsIsNoAlert() throws {
        let beats = (0..<20).flatMap { _ in [150, 150, 150, 170, 170] }
        #expect(Self.reports(try Self.run(beats, Self.settings(["heart_rate ..165"]))).isEmpty)
    }

    @Test(arguments: 1...20)
    func reportsOfAKindAreTenSecondsApart(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var beats: [Int] = []
        while beats.count < 600 {
            beats += Array(
                repeating: Int.random(in: 100...190, using: &random), count: .random(in: 1...8, using: &random))
        }
        let alerts = ["heart_rate 130..165", "zone 2..3", "time 10 s"]
        let reports = Self.reports(try Self.run(beats, Self.settings(alerts, zones: true)))
        for kind in [Alert.Kind.heartRate, .zone, .time] {
            let seconds = reports.filter { $0.report.kind == kind }.map(\.second)
            #expect(seconds.count > 10)
            #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 >= 10 }, "\(kind)")
        }
    }

    @Test func stateThatLastsIsReportedWhenTheTenSecondsAreOver() throws {
        let beats = Array(repeating: 170, count: 5) + Array(repeating: 140, count: 30)
        let reports = Self.reports(try Self.run(beats, Self.settings(["heart_rate ..165"])))
        #expect(reports.map(\.report.state) == [.high, .within])
        #expect(reports[1].second == reports[0].second + 10)
    }

    @Test func missingValueIsNoAlert() throws {
        var run = try Self.run(Array(repeating: 170, count: 2), Self.settings(["heart_rate ..165", "power 200.."]))
        run.wait(.seconds(60))
        #expect(Self.reports(run).isEmpty)
    }

    @Test func distancesAndTimesAreReportedAtEachMultiple() throws {
        var run = ScriptedRun(try Self.settings(["distance 100 m", "time 30 s"]))
        run.fix(speed: 4)
        try run.begin()
        run.run(seconds: 80, speed: 4)
        let reports = Self.reports(run)
        #expect(reports.filter { $0.report.kind == .distance }.map(\.report.value) == [100, 200, 300])
        #expect(reports.filter { $0.report.kind == .time }.map(\.report.value) == [30, 60])
        #expect(reports.allSatisfy { $0.report.state == .reached })
    }

    @Test func paceIsSlowOrFast() throws {
        var run = ScriptedRun(try Self.settings(["pace 4:00..5:00 /km"]))
        run.fix(speed: 3.7)
        try run.begin()
        run.run(seconds: 30, speed: 3.7)
        #expect(Self.reports(run).isEmpty)
        run.run(seconds: 30, speed: 2.5)
        run.run(seconds: 30, speed: 5)
        #expect(Self.reports(run).map(\.report.state) == [.low, .high])
    }

    @Test func lostPositionIsReportedOnceAndItsReturn() throws {
        var run = ScriptedRun(try Self.settings(["position_lost"]))
        try run.begin()
        run.wait(.seconds(30))
        #expect(Self.reports(run).isEmpty, "a position that was never there is not lost")
        run.run(seconds: 10, speed: 3)
        run.wait(.seconds(60))
        run.run(seconds: 10, speed: 3)
        let reports = Self.reports(run)
        #expect(reports.map(\.report.state) == [.lost, .back])
        // The position is fresh for 5 s after its last fix.
        #expect((54...56).contains(reports[0].second))
    }

    @Test func lostSensorsAreReportedOneAfterTheOther() throws {
        var rider = Rider(try Self.settings(["sensor_lost"]))
        rider.hasWheel = false
        rider.connect(Rider.powerMeter, [.cyclingPower])
        rider.connect(Rider.radar, [.radar])
        rider.connect(Rider.trainer, [.fitnessMachine], .connecting)
        try rider.run.perform(.start(.ride, indoor: true))
        rider.ride(seconds: 5, speed: 0)
        rider.connect(Rider.powerMeter, [.cyclingPower], .connecting)
        rider.connect(Rider.radar, [.radar], .connecting)
        rider.ride(seconds: 40, speed: 0)
        rider.connect(Rider.powerMeter, [.cyclingPower])
        rider.ride(seconds: 5, speed: 0)
        let reports = Self.reports(rider.run)
        #expect(reports.map(\.report.state) == [.lost, .lost, .back])
        #expect(reports.map(\.report.sensor) == [.cyclingPower, .radar, .cyclingPower])
        #expect(reports[1].second - reports[0].second == 10)
    }

    @Test func pausedRunHasNoAlerts() throws {
        var run = try Self.run(Array(repeating: 150, count: 5), Self.settings(["heart_rate ..165"]))
        try run.perform(.pause)
        for _ in 0..<30 {
            run.receive(.heart(HeartRateMeasurement(beatsPerMinute: 180)))
            run.wait(.seconds(1))
        }
        #expect(Self.reports(run).isEmpty)
    }
}
