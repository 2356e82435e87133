package import Domain
import Glibc
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
    static let delete = [
        Command(
            "delete", words: [.any("ID...", .activities())], options: [Options.demo, Options.force],
            "delete activities, or those that demos recorded; asks on a terminal",
            read: { arguments -> (activities: [ActivityReference]?, asks: Bool) in
                let activities = try arguments.words.map { word throws(Failure) in try ActivityReference(word: word) }
                let isDemo = arguments.has(Options.demo)
                if isDemo, let word = arguments.words.first {
                    throw Failure.usage("unexpected argument '\(word)' after 'delete'")
                }
                if !isDemo, activities.isEmpty {
                    throw Failure.usage("delete needs the number or the uuid of an activity, or last")
                }
                return (isDemo ? nil : activities, !arguments.has(Options.force))
            },
            run: { invocation, choice in
                if let activities = choice.activities {
                    try invocation.delete(activities, asks: choice.asks)
                } else {
                    try invocation.deleteDemos(asks: choice.asks)
                }
            })
    ]
}

extension Options {
    fileprivate static let start = time("--start", "when it began")
    fileprivate static let demo = CommandOption.flag("--demo", "those that demos recorded")
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

    /// Deletes activities through the daemon, one after the other; none if one of them does not exist.
    ///
    /// - Parameter asks: if standard input and output are a terminal, each needs a confirmation.
    func delete(_ activities: [ActivityReference], asks: Bool) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        var found: [(id: Int, summary: JSON?)] = []
        for activity in activities {
            let id = try control.number(of: activity)
            if found.contains(where: { $0.id == id }) { continue }
            do throws(Failure) {
                let activity = try control.call("activities.get", "{\"id\":\(id)}")
                found.append((id, (try? JSON(parsing: activity.utf8))?["summary"]))
            } catch {
                guard error.status == .failed, activities.count > 1 else { throw error }
                throw .failed("activity \(id): \(error.message); nothing is deleted")
            }
        }
        for (id, summary) in found {
            if asks, try !confirms("Delete \(summaryText(summary, &control))? It cannot be restored.") {
                try writeOut("Activity \(id) is kept.\n")
                continue
            }
            try delete(id, &control)
        }
    }

    /// Deletes the activities that demos have recorded, but for the one that is on.
    ///
    /// - Parameter asks: as of ``delete(_:asks:)``, once for all.
    func deleteDemos(asks: Bool) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        var demos: [Int] = []
        var before: Int?
        repeat {
            let older = before.map { ",\"before\":\($0)" } ?? ""
            let page = try control.call("activities.list", "{\"limit\":100\(older)}")
            let list = (try? JSON(parsing: page.utf8))?.array ?? []
            let ended = list.filter { $0["demo"]?.bool == true && $0["open"]?.bool != true }
            demos += ended.compactMap { $0["id"]?.integer }
            before = list.last?["id"]?.integer
        } while before != nil
        if demos.isEmpty { throw .failed("no activity of the demo has ended here: nothing is deleted") }
        let names = demos.count == 1 ? "activity \(demos[0])" : "\(demos.count) activities"
        if asks, try !confirms("Delete \(names) of the demo? They cannot be restored.") { return }
        for id in demos { try delete(id, &control) }
    }

    private func delete(_ id: Int, _ control: inout ControlClient) throws(Failure) {
        let result = try control.call("activities.delete", "{\"id\":\(id)}")
        try writeOut(isJSON ? result + "\n" : "Deleted: activity \(id).\n")
    }

    /// Asks on a terminal; elsewhere the answer is yes.
    private func confirms(_ question: String) throws(Failure) -> Bool {
        guard !isJSON, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return true }
        try writeOut(question + " [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    private func summaryText(_ summary: JSON?, _ control: inout ControlClient) -> String {
        guard let summary else { return "the activity" }
        let words = StatusText(metric: metric ?? control.metricSetting())
        return words.joined(
            summary["id"]?.integer.map { "activity \($0)" }, summary["name"]?.harmlessText(),
            summary["sport"]?.harmlessText(),
            summary["started"]?.string.flatMap(UTC.init(iso8601:)).map(StatusText.localTime),
            words.summary(ReceivedState.Figures(summary), averagePace: nil, nil))
    }
}
