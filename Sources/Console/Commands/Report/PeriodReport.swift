import Domain
import Glibc
import Report
import Storage

/// A report about the activities since a day.
package struct PeriodReportRequest: Equatable {
    var filter: ActivityFilter
    /// A file; nil for standard output.
    var output: String?
    var isForced = false

    package init(filter: ActivityFilter, output: String? = nil, isForced: Bool = false) {
        self.filter = filter
        self.output = output
        self.isForced = isForced
    }
}

extension Invocation {
    /// The most activities that a page lists.
    private static let listedActivities = 200

    /// Writes the page of several weeks or months to a file or to standard output.
    func report(_ request: PeriodReportRequest) throws(Failure) {
        try checkReport(output: request.output)
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let totals = try request.filter.totals(of: journal).filter(\.counts)
            guard let newest = totals.compactMap(\.started).max(), let oldest = totals.compactMap(\.started).min()
            else {
                throw Failure.failed("no activity matches, so there is nothing to report")
            }
            let words = StatusText(metric: metric ?? journal.isMetric)
            let days = [oldest, newest].map(StatusText.day)
            var page = PeriodPage(
                title: request.filter.sport.map { "Activities: " + $0.rawValue } ?? "Activities",
                subtitle: days[0] == days[1] ? days[0] : "\(days[0]) to \(days[1])")
            page.totals = words.totals(totals)
            page.tables = [ActivityFilter.Period.month, .week].map { period in
                words.table(period, request.filter.totals(of: totals, by: period))
            }
            let bests = try journal.personalBests(of: totals.reversed(), in: state.path)
            let started = Dictionary(uniqueKeysWithValues: totals.map { ($0.id, $0.started) })
            page.tables.append(words.table(bests.all, started: started))
            page.tables.append(words.table(BadgeStatus.all(of: try journal.totals()), started: started))
            let listed = try request.filter.activities(of: journal, atMost: Self.listedActivities)
                .filter { !$0.isOpen && !$0.isDemo }
            page.tables.append(words.table(listed))
            if listed.count < totals.count {
                page.notes.append("The newest \(listed.count) of \(totals.count) activities are listed.")
            }
            page.notes.append("Weeks begin on Monday; bars show the time. Bests are those of these activities.")
            try write(page.html, to: request.output, replaces: request.isForced)
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// - Throws: ``Failure`` with status 2 if a page cannot be written there.
    func checkReport(output: String?) throws(Failure) {
        if isJSON { throw .usage("a report is HTML; 'pacectl --json show' prints the figures") }
        if let output, output.lowercased().hasSuffix(".pdf") {
            throw .usage("a report is HTML: write it to a file such as report.html, and print that to PDF in a browser")
        }
        if output == nil, isatty(STDOUT_FILENO) == 1 {
            throw .usage("an HTML page is not written to a terminal: name a file with -o")
        }
    }

    func write(_ html: [UInt8], to output: String?, replaces: Bool) throws {
        guard let output else { return try writeOut(html) }
        try OutputFile(output, replaces: replaces).write { sink in
            let bytes = html
            try sink(bytes.span)
        }
    }
}

extension StatusText {
    fileprivate func totals(_ activities: [ActivityTotals]) -> [(name: String, value: String, unit: String)] {
        let metres = activities.reduce(0) { $0 + $1.distanceMetres }
        let time = activities.reduce(0) { $0 + $1.elapsedMilliseconds }
        let ascents = activities.compactMap(\.ascentMetres)
        var items = [
            ("Activities", "\(activities.count)", ""),
            (
                "Distance", RunFormat.distance(metres: metres, metric: metric),
                RunFormat.distanceUnit(metric: metric)
            ), ("Time", Self.duration(time), ""),
        ]
        if !ascents.isEmpty {
            let figures = RunFormat.heightFigures(metres: ascents.reduce(0, +), metric: metric)
            items.append(("Ascent", figures, RunFormat.heightUnit(metric: metric)))
        }
        return items
    }

    /// A row for each period and sport, oldest first.
    fileprivate func table(_ period: ActivityFilter.Period, _ totals: [PeriodTotals]) -> PeriodPage.Table {
        let totals = totals.filter { $0.period != PeriodTotals.undated }.reversed()
        let longest = Double(totals.map(\.elapsedMilliseconds).max() ?? 1)
        let name = period.rawValue.prefix(1).uppercased() + period.rawValue.dropFirst()
        return PeriodPage.Table(
            name + "s", [name, "Sport", "Number", "Distance", "Time"], totals.map(cells),
            bars: totals.map { longest > 0 ? Double($0.elapsedMilliseconds) / longest : 0 })
    }

    fileprivate func table(_ bests: [PersonalBests.Best], started: [Int: UTC?]) -> PeriodPage.Table {
        let rows = bests.map { best in
            return [
                best.effort.kind.title, best.sport.rawValue, value(best.effort), pace(of: best),
                Self.day(started[best.activity] ?? nil),
            ]
        }
        return PeriodPage.Table("Bests", ["Best", "Sport", "Value", "Pace", "Date"], rows)
    }

    /// The badges that the activities of `started` have earned.
    fileprivate func table(_ statuses: [BadgeStatus], started: [Int: UTC?]) -> PeriodPage.Table {
        let rows: [[String]] = statuses.compactMap { status in
            guard let earned = status.earned, let time = started[earned.activity] else { return nil }
            return [status.badge.name, distance(status.badge.distanceMetres), Self.day(time)]
        }
        return PeriodPage.Table("New badges", ["Badge", "Over", "Date"], rows)
    }

    fileprivate func table(_ activities: [ActivitySummary]) -> PeriodPage.Table {
        let rows = activities.map { summary in
            let cells = cells(summary, marks: [])
            let name = summary.name.map { TerminalText.cut($0.text, to: 32) } ?? ""
            return [Self.day(summary.started), cells[2], cells[3], cells[4], cells[5], cells[6], name]
        }
        return PeriodPage.Table(
            "Activities", ["Date", "Sport", "Distance", "Time", "Average", "Heart", "Name"], rows, isWide: true)
    }
}
