package import Domain

/// How long a recorded track is, from position to position, where its file does not say: pauses and gaps are no way.
package struct TrackLength: Sendable {
    package private(set) var metres = 0.0
    /// The file itself says how far it was at some of its samples.
    package private(set) var isSaid = false
    private var last: Coordinate?

    package init() {}

    package mutating func take(_ row: RecordingRow) {
        switch row {
        case .begin, .segment: last = nil
        case .sample(let sample):
            isSaid = isSaid || sample.distanceMetres != nil
            guard let position = sample.coordinate else { return }
            if let last { metres += last.metres(to: position) }
            last = position
        case .end, .beats, .lap: break
        }
    }
}
