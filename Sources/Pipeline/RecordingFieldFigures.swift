package import Domain

/// The averages and the extremes of the own fields of a recording, over its samples while the timer runs.
package struct RecordingFieldFigures: Sendable {
    private var figures: [OwnFieldFigures]
    private var means = OwnFieldMeans()
    private var lapMeans = OwnFieldMeans()
    /// The end of each lap but the last.
    private let lapEnds: [Int64]
    private var lap = 0
    private var timerRuns = false

    package init(_ recording: RecordedActivity) {
        figures = recording.fields.map { _ in OwnFieldFigures() }
        lapEnds = recording.laps.dropLast().map(\.endedAt)
    }

    package mutating func ingest(_ row: RecordingRow) {
        switch row {
        case .begin: timerRuns = true
        case .end: timerRuns = false
        case .sample(let sample):
            guard timerRuns, !figures.isEmpty else { return }
            while lap < lapEnds.count, lapEnds[lap] < sample.at { closeLap() }
            means.add(sample.fields)
            lapMeans.add(sample.fields)
            for (index, value) in sample.fields.enumerated() where index < figures.count {
                guard let value else { continue }
                figures[index].minimum = min(figures[index].minimum ?? value, value)
                figures[index].maximum = max(figures[index].maximum ?? value, value)
            }
        case .beats, .lap, .autoPause, .autoResume, .segment: break
        }
    }

    private mutating func closeLap() {
        let values = lapMeans.values
        for index in figures.indices { figures[index].lapAverages.append(index < values.count ? values[index] : nil) }
        lapMeans = OwnFieldMeans()
        lap += 1
    }

    /// Ends the recording: the figures of each field.
    package mutating func finish() -> [OwnFieldFigures] {
        while lap <= lapEnds.count { closeLap() }
        for (index, average) in means.values.enumerated() where index < figures.count {
            figures[index].average = average
        }
        return figures
    }
}
