import Domain
import Report
import Storage

/// What `pacectl report` writes, and where to.
package struct ReportRequest: Equatable {
    var activity: ActivityReference
    /// A file; nil for standard output.
    var output: String?
    var isForced = false
    /// The radius in which positions are hidden, in metres; 0 for none.
    var hide = 200

    package init(activity: ActivityReference, output: String? = nil, isForced: Bool = false, hide: Int = 200) {
        self.activity = activity
        self.output = output
        self.isForced = isForced
        self.hide = hide
    }
}

extension Invocation {
    /// Writes the page of an activity to a file or to standard output.
    func report(_ request: ReportRequest) throws(Failure) {
        try checkReport(output: request.output)
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let id = try journal.number(of: request.activity)
            guard var recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
                throw Failure.noActivity(id)
            }
            let figures = try RowFigures(of: &recording, journal)
            recording.weather = try journal.startWeather(of: recording)
            recording.weather?.isPlaceHidden = request.hide > 0
            let html: [UInt8]
            let rows = try journal.rows(of: id)
            let extent = try TrackExtent(rows)
            if extent.metres == 0, !extent.frame.isEmpty {
                html = try page(
                    of: recording, summary, figures, MeasuredRows(rows: rows, recording: recording), request, journal)
            } else {
                html = try page(of: recording, summary, figures, rows, request, journal)
            }
            try write(html, to: request.output, replaces: request.isForced)
        } catch {
            throw state.failure(reading: error)
        }
    }

    private func page(
        of recording: RecordedActivity, _ summary: ActivitySummary, _ figures: RowFigures,
        _ rows: some RecordingRows, _ request: ReportRequest, _ journal: JournalReader
    ) throws -> [UInt8] {
        var page = ReportPage(
            recording, gaps: summary.gaps, metric: metric ?? journal.isMetric,
            started: recording.isTimeUncertain ? nil : StatusText.localTime(recording.started))
        page.variability = figures.variability
        page.variabilityPoints = figures.variabilityPoints
        page.bests = figures.bests
        page.isOpen = summary.isOpen
        page.recovered = summary.recovered.map(StatusText.recovered)
        guard let hidden = try HiddenRows(rows, radius: request.hide), hidden.hasPositions else {
            return try page.html(rows)
        }
        page.recording.laps = hidden.visible(recording.laps)
        page.hidden = request.hide
        return try page.html(hidden)
    }
}
