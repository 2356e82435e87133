import Domain
import Foundation
import Pipeline
import TestKit
import Testing

@Suite struct GradeAdjustedPaceTests {
    private static let speed = 3.0

    /// Runs at 3 m/s with the pressure of an altitude for each distance; noise in metres.
    private func run(
        _ sport: Sport = .run, seconds: Int, indoor: Bool = false, noise: Double = 0, seed: UInt64 = 1,
        altitude: ((Double) -> Double)?
    ) throws -> ScriptedRun {
        var run = ScriptedRun()
        var random = SeededRandom(seed: seed)
        let board = SensorStatus(.board, kinds: [.environment], link: LinkStatus(.connected))
        run.receive(.sensor(board))
        try run.perform(.start(sport, indoor: indoor))
        for second in 1...seconds {
            if second == seconds / 2 { try run.perform(.lap) }
            if let altitude {
                let metres = altitude(run.metres) + noise * random.normal()
                let pascals = 101_325 * pow(1 - metres / 44_330.77, 1 / 0.190_263)
                run.receive(
                    .measurement(
                        .board, .environment(EnvironmentMeasurement(decipascals: UInt32((pascals * 10).rounded())))))
            }
            run.run(seconds: 1, speed: Self.speed)
        }
        return run
    }

    private static func isNear(_ one: Double?, _ other: Double, part: Double) -> Bool {
        one.map { abs($0 - other) < other * part } ?? false
    }

    /// Up at 10 %, and down again.
    private static func hill(_ metres: Double) -> Double {
        100 + (metres <= 900 ? metres : 1800 - metres) / 10
    }

    @Test(arguments: [0.0, 0.05, 0.1, -0.1, -0.2]) func paceOnASlopeIsThatOfTheFormula(gradient: Double) throws {
        let run = try run(seconds: 120) { 500 + $0 * gradient }
        let activity = try #require(run.activity)
        let pace = try #require(activity.pace)
        let adjusted = pace * 3.6 / GradeAdjustment.cost(at: gradient)
        #expect(Self.isNear(activity.gradeAdjustedPace, adjusted, part: 0.02))
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func averageOverAHillIsThatOfTheFormula(seed: UInt64) throws {
        let run = try run(seconds: 600, noise: 0.2, seed: seed, altitude: Self.hill)
        let activity = try #require(run.activity)
        let (up, down) = (GradeAdjustment.cost(at: 0.1), GradeAdjustment.cost(at: -0.1))
        let pace = try #require(activity.total.averagePace)
        #expect(Self.isNear(activity.total.gradeAdjustedPace, pace * 3.6 / ((up + down) / 2), part: 0.03))
        let (first, second) = (try #require(activity.lastLap), activity.lap)
        #expect(Self.isNear(first.gradeAdjustedPace, try #require(first.averagePace) * 3.6 / up, part: 0.06))
        #expect(Self.isNear(second.gradeAdjustedPace, try #require(second.averagePace) * 3.6 / down, part: 0.06))
    }

    @Test func onALevelCourseItIsThePace() throws {
        let run = try run(seconds: 120) { _ in 100 }
        let activity = try #require(run.activity)
        for (adjusted, pace) in [
            (activity.gradeAdjustedPace, activity.pace), (activity.total.gradeAdjustedPace, activity.total.averagePace),
            (activity.lap.gradeAdjustedPace, activity.lap.averagePace),
        ] {
            #expect(Self.isNear(adjusted, try #require(pace), part: 1e-9))
        }
    }

    @Test func summaryHasTheAverage() throws {
        var run = try run(.hike, seconds: 120) { 500 + $0 / 10 }
        let total = try #require(run.activity).total
        guard case .ended(let summary) = try run.perform(.stop) else {
            Issue.record("the run has not ended")
            return
        }
        #expect(summary.total.gradeAdjustedPace == total.gradeAdjustedPace && total.gradeAdjustedPace != nil)
    }

    @Test func withoutAltitudeOnRidesAndIndoorsItIsAbsent() throws {
        for run in [
            try run(seconds: 120, altitude: nil), try run(.ride, seconds: 120) { 500 + $0 / 10 },
            try run(seconds: 120, indoor: true) { 500 + $0 / 10 },
        ] {
            let activity = try #require(run.activity)
            #expect(activity.gradeAdjustedPace == nil && activity.total.gradeAdjustedPace == nil)
            #expect(activity.lap.gradeAdjustedPace == nil)
        }
    }

    @Test func importedFileHasTheAverage() throws {
        var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 0))
        recording.altitudeSource = .barometer
        recording.totalMilliseconds = 600_000
        recording.total.elapsedMilliseconds = 600_000
        recording.total.distanceMetres = 1800
        recording.laps = [(Int64(0), Int64(300_000)), (300_000, 600_000)].map {
            var figures = Totals()
            figures.elapsedMilliseconds = 300_000
            figures.distanceMetres = 900
            return RecordingLap(trigger: $0.0 == 0 ? .command : nil, beganAt: $0.0, endedAt: $0.1, figures: figures)
        }
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        for second in 0...600 {
            var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
            sample.distanceMetres = 3 * Double(second)
            sample.altitude = Self.hill(3 * Double(second))
            rows.append(.sample(sample))
        }
        rows.append(.end(at: 600_000, .command))
        var survey = FileSurvey()
        for row in rows { survey.ingest(row) }
        for sport in [Sport.run, .ride] {
            var read = recording
            read.sport = sport
            var figures = FileFigures(read, survey)
            for row in rows { _ = figures.ingest(row) }
            figures.finish(&read)
            guard sport == .run else {
                #expect(read.total.gradeAdjustedPace == nil)
                continue
            }
            let (up, down) = (GradeAdjustment.cost(at: 0.1), GradeAdjustment.cost(at: -0.1))
            #expect(Self.isNear(read.total.gradeAdjustedPace, 3.6 / ((up + down) / 2) / 3, part: 0.03))
            #expect(Self.isNear(read.laps[0].figures.gradeAdjustedPace, 3.6 / up / 3, part: 0.06))
            #expect(Self.isNear(read.laps[1].figures.gradeAdjustedPace, 3.6 / down / 3, part: 0.06))
        }
    }
}
