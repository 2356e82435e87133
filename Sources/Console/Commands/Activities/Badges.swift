import Domain
import JSONCoding
import Storage

extension Command {
    static let badges = [
        Command(
            "badges", "list the badges that your runs, walks and hikes have earned, and the next one",
            run: { try $0.badges() })
    ]
}

extension Invocation {
    /// Lists the badges as a table with the next one, or as one object a line.
    func badges() throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let activities = try journal.totals()
            let statuses = BadgeStatus.all(of: activities)
            let named = Dictionary(uniqueKeysWithValues: activities.map { ($0.id, $0) })
            if isJSON {
                var lines = JSONWriter()
                for status in statuses {
                    lines.badge(status, of: named)
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            let words = StatusText(metric: metric ?? journal.isMetric)
            return words.badges(statuses, of: named)
        } catch {
            throw state.failure(reading: error)
        }
    }
}

extension BadgeStatus {
    /// - Parameter activities: all recorded activities, the newest first. Those on foot that are over count.
    static func all(of activities: [ActivityTotals]) -> [BadgeStatus] {
        all(of: activities.reversed().filter { $0.sport.isOnFoot && $0.counts }.map(Effort.init))
    }
}

extension BadgeStatus.Effort {
    fileprivate init(_ totals: ActivityTotals) {
        self.init(
            activity: totals.id, distanceMetres: totals.distanceMetres,
            elapsedMilliseconds: totals.elapsedMilliseconds)
    }
}

extension StatusText {
    /// A table of the badges, and a line about the next one.
    ///
    /// - Parameter activities: by their numbers.
    func badges(_ statuses: [BadgeStatus], of activities: [Int: ActivityTotals]) -> String {
        func cell(_ effort: BadgeStatus.Effort?) -> String {
            guard let effort else { return "–" }
            let day = activities[effort.activity]?.started.map { " (\(Self.day($0)))" }
            return "\(effort.activity)" + (day ?? "")
        }
        var table = TextTable([
            TextTable.Column(head: "BADGE"), TextTable.Column(head: "OVER", isNumber: true),
            TextTable.Column(head: "EARNED"), TextTable.Column(head: "SILVER"), TextTable.Column(head: "GOLD"),
            TextTable.Column(head: "BEST"), TextTable.Column(head: "PACE", isNumber: true),
        ])
        let earned = statuses.filter { $0.earned != nil }
        for status in earned {
            let pace = status.best?.speed.map { rate(secondsPerMetre: 1 / $0, .run) }
            table.append([
                status.badge.name, distance(status.badge.distanceMetres), cell(status.earned),
                cell(status.silver), cell(status.gold), cell(status.best), pace ?? "–",
            ])
        }
        let next = statuses.first { $0.earned == nil }.map {
            "Next: \($0.badge.name), for more than \(distance($0.badge.distanceMetres)) in one run, walk or hike."
        }
        let lines = earned.isEmpty ? ["No badge yet."] : table.lines
        return (lines + [next ?? "You have earned all badges."]).map { $0 + "\n" }.joined()
    }
}

extension JSONWriter {
    /// A badge with the activities that earned its grades.
    fileprivate mutating func badge(_ status: BadgeStatus, of activities: [Int: ActivityTotals]) {
        object { line in
            line.member("badge", status.badge.name)
            line.member("distance_m", status.badge.distanceMetres, decimals: 3)
            let grades = [
                ("earned", status.earned), ("silver", status.silver), ("gold", status.gold), ("best", status.best),
            ]
            for case (let grade, let effort?) in grades {
                line.object(grade) { object in
                    object.member("activity", effort.activity)
                    object.member("uuid", activities[effort.activity]?.uuid)
                    object.member("started", activities[effort.activity]?.started)
                    object.member("distance_m", effort.distanceMetres, decimals: 2)
                    object.member("elapsed_ms", effort.elapsedMilliseconds)
                }
            }
        }
    }
}
