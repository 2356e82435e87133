import Console
import Domain
import Testing

struct SampleComparisonTests {
    private static func samples(
        _ seconds: Range<Int>, shift: Int64 = 0, degrees: Double = 0, positions: Bool = true
    ) -> SampleComparison {
        var comparison = SampleComparison()
        for second in seconds {
            let at = Int64(second) * 1000 + shift
            var sample = RecordingSample(at: at, elapsedMilliseconds: at)
            sample.heartRate = 120 + second % 40
            if positions {
                sample.coordinate = Coordinate(latitude: 52 + degrees + Double(second) * 3e-5, longitude: 13)
            }
            comparison.ingest(.sample(sample))
        }
        return comparison
    }

    private let whole = samples(0..<600)

    @Test func roundedAndShiftedSamplesAreTheSame() {
        #expect(whole.isSame(as: whole))
        #expect(Self.samples(0..<600, shift: 5_000_123).isSame(as: whole))
        #expect(Self.samples(0..<600, degrees: 8e-7).isSame(as: whole))
        // FIT may lack the second sample of a second.
        #expect(Self.samples(0..<590).isSame(as: whole))
        let indoor = Self.samples(0..<600, positions: false)
        #expect(indoor.isSame(as: indoor))
    }

    @Test func otherSamplesAreNot() {
        #expect(!Self.samples(0..<500).isSame(as: whole))
        #expect(!Self.samples(0..<620).isSame(as: whole))
        #expect(!Self.samples(0..<600, degrees: 1e-4).isSame(as: whole))
        #expect(!Self.samples(1..<600).isSame(as: Self.samples(0..<600, positions: false)))
        #expect(!SampleComparison().isSame(as: whole) && !whole.isSame(as: SampleComparison()))
        #expect(SampleComparison().isSame(as: SampleComparison()))
    }
}
