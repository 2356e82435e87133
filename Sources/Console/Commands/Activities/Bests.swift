import Domain
import JSONCoding
import Storage
import Wire

extension Command {
    static let bests = [
        Command(
            "bests", options: [Options.sport, Options.since, Options.beforeDay],
            "list your personal bests in each sport, with the activity and the place in it where each began",
            read: { arguments in
                ActivityFilter(
                    sport: arguments[Options.sport], since: arguments[Options.since],
                    beforeDay: arguments[Options.beforeDay])
            }, run: { try $0.bests($1) })
    ]
}

extension Options {
    fileprivate static let beforeDay = day("--before", "the day after the last one")
}

extension Invocation {
    /// Lists the personal bests as a table, or as one object a line.
    func bests(_ filter: ActivityFilter) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let activities = Array(try filter.totals(of: journal).filter(\.counts).reversed())
            let bests = try journal.personalBests(of: activities, in: state.path)
            let named = Dictionary(uniqueKeysWithValues: activities.map { ($0.id, $0) })
            if isJSON {
                var lines = JSONWriter()
                for best in bests.all {
                    lines.best(best, of: named[best.activity])
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            if activities.isEmpty, filter.selects { return "No activity matches.\n" }
            let words = StatusText(metric: metric ?? journal.isMetric)
            return words.bests(bests.all, of: named)
        } catch {
            throw state.failure(reading: error)
        }
    }
}

extension JournalReader {
    /// The personal bests of activities, the oldest of which comes first.
    ///
    /// - Parameter directory: the state directory, which may have an index.
    func personalBests(of activities: [ActivityTotals], in directory: String) throws -> PersonalBests {
        var bests = PersonalBests()
        for (totals, efforts) in zip(activities, try self.bests(of: activities, in: directory)) {
            bests.add(totals.bests + efforts, of: totals.id, totals.sport)
        }
        return bests
    }
}

extension StatusText {
    /// A table of the personal bests.
    ///
    /// - Parameter activities: by their numbers.
    fileprivate func bests(_ bests: [PersonalBests.Best], of activities: [Int: ActivityTotals]) -> String {
        if bests.isEmpty { return "No best yet.\n" }
        var table = TextTable([
            TextTable.Column(head: "SPORT"), TextTable.Column(head: "BEST"),
            TextTable.Column(head: "VALUE", isNumber: true),
            TextTable.Column(head: "PACE", isNumber: true), TextTable.Column(head: "DATE"),
            TextTable.Column(head: "ACTIVITY", isNumber: true), TextTable.Column(head: "FROM", isNumber: true),
            TextTable.Column(head: "", isNumber: true),
        ])
        for best in bests {
            let effort = best.effort
            table.append([
                best.sport.rawValue, effort.kind.title, value(effort), pace(of: best),
                Self.day(activities[best.activity]?.started), "\(best.activity)",
                effort.elapsedMilliseconds.map(Self.duration) ?? "", effort.distanceMetres.map(distance) ?? "",
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }

    /// The pace or the speed of a best time; empty for other bests.
    func pace(of best: PersonalBests.Best) -> String {
        best.effort.kind.metres.map { rate(secondsPerMetre: best.effort.value / 1000 / $0, best.sport) } ?? ""
    }

    func value(_ effort: BestEffort) -> String {
        switch effort.kind {
        case .distance: distance(effort.value)
        case .ascent: RunFormat.height(metres: effort.value, metric: metric)
        case _ where effort.kind.seconds != nil: (DecimalFormat.text(effort.value, decimals: 0) ?? "--") + " W"
        default: Self.duration(Int64(effort.value.rounded()))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func best(_ best: PersonalBests.Best, of activity: ActivityTotals?) {
        object { line in
            line.member("sport", best.sport.rawValue)
            line.members(of: best.effort)
            line.member("activity", best.activity)
            line.member("uuid", activity?.uuid)
            line.member("started", activity?.started)
        }
    }
}
