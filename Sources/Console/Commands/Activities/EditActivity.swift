package import Domain
import JSONCoding

extension Command {
    static let edit = [
        Command(
            "rename", words: [.activity, .some("NAME", "a name after the number of the activity")], "name an activity",
            read: { arguments in
                let name = arguments.words.dropFirst().joined(separator: " ")
                return (try ActivityReference(word: arguments.words[0]), ActivityEdit(name: name))
            }, run: { try $0.perform($1.1, of: $1.0) }),
        Command(
            "edit", words: [.activity], options: [Options.sport, Options.name, Options.start],
            "correct the sport, the name or the start of an activity; TIME is local, such as '2026-03-01 07:30', or "
                + "ends in Z or an offset",
            read: { arguments in
                let edit = ActivityEdit(
                    sport: arguments[Options.sport], name: arguments[Options.name], started: arguments[Options.start])
                if edit == ActivityEdit() { throw Failure.usage("edit needs --sport, --name or --start") }
                return (try ActivityReference(word: arguments.words[0]), edit)
            }, run: { try $0.perform($1.1, of: $1.0) }),
    ]
}

extension Options {
    fileprivate static let start = time("--start", "when it began")
}

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

    func summaryText(_ summary: JSON?, _ control: inout ControlClient) -> String {
        guard let summary else { return "the activity" }
        let words = StatusText(metric: metric ?? control.metricSetting())
        return words.joined(
            summary["id"]?.integer.map { "activity \($0)" }, summary["name"]?.harmlessText(),
            summary["sport"]?.harmlessText(),
            summary["started"]?.string.flatMap(UTC.init(iso8601:)).map(StatusText.localTime),
            words.summary(ReceivedState.Figures(summary), averagePace: nil, nil))
    }
}
