import Domain
import Pipeline
import Testing

@Suite struct TrackHoleTests {
    /// A heart rate of the moment of a position shows its tick at once.
    @Test(arguments: [nil, 150])
    func `The metres of a hole belong to no sample before it`(heartRate: Int?) {
        let recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 1_700_000_000_000))
        var bests = RecordingBests(recording)
        var track = TrackDistance(recording)
        bests.ingest(.begin(at: 0, .command))
        track.ingest(.begin(at: 0, .command))
        for second in Array(0...600) + Array(1200...1800) {
            var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
            sample.heartRate = heartRate
            sample.coordinate = Coordinate(
                latitude: 48 + Double(second) * 3 / Coordinate.metresPerDegree, longitude: 13)
            bests.ingest(.sample(sample))
            track.ingest(.sample(sample))
            let before = second == 1200 ? 600 : max(second - 1, 0)
            #expect(abs(track.metresBefore - Double(before) * 3) <= 1, "\(second) s")
        }
        for effort in bests.finish() {
            #expect(abs(effort.value - (effort.kind.metres ?? 0) / 3 * 1000) <= 500, "\(effort.kind)")
        }
    }
}
