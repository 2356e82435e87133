import Domain
import Linux
import Report
import Storage

extension Command {
    static let report = [
        Command(
            "report", words: [.optional("ID", .activities())],
            options: [
                Options.output, Options.force, Options.hide, Options.since, Options.until, Options.sport,
                Options.language, Options.timeZone,
            ],
            "write one HTML page with the map, charts, splits and laps of an activity, which hides the positions within "
                + "200 m, or METRES, around start and end; or with --since in the place of an ID, the months, weeks, "
                + "bests and new badges of the activities from that day on",
            read: { arguments in try ReportChoice(arguments) },
            run: { invocation, choice in
                switch choice {
                case .activity(let request): try invocation.report(request)
                case .period(let request): try invocation.report(request)
                }
            })
    ]
}

extension Options {
    fileprivate static let language = CommandOption<ReportLanguage>.choice("--language", "the language of the page")
    fileprivate static let timeZone = CommandOption(
        "--time-zone", word: "ZONE", "the time zone of the start", needs: "a time zone such as Europe/Berlin",
        parse: { zone in Machine.withTimeZone(zone) { zone } })
}

/// What a report is about.
package enum ReportChoice: Equatable {
    case activity(ReportRequest)
    case period(PeriodReportRequest)

    /// - Throws: ``Failure`` with status 2 if words and options do not fit together.
    fileprivate init(_ arguments: Arguments) throws(Failure) {
        let (output, isForced) = (arguments.file, arguments.has(Options.force))
        let filter = ActivityFilter(
            sport: arguments[Options.sport], since: arguments[Options.since], until: arguments[Options.until])
        let hide = arguments[Options.hide]
        guard filter == ActivityFilter() else {
            guard arguments.words.isEmpty, filter.since != nil else {
                throw .usage("report needs the number or the uuid of an activity, or --since DAY without a number")
            }
            if arguments[Options.language] != nil { throw .usage("a report with --since is in English only") }
            if hide != nil { throw .usage("a report with --since has no positions to hide") }
            self = .period(PeriodReportRequest(filter: filter, output: output, isForced: isForced))
            return
        }
        guard let word = arguments.words.first else {
            throw .usage("report needs the number or the uuid of an activity, or last")
        }
        var request = ReportRequest(
            activity: try ActivityReference(word: word), output: output, isForced: isForced)
        request.hide = hide ?? request.hide
        request.language = arguments[Options.language] ?? request.language
        request.timeZone = arguments[Options.timeZone]
        self = .activity(request)
    }
}

/// What `pacectl report` writes, and where to.
package struct ReportRequest: Equatable {
    var activity: ActivityReference
    /// A file; nil for standard output.
    var output: String?
    var isForced = false
    /// The radius in which positions are hidden, in metres; 0 for none.
    var hide = 200
    var language = ReportLanguage.english
    /// A name such as Europe/Berlin; nil for that of the machine.
    var timeZone: String?

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
            guard let recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
                throw journal.noActivity(id)
            }
            let html: [UInt8]
            let rows = try journal.rows(of: id)
            let extent = try TrackExtent(rows)
            if extent.metres == 0, !extent.frame.isEmpty {
                html = try page(
                    of: recording, summary, MeasuredRows(rows: rows, recording: recording), request, journal)
            } else {
                html = try page(of: recording, summary, rows, request, journal)
            }
            try write(html, to: request.output, replaces: request.isForced)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw state.failure(reading: error)
        }
    }

    private func page(
        of recording: RecordedActivity, _ summary: ActivitySummary, _ rows: some RecordingRows,
        _ request: ReportRequest, _ journal: JournalReader
    ) throws -> [UInt8] {
        guard let hidden = try HiddenRows(rows, of: journal, radius: request.hide), hidden.hasPositions else {
            var recording = recording
            // The station is near the start, also without a position.
            if request.hide == 0 { recording.weather = try journal.startWeather(of: recording) }
            return try page(of: recording, summary, shown: rows, hidden: nil, request, journal)
        }
        let visible = try hidden.header(of: recording, hidden: request.hide)
        return try page(of: visible, summary, shown: hidden, hidden: request.hide, request, journal)
    }

    private static func localTime(_ time: UTC, in zone: String?) -> String {
        zone.flatMap { Machine.withTimeZone($0) { StatusText.localTime(time) } } ?? StatusText.localTime(time)
    }

    private func page(
        of recording: RecordedActivity, _ summary: ActivitySummary, shown rows: some RecordingRows, hidden: Int?,
        _ request: ReportRequest, _ journal: JournalReader
    ) throws -> [UInt8] {
        var recording = recording
        let figures = try RowFigures(of: &recording, rows, journal)
        var page = ReportPage(
            recording, gaps: summary.gaps, metric: metric ?? journal.isMetric,
            started: recording.isTimeUncertain ? nil : Self.localTime(recording.started, in: request.timeZone))
        page.variability = figures.variability
        page.variabilityPoints = figures.variabilityPoints
        page.bests = figures.bests
        page.fieldFigures = figures.fields
        page.isOpen = summary.isOpen
        page.recovered = summary.recovered.map(StatusText.recovered)
        page.hidden = hidden
        page.language = request.language
        return try page.html(rows)
    }
}
