import Domain
import JSONCoding
import Storage

extension Invocation {
    /// Lists the badges as a table with the next one, or as one object a line.
    func badges() throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let activities = try journal.totals().filter { $0.sport.isOnFoot && $0.counts }
            let standings = BadgeStanding.all(of: activities.reversed().map(BadgeStanding.Effort.init))
            if isJSON {
                var lines = JSONWriter()
                for standing in standings {
                    lines.badge(standing)
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            let started = Dictionary(uniqueKeysWithValues: activities.map { ($0.id, $0.started) })
            let words = StatusText(metric: metric ?? journal.isMetric)
            return words.badges(standings, started: started)
        } catch {
            throw state.failure(reading: error)
        }
    }
}

extension BadgeStanding.Effort {
    init(_ totals: ActivityTotals) {
        self.init(
            activity: totals.id, distanceMetres: totals.distanceMetres,
            elapsedMilliseconds: totals.elapsedMilliseconds)
    }
}

extension StatusText {
    /// A table of the badges, and a line about the next one.
    ///
    /// - Parameter started: when each activity began, by its number.
    func badges(_ standings: [BadgeStanding], started: [Int: UTC?]) -> String {
        func cell(_ effort: BadgeStanding.Effort?) -> String {
            guard let effort else { return "–" }
            let day = (started[effort.activity] ?? nil).map { " (" + String(Self.localTime($0).prefix(10)) + ")" }
            return "\(effort.activity)" + (day ?? "")
        }
        var table = TextTable([
            TextTable.Column(head: "BADGE"), TextTable.Column(head: "OVER", isNumber: true),
            TextTable.Column(head: "EARNED"), TextTable.Column(head: "SILVER"), TextTable.Column(head: "GOLD"),
            TextTable.Column(head: "BEST"), TextTable.Column(head: "PACE", isNumber: true),
        ])
        let earned = standings.filter { $0.earned != nil }
        for standing in earned {
            let pace = standing.best?.speed.map { rate(secondsPerMetre: 1 / $0, .run) }
            table.append([
                standing.badge.name, distance(standing.badge.distanceMetres), cell(standing.earned),
                cell(standing.silver), cell(standing.gold), cell(standing.best), pace ?? "–",
            ])
        }
        let next = standings.first { $0.earned == nil }.map {
            "Next: \($0.badge.name), for more than \(distance($0.badge.distanceMetres)) in one run, walk or hike."
        }
        let lines = earned.isEmpty ? ["No badge yet."] : table.lines
        return (lines + [next ?? "You have earned all badges."]).map { $0 + "\n" }.joined()
    }
}

extension JSONWriter {
    /// A badge with the activities that earned its grades.
    fileprivate mutating func badge(_ standing: BadgeStanding) {
        object { line in
            line.member("badge", standing.badge.name)
            line.member("distance_m", standing.badge.distanceMetres, decimals: 3)
            line.member("earned", standing.earned)
            line.member("silver", standing.silver)
            line.member("gold", standing.gold)
            line.member("best", standing.best)
        }
    }

    private mutating func member(_ key: String, _ effort: BadgeStanding.Effort?) {
        guard let effort else { return }
        object(key) { object in
            object.member("activity", effort.activity)
            object.member("distance_m", effort.distanceMetres, decimals: 2)
            object.member("elapsed_ms", effort.elapsedMilliseconds)
        }
    }
}
