import Domain
import Pipeline

/// The rows of a recording that states no distances, with the distances that its positions give.
///
/// They are those of ``TrackDistance``, which gave the recording its total.
struct MeasuredRows<Rows: RecordingRows>: RecordingRows {
    let rows: Rows
    let recording: RecordedActivity

    func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        var track = TrackDistance(recording)
        // A sample has the distance that is known at the next one.
        var waiting: [RecordingRow] = []
        func passOn() throws {
            for row in waiting where moments.contains(row.at) {
                guard case .sample(var sample) = row else {
                    try body(row)
                    continue
                }
                sample.distanceMetres = track.metresBefore
                try body(.sample(sample))
            }
            waiting.removeAll(keepingCapacity: true)
        }
        try rows.each(in: 0...moments.upperBound) { row in
            track.ingest(row)
            if case .sample = row { try passOn() }
            waiting.append(row)
        }
        track.finish()
        try passOn()
    }
}
