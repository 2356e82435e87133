import Domain
import JSONCoding
import Storage
import Wire

extension Command {
    static let activities = [
        Command(
            "activities",
            options: [
                Options.sport, Options.since, Options.until, Options.limit, Options.beforeActivity, Options.near,
                Options.radius, Options.longer, Options.shorter, Options.totals, Options.trash,
            ],
            "list recorded and imported activities, newest first, or their totals; DAY is a date such as 2026-03-01",
            read: { arguments in
                if arguments.has(Options.trash), arguments[Options.totals] != nil {
                    throw Failure.usage("what is in the trash has no totals: leave out --totals or --trash")
                }
                let near = arguments[Options.near]
                if near == nil, arguments[Options.radius] != nil {
                    throw Failure.usage("--radius needs --near: a position such as 42.5078,1.5211")
                }
                let (longer, shorter) = (arguments[Options.longer], arguments[Options.shorter])
                if let longer, let shorter, longer > shorter {
                    throw Failure.usage("no activity is longer than --longer and shorter than --shorter")
                }
                let distances = (longer ?? 0)...(shorter ?? .infinity)
                return ActivityFilter(
                    limit: arguments[Options.limit], before: arguments[Options.beforeActivity],
                    sport: arguments[Options.sport], since: arguments[Options.since], until: arguments[Options.until],
                    area: near.map { SearchArea(centre: $0, radius: Double(arguments[Options.radius] ?? 1000)) },
                    distances: longer == nil && shorter == nil ? nil : distances,
                    period: arguments[Options.totals], place: arguments.has(Options.trash) ? .trash : .lists)
            }, run: { try $0.activities($1) })
    ]
    static let show = [
        Command(
            "show", words: [.activity],
            "show totals, laps and time in zones of an activity, its route, elevation and heart rate; ID is a number, "
                + "or last for the newest activity",
            read: { arguments in try ActivityReference(word: arguments.words[0]) },
            run: { try $0.show($1) })
    ]
}

extension Options {
    fileprivate static let beforeActivity = CommandOption<ActivityReference>(
        "--before", word: "ID", "those that follow this one in the list", .activities(hasLast: false),
        needs: "the number or the uuid of an activity", parse: { try? ActivityReference(word: $0) })
    fileprivate static let near = position("--near", such: "42.5078,1.5211", "those that passed by")
    fileprivate static let longer = length("--longer", "the least distance")
    fileprivate static let shorter = length("--shorter", "the greatest distance")

    private static func length(_ name: String, _ text: String) -> CommandOption<Double> {
        CommandOption(
            name, word: "LENGTH", text, needs: "a length such as 10km, 800m or 6mi",
            parse: { RouteGoal.metres(of: $0, in: 0...10_000_000) })
    }

    static let trash = CommandOption.flag("--trash", "what is in the trash, in place of the list")
    fileprivate static let totals = CommandOption<ActivityFilter.Period>.choice("--totals", "the totals of each")
}

extension Invocation {
    /// The number of activities in a list without `--limit`.
    private static let listLimit = 20

    /// Lists activities, newest first, as a table or as summaries in the wire format; or their totals.
    func activities(_ filter: ActivityFilter) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            if let period = filter.period { return try totals(filter, by: period, journal) }
            let limit = filter.limit ?? Self.listLimit
            let list = try filter.activities(of: journal, atMost: limit + 1)
            let shown = list.prefix(limit)
            if isJSON {
                var lines = JSONWriter()
                for summary in shown {
                    lines.summary(summary)
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            let isWhole = filter.before == nil && !filter.selects && filter.place == .lists
            let recovery = isWhole ? try journal.recoveryLines() : []
            guard let last = shown.last else {
                if !recovery.isEmpty { return recovery.map { $0 + "\n" }.joined() }
                if filter.selects { return "No activity matches.\n" }
                if filter.place == .trash, filter.before == nil { return "No activity is in the trash.\n" }
                return try filter.before.map { "No activity before \(try journal.number(of: $0)).\n" }
                    ?? "No activity yet: 'pacectl start' starts one, 'pacectl import FILE' imports one.\n"
            }
            let notes = try journal.notes(from: shown.map(\.id).min() ?? last.id)
            var table = TextTable(StatusText.activityColumns)
            let words = StatusText(metric: metric ?? journal.isMetric)
            for summary in shown {
                table.append(words.cells(summary, marks: Self.marks(summary, notes[summary.id])))
            }
            let next = (["pacectl activities"] + filter.options + ["--before \(last.id)"]).joined(separator: " ")
            let more = list.count > limit ? ["Older ones: '\(next)'."] : []
            return (table.lines + more + recovery).map { $0 + "\n" }.joined()
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// The totals of each period, as a table or as one object a line.
    private func totals(
        _ filter: ActivityFilter, by period: ActivityFilter.Period, _ journal: JournalReader
    ) throws -> String {
        let totals = filter.totals(of: try filter.totals(of: journal), by: period)
            .prefix(filter.limit ?? .max)
        if isJSON {
            var lines = JSONWriter()
            for total in totals {
                lines.object { line in
                    if total.period != PeriodTotals.undated { line.member(period.rawValue, total.period) }
                    line.member("sport", total.sport.rawValue)
                    line.member("activities", total.activities)
                    line.member("distance_m", total.distanceMetres, decimals: 2)
                    line.member("elapsed_ms", total.elapsedMilliseconds)
                }
                lines.newline()
            }
            return String(decoding: lines.bytes, as: UTF8.self)
        }
        if totals.isEmpty { return "No activity matches.\n" }
        let words = StatusText(metric: metric ?? journal.isMetric)
        var table = TextTable([
            TextTable.Column(head: period.rawValue.uppercased()), TextTable.Column(head: "SPORT"),
            TextTable.Column(head: "ACTIVITIES", isNumber: true), TextTable.Column(head: "DISTANCE", isNumber: true),
            TextTable.Column(head: "TIME", isNumber: true),
        ])
        for total in totals { table.append(words.cells(total)) }
        return table.lines.map { $0 + "\n" }.joined()
    }

    private static func marks(_ summary: ActivitySummary, _ note: ActivityNote?) -> [String] {
        [
            summary.isOpen ? "open" : nil, note?.isImported == true ? "imported" : nil, summary.isDemo ? "demo" : nil,
            summary.isTimeGuessed ? "time guessed" : nil,
            summary.recovered.map(StatusText.recovered), note?.name.map { TerminalText.cut($0.text, to: 32) },
        ].compactMap(\.self)
    }

    /// Prints one activity.
    func show(_ activity: ActivityReference) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let id = try journal.number(of: activity)
            guard var recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
                throw journal.noActivity(id)
            }
            let figures = try RowFigures(of: &recording, journal.rows(of: id), journal)
            recording.weather = try journal.startWeather(of: recording)
            if isJSON {
                var line = JSONWriter()
                line.activity(
                    summary, recording, figures.variability, figures.bests, fields: figures.fields, limit: .max)
                line.newline()
                return String(decoding: line.bytes, as: UTF8.self)
            }
            let isMetric = metric ?? journal.isMetric
            let drawing = try RecordingDrawing(journal.rows(of: id), metric: isMetric, .ofStandardOutput)
            return StatusText(metric: isMetric)
                .report(
                    recording, figures.variability, figures.bests, figures.fields, isOpen: summary.isOpen,
                    gaps: summary.gaps,
                    recovered: summary.recovered) + drawing.lines.map { $0 + "\n" }.joined()
        } catch {
            throw state.failure(reading: error)
        }
    }
}

extension JournalReader {
    /// Why the lists have no activity of this number.
    func noActivity(_ id: Int) -> Failure {
        if (try? summary(of: id, in: .trash)) != nil {
            return .failed("activity \(id) is in the trash: 'pacectl restore \(id)' takes it out")
        }
        return .failed("activity \(id) does not exist; 'pacectl activities' lists all activities")
    }
}
