package import Domain

/// Compares the samples of a file with those of an activity, as far as any format carries them: a sample a second, with its
/// position and heart rate. Moments count from the first sample, because GPX begins with the first position, and the start of
/// an activity can be edited.
package struct SampleComparison {
    private struct Sample {
        var at: Int64
        var position: Coordinate?
        var heartRate: Int?
    }

    private var samples: [Sample] = []
    private var positions = 0

    /// Formats round moments to a second, and positions to about a hundredth of a metre.
    private static let moments: Int64 = 1000
    private static let degrees = 1e-6
    /// FIT has one sample of each second: the share of those that a file may lack.
    private static let share = 0.02

    package init() {}

    package mutating func ingest(_ row: RecordingRow) {
        guard case .sample(let sample) = row else { return }
        if sample.coordinate != nil { positions += 1 }
        samples.append(Sample(at: sample.at, position: sample.coordinate, heartRate: sample.heartRate))
    }

    /// Whether each sample of a file is one of an activity, and hardly one is missing.
    ///
    /// - Parameter activity: the samples of the journal.
    package func isSame(as activity: SampleComparison) -> Bool {
        // GPX has no samples without a position.
        let hasPositions = positions > 0
        let file = hasPositions ? samples.filter { $0.position != nil } : samples
        let whole = hasPositions ? activity.samples.filter { $0.position != nil } : activity.samples
        guard let first = file.first, let begin = whole.first else { return file.isEmpty && whole.isEmpty }
        guard Double(whole.count - file.count) <= Double(whole.count) * Self.share else { return false }
        var next = 0
        return file.allSatisfy { sample in
            let at = sample.at - first.at
            while next < whole.count, whole[next].at - begin.at < at - Self.moments { next += 1 }
            var candidate = next
            while candidate < whole.count, whole[candidate].at - begin.at <= at + Self.moments {
                if Self.isSame(sample, whole[candidate]) { return true }
                candidate += 1
            }
            return false
        }
    }

    private static func isSame(_ one: Sample, _ other: Sample) -> Bool {
        guard one.heartRate == other.heartRate, (one.position == nil) == (other.position == nil) else { return false }
        guard let one = one.position, let other = other.position else { return true }
        return abs(one.latitude - other.latitude) <= degrees && abs(one.longitude - other.longitude) <= degrees
    }
}
