import Domain
import Pipeline
import TestKit
import Testing

/// Distance that a recording states.
struct StatedDistanceTests {
    private static let started = UTC(milliseconds: 1_772_350_212_300)

    /// A track to the north at 3 m/s by position, whose samples state another distance.
    private func rows(_ metres: [Double], everySeconds step: Int64 = 1, isIndoor: Bool = false) -> [RecordingRow] {
        let samples = metres.enumerated().map { index, metres in
            let at = Int64(index) * step * 1000
            var sample = RecordingSample(at: at, elapsedMilliseconds: at)
            sample.distanceMetres = metres
            if !isIndoor {
                sample.coordinate = Coordinate(latitude: 52.5 + Double(at) * 3e-3 / 111_267, longitude: 13.4)
            }
            return RecordingRow.sample(sample)
        }
        let end = Int64(metres.count - 1) * step * 1000
        return [.begin(at: 0, .command)] + samples + [.end(at: end, .command)]
    }

    private func replay(_ rows: [RecordingRow], isIndoor: Bool = false, laps ends: [Int64] = []) -> [Event.Kind] {
        var recording = RecordedActivity(sport: .run, started: Self.started)
        recording.isIndoor = isIndoor
        recording.laps = ends.map { RecordingLap(trigger: .command, beganAt: 0, endedAt: $0, figures: Totals()) }
        var source = RecordingReplaySource(recording, sport: nil)
        var replay = Replay(source.snapshot)
        var kinds: [Event.Kind] = []
        func take(_ entry: InputLogEntry) {
            replay.apply(entry) { _, effects in
                for case .event(let event) in effects.outputs { kinds.append(event.kind) }
            }
        }
        for row in rows { source.ingest(row, take) }
        source.finish(take)
        return kinds
    }

    private func distance(_ kinds: [Event.Kind]) -> Double? {
        if case .stop(let summary)? = kinds.last { summary.total.distanceMetres } else { nil }
    }

    @Test func statedDistanceReplacesThatOfPositions() {
        #expect(distance(replay(rows((0...100).map { Double($0) * 2.5 }))) == 250)
    }

    @Test func indoorSessionHasTheStatedDistance() {
        let metres = (0...100).map { Double($0) * 2.5 }
        #expect(distance(replay(rows(metres, isIndoor: true), isIndoor: true)) == 250)
    }

    @Test func distanceOfALapEndsAtItsSample() {
        let kinds = replay(rows((0...100).map { Double($0) * 2.5 }), laps: [40_000, 100_000])
        let laps = kinds.compactMap { if case .lap(let figures, _, _) = $0 { figures.distanceMetres } else { nil } }
        #expect(laps == [100])
    }

    @Test func rareSamplesCountWhole() {
        #expect(distance(replay(rows((0...10).map { Double($0) * 30 }, everySeconds: 10))) == 300)
    }

    @Test func impossibleStepCountsNothing() throws {
        let metres = (0...100).map { Double($0) * 2.5 + ($0 > 50 ? 5000 : 0) }
        #expect(abs(try #require(distance(replay(rows(metres)))) - 247.5) < 1e-9)
    }

    @Test func distanceThatFallsCountsNothing() {
        let metres = (0...100).map { Double($0 == 50 ? 0 : $0) * 2.5 }
        #expect(distance(replay(rows(metres))) == 250)
    }

    @Test func figuresEqualThoseOfAnImport() throws {
        let metres: [Double] = (0...600).map { second in 2.9 * Double(second) + 0.37 * Double(second % 7) }
        var recording = RecordedActivity(sport: .run, started: Self.started)
        recording.total.distanceMetres = try #require(metres.last)
        var imported = FileDistance(recording, isStated: true)
        for row in rows(metres) { _ = imported.ingest(row) }
        imported.finish(&recording)
        #expect(abs(try #require(distance(replay(rows(metres)))) - recording.total.distanceMetres) < 0.005)
    }
}
