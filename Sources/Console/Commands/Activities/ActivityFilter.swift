package import Domain
package import Storage

/// Which activities to list, and whether to list their totals.
package struct ActivityFilter: Equatable {
    package enum Period: String, CaseIterable {
        case week, month, year
    }

    /// Nil for 20 activities, or for all totals.
    var limit: Int?
    /// Only activities that follow this one in the list.
    var before: ActivityReference?
    var sport: Sport?
    /// The first and the last day, in local time. Activities without a date are on none.
    var since: LocalDay?
    var until: LocalDay?
    /// Only activities that began before this day.
    var beforeDay: LocalDay?
    /// Where they passed by.
    var area: SearchArea?
    /// Metres, both included.
    var distances: ClosedRange<Double>?
    /// Nil for the activities themselves.
    var period: Period?
    /// Where they are.
    var place = RecordPlace.lists

    package init(
        limit: Int? = nil, before: ActivityReference? = nil, sport: Sport? = nil, since: LocalDay? = nil,
        until: LocalDay? = nil,
        beforeDay: LocalDay? = nil, area: SearchArea? = nil, distances: ClosedRange<Double>? = nil,
        period: Period? = nil, place: RecordPlace = .lists
    ) {
        self.limit = limit
        self.before = before
        self.sport = sport
        self.since = since
        self.until = until
        self.beforeDay = beforeDay
        self.area = area
        self.distances = distances
        self.period = period
        self.place = place
    }

    /// The number of activities that are read at once.
    private static let pageSize = 500

    /// Whether there is a condition beside `before`.
    var selects: Bool {
        sport != nil || since != nil || until != nil || beforeDay != nil || area != nil || distances != nil
    }

    /// The options that select, but for the end of the list.
    var options: [String] {
        [
            limit.map { "--limit \($0)" }, sport.map { "--sport \($0.rawValue)" }, since.map { "--since \($0.text)" },
            until.map { "--until \($0.text)" },
            area.map { "--near \($0.centre.text) --radius \(Int($0.radius))" },
            distances.flatMap { $0.lowerBound > 0 ? "--longer \(Int($0.lowerBound))m" : nil },
            distances.flatMap { $0.upperBound < .infinity ? "--shorter \(Int($0.upperBound))m" : nil },
            place == .trash ? "--trash" : nil,
        ].compactMap(\.self)
    }

    private func matches(_ sport: Sport, _ started: UTC?, metres: Double) -> Bool {
        if let wanted = self.sport, sport != wanted { return false }
        if let distances, !distances.contains(metres) { return false }
        if since == nil, until == nil, beforeDay == nil { return true }
        guard let started else { return false }
        if let since, started < since.start { return false }
        if let until, started >= until.next.start { return false }
        if let beforeDay, started >= beforeDay.start { return false }
        return true
    }

    /// The activities, newest first, at most `count`.
    func activities(of journal: JournalReader, atMost count: Int) throws -> [ActivitySummary] {
        let isNear = try passing(journal)
        var found: [ActivitySummary] = []
        var before = try before.map { try journal.number(of: $0) }
        while found.count < count {
            let size = selects ? Self.pageSize : min(Self.pageSize, count - found.count)
            let page = try journal.list(limit: size, before: before, in: place)
            found += page.filter { summary in
                matches(summary.sport, summary.started, metres: summary.total.distanceMetres)
                    && isNear?.contains(summary.id) ?? true
            }
            guard page.count == size, let last = page.last else { break }
            before = last.id
        }
        return Array(found.prefix(count))
    }

    /// The totals of the activities, newest first.
    func totals(of journal: JournalReader) throws -> [ActivityTotals] {
        let isNear = try passing(journal)
        return try journal.totals(before: before.map { try journal.number(of: $0) }).filter { totals in
            matches(totals.sport, totals.started, metres: totals.distanceMetres)
                && isNear?.contains(totals.id) ?? true
        }
    }

    /// The activities that passed through the area; nil without one.
    private func passing(_ journal: JournalReader) throws -> Set<Int>? {
        try area.map { area in
            let totals = try journal.totals().filter { totals in
                matches(totals.sport, totals.started, metres: totals.distanceMetres)
            }
            return try journal.activities(in: area, among: totals, in: journal.directory)
        }
    }

    /// The totals of each period and sport, newest period first.
    func totals(of activities: [ActivityTotals], by period: Period) -> [PeriodTotals] {
        var totals: [PeriodTotals] = []
        for activity in activities {
            let name = activity.started.map { Self.name(of: LocalDay(of: $0), period) } ?? PeriodTotals.undated
            let index =
                totals.firstIndex { $0.period == name && $0.sport == activity.sport }
                ?? {
                    totals.append(PeriodTotals(period: name, sport: activity.sport))
                    return totals.count - 1
                }()
            totals[index].activities += 1
            totals[index].distanceMetres += activity.distanceMetres
            totals[index].elapsedMilliseconds += activity.elapsedMilliseconds
        }
        // The names sort by time; activities without a date come last.
        return totals.sorted {
            if $0.period == $1.period { return $0.sport.rawValue < $1.sport.rawValue }
            if $0.period == PeriodTotals.undated || $1.period == PeriodTotals.undated {
                return $1.period == PeriodTotals.undated
            }
            return $0.period > $1.period
        }
    }

    private static func name(of day: LocalDay, _ period: Period) -> String {
        switch period {
        case .week: day.week
        case .month: day.yearAndMonth
        case .year: "\(day.year)"
        }
    }
}

/// The totals of the activities of one sport in a week, month or year.
struct PeriodTotals: Equatable {
    static let undated = "no date"

    /// `2026-W09`, `2026-03`, `2026`, or ``undated``.
    var period: String
    var sport: Sport
    var activities = 0
    var distanceMetres = 0.0
    var elapsedMilliseconds: Int64 = 0
}
