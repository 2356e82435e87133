import Domain

/// The segments of a recording, for formats that separate the times of a line from its positions.
///
/// A pause and a gap start a new segment. A segment takes 32 bytes.
struct TrackSegments {
    struct Segment {
        /// The moments of the first and the last position.
        var from: Int64
        var to: Int64
        /// The number of positions at the first moment that belong to the segment before.
        var skipped: Int
        /// The number of positions.
        var count: Int
    }

    private(set) var segments: [Segment] = []
    /// The numbers of seconds with position that have each value.
    private(set) var heartRates = 0
    private(set) var cadences = 0
    private(set) var powers = 0
    private(set) var temperatures = 0
    private(set) var balances = 0
    private(set) var speeds = 0
    private(set) var distances = 0
    private(set) var beats = 0
    private(set) var secondsWithoutPosition = 0

    init(_ rows: some RecordingRows) throws {
        var isBroken = true
        var lastMoment: Int64?
        var countAtLastMoment = 0
        try rows.each { row in
            switch row {
            case .begin, .segment: isBroken = true
            case .end, .lap, .autoPause, .autoResume: break
            case .beats(_, let rr, _): beats += rr.count
            case .sample(let sample):
                guard sample.position != nil else {
                    secondsWithoutPosition += 1
                    return
                }
                // Journals of earlier releases may hold rows twice, after a crash in a backdated run.
                if let lastMoment, sample.at < lastMoment { return }
                count(sample)
                if sample.at != lastMoment { countAtLastMoment = 0 }
                if isBroken {
                    segments.append(Segment(from: sample.at, to: sample.at, skipped: countAtLastMoment, count: 0))
                }
                isBroken = false
                segments[segments.count - 1].to = sample.at
                segments[segments.count - 1].count += 1
                lastMoment = sample.at
                countAtLastMoment += 1
            }
        }
    }

    private mutating func count(_ sample: RecordingSample) {
        if sample.heartRate != nil { heartRates += 1 }
        if sample.cadence != nil { cadences += 1 }
        if sample.power != nil { powers += 1 }
        if sample.temperature != nil { temperatures += 1 }
        if sample.leftBalance != nil { balances += 1 }
        if sample.speed != nil { speeds += 1 }
        if sample.distanceMetres != nil { distances += 1 }
    }

    /// Removes the segments with a single position and returns their number.
    mutating func removeLone() -> Int {
        let count = segments.count
        segments.removeAll { $0.count < 2 }
        return count - segments.count
    }

    /// Passes the seconds of a segment with a position to `body`, in order.
    func each(
        of segment: Segment, in rows: some RecordingRows, _ body: (RecordingSample, Coordinate) throws -> Void
    ) throws {
        var index = -segment.skipped
        try rows.each(in: segment.from...segment.to) { row in
            guard case .sample(let sample) = row, let position = sample.position else { return }
            if (0..<segment.count).contains(index) { try body(sample, position) }
            index += 1
        }
    }
}
