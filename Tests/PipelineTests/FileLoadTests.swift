import Domain
import Pipeline
import Testing

/// Energy and training impulse of imported recordings.
@Suite struct FileLoadTests {
    /// An hour with a heart rate each `step` seconds and two laps.
    private func figures(
        step: Int = 1, settings: Settings = .ofABody, stated: Double? = nil, rate: Int? = 150
    ) -> RecordedActivity {
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        for second in stride(from: 0, through: 3600, by: step) {
            var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
            sample.heartRate = rate
            rows.append(.sample(sample))
        }
        rows.append(.end(at: 3_600_000, .command))
        var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 0))
        recording.totalMilliseconds = 3_600_000
        recording.total.elapsedMilliseconds = 3_600_000
        recording.laps = [(Int64(0), Int64(1_200_000)), (1_200_000, 3_600_000)].map {
            var figures = Totals()
            figures.elapsedMilliseconds = $0.1 - $0.0
            return RecordingLap(trigger: $0.0 == 0 ? .command : nil, beganAt: $0.0, endedAt: $0.1, figures: figures)
        }
        recording.adoptEnergy(stated, ofLaps: stated == nil ? [] : [100, nil])
        var survey = FileSurvey()
        for row in rows { survey.ingest(row) }
        var figures = FileFigures(recording, survey)
        figures.settings = settings
        for row in rows { _ = figures.ingest(row) }
        figures.finish(&recording)
        return recording
    }

    private static func isNear(_ one: Double?, _ other: Double, _ bound: Double) -> Bool {
        one.map { abs($0 - other) < bound } ?? false
    }

    @Test(arguments: [1, 5, 10]) func fileHasTheFiguresOfARun(step: Int) throws {
        let recording = figures(step: step)
        #expect(Self.isNear(recording.total.energyKilocalories, 60 * 15.18, 1))
        #expect(Self.isNear(recording.total.trainingImpulse, 100.4, 0.1))
        for (index, part) in [1.0 / 3, 2.0 / 3].enumerated() {
            let lap = recording.laps[index].figures
            #expect(Self.isNear(lap.energyKilocalories, 60 * 15.18 * part, 1))
            #expect(Self.isNear(lap.trainingImpulse, 100.4 * part, 0.1))
        }
    }

    @Test func aHeartRateCountsForTenSecondsAtMost() throws {
        #expect(Self.isNear(figures(step: 60).total.trainingImpulse, 100.4 / 6, 0.1))
    }

    @Test func energyOfTheFileStays() throws {
        let recording = figures(stated: 700)
        #expect(recording.total.energyKilocalories == 700)
        #expect(recording.laps.map(\.figures.energyKilocalories) == [100, nil])
        #expect(Self.isNear(recording.total.trainingImpulse, 100.4, 0.1))
    }

    @Test func figureWithoutSettingsOrHeartRatesIsAbsent() throws {
        for recording in [figures(settings: Settings()), figures(rate: nil)] {
            for figures in [recording.total] + recording.laps.map(\.figures) {
                #expect(figures.energyKilocalories == nil && figures.trainingImpulse == nil)
            }
        }
    }
}
