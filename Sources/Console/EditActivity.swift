package import Domain
import Glibc
import JSONCoding

/// A change of an activity. Nil keeps what it has.
package struct ActivityEdit: Equatable {
    var sport: Sport?
    var name: String?
    var started: UTC?

    package init(sport: Sport? = nil, name: String? = nil, started: UTC? = nil) {
        self.sport = sport
        self.name = name
        self.started = started
    }
}

extension Invocation {
    /// Changes an activity through the daemon.
    ///
    /// - Returns: the text to print.
    func perform(_ edit: ActivityEdit, of activity: ActivityReference) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let id = try control.number(of: activity)
        var parameters = JSONWriter()
        parameters.object { line in
            line.member("id", id)
            line.member("sport", edit.sport?.rawValue)
            line.member("name", edit.name)
            line.member("started", edit.started)
        }
        let result = try control.call("activities.edit", String(decoding: parameters.bytes, as: UTF8.self))
        if isJSON { return result + "\n" }
        return "Changed: " + summaryText(try? JSON(parsing: result.utf8), &control) + ".\n"
    }

    /// Deletes activities through the daemon, one after the other.
    ///
    /// - Parameter asks: if standard input and output are a terminal, each needs a confirmation.
    func delete(_ activities: [ActivityReference], asks: Bool) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let asks = asks && !isJSON && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        for activity in activities {
            let id = try control.number(of: activity)
            if asks {
                let whole = try? JSON(parsing: control.call("activities.get", "{\"id\":\(id)}").utf8)
                guard let summary = whole?["summary"] else { throw .noActivity(id) }
                try writeOut("Delete \(summaryText(summary, &control))? It cannot be restored. [y/N] ")
                guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
                    try writeOut("Activity \(id) is kept.\n")
                    continue
                }
            }
            let result = try control.call("activities.delete", "{\"id\":\(id)}")
            try writeOut(isJSON ? result + "\n" : "Deleted: activity \(id).\n")
        }
    }

    private func summaryText(_ summary: JSON?, _ control: inout ControlClient) -> String {
        guard let summary else { return "the activity" }
        let words = StatusText(metric: metric ?? control.metricSetting())
        return words.joined(
            summary["id"]?.integer.map { "activity \($0)" }, summary["name"]?.harmlessText(),
            summary["sport"]?.harmlessText(),
            summary["started"]?.string.flatMap(UTC.init(timestamp:)).map(StatusText.localTime),
            words.summary(StateLine.Figures(summary), averagePace: nil, nil))
    }
}
