import Domain

/// The fixes of a receiver on the track of a file: one a second, also between its samples, and standing ones while its timer
/// was stopped.
struct FilledTrack {
    var fixes: [Fix] = []
    /// How long the timer was stopped, in seconds.
    var pauses: [Double] = []

    /// The longest time between two samples that is a straight line, and the longest pause that is filled, in milliseconds.
    private static let longestLine: Int64 = 60_000
    private static let longestPause: Int64 = 3_600_000

    init(_ rows: [RecordingRow]) {
        var last: RecordingSample?
        var stoppedAt: Int64?
        for row in rows {
            switch row {
            case .end(let at, _): stoppedAt = at
            case .begin(let at, _):
                guard let stopped = stoppedAt else { continue }
                pauses.append(Double(at - stopped) / 1000)
                if let place = last?.coordinate, at - stopped <= Self.longestPause {
                    for moment in stride(from: stopped + 1000, to: at, by: 1000) { add(place, speed: 0, at: moment) }
                }
                stoppedAt = nil
                last = nil
            case .sample(let sample):
                guard let place = sample.coordinate else { continue }
                if let last { addLine(from: last, to: sample) }
                add(place, speed: sample.speed, at: sample.at)
                last = sample
            case .beats, .lap, .segment, .autoPause, .autoResume: break
            }
        }
    }

    private mutating func addLine(from before: RecordingSample, to sample: RecordingSample) {
        guard let from = before.coordinate, let place = sample.coordinate, sample.at - before.at <= Self.longestLine
        else { return }
        for moment in stride(from: before.at + 1000, to: sample.at, by: 1000) {
            let share = Double(moment - before.at) / Double(sample.at - before.at)
            let between = Coordinate(
                latitude: from.latitude + share * (place.latitude - from.latitude),
                longitude: from.longitude + share * (place.longitude - from.longitude))
            let speed = before.speed.flatMap { first in sample.speed.map { first + share * ($0 - first) } }
            add(between, speed: speed, at: moment)
        }
    }

    private mutating func add(_ place: Coordinate, speed: Double?, at moment: Int64) {
        fixes.append(
            Fix(
                arrivedAt: Instant(milliseconds: 1_000_150 + moment),
                time: UTC(milliseconds: 1_772_350_212_000 + moment), mode: 3, latitude: place.latitude,
                longitude: place.longitude, accuracy: 5, speed: speed))
    }
}
