import Domain
import Glibc
import JSONCoding
import Storage

extension Command {
    static let trash = [
        Command(
            "delete", words: [.any("ID...", .activities())], options: [Options.demo, Options.atOnce, Options.force],
            "put activities in the trash, or those that demos recorded; --now erases them for good, and asks on a terminal",
            read: { arguments -> (activities: [ActivityReference]?, deletion: Deletion) in
                let activities = try arguments.words.map { word throws(Failure) in try ActivityReference(word: word) }
                let isDemo = arguments.has(Options.demo)
                if isDemo, let word = arguments.words.first {
                    throw Failure.usage("unexpected argument '\(word)' after 'delete'")
                }
                if !isDemo, activities.isEmpty {
                    throw Failure.usage("delete needs the number or the uuid of an activity, or last")
                }
                let deletion = Deletion(isNow: arguments.has(Options.atOnce), asks: !arguments.has(Options.force))
                return (isDemo ? nil : activities, deletion)
            },
            run: { invocation, choice in
                if let activities = choice.activities {
                    try invocation.delete(activities, choice.deletion)
                } else {
                    try invocation.deleteDemos(choice.deletion)
                }
            }),
        Command(
            "restore", words: [.some("ID...", "the number or the uuid of an activity in the trash")],
            "take activities out of the trash",
            read: { arguments in
                try arguments.words.map { word throws(Failure) in try ActivityReference(word: word) }
            }, run: { try $0.restore($1) }),
        Command(
            "trash", words: [.optional("list", .words(["list"]))],
            "list the activities and the courses in the trash, which erases them after 30 days", read: { _ in },
            run: { invocation, _ -> String in try invocation.trash() }),
        Command(
            "trash empty", options: [Options.force], "erase what is in the trash for good; asks on a terminal",
            read: { !$0.has(Options.force) }, run: { try $0.emptyTrash(asks: $1) }),
    ]
}

extension Options {
    fileprivate static let demo = CommandOption.flag("--demo", "those that demos recorded")
    static let atOnce = CommandOption.flag("--now", "erase for good, without the trash")
}

/// How something is deleted.
package struct Deletion: Equatable {
    /// Whether it is erased at once, and not put in the trash.
    var isNow: Bool
    /// Whether the erasure needs a confirmation if standard input and output are a terminal.
    var asks: Bool

    package init(isNow: Bool, asks: Bool) {
        self.isNow = isNow
        self.asks = asks
    }
}

extension Invocation {
    /// Deletes activities through the daemon, one after the other; none if one of them does not exist.
    fileprivate func delete(_ activities: [ActivityReference], _ deletion: Deletion) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let trash = deletion.isNow ? try control.activities(ofTrash: true) : []
        var found: [(id: Int, summary: JSON?)] = []
        for activity in activities {
            let id = try control.number(of: activity)
            if found.contains(where: { $0.id == id }) { continue }
            if let summary = trash.first(where: { $0["id"]?.integer == id }) {
                found.append((id, summary))
                continue
            }
            do throws(Failure) {
                let activity = try control.call("activities.get", "{\"id\":\(id)}")
                found.append((id, (try? JSON(parsing: activity.utf8))?["summary"]))
            } catch {
                guard error.status == .failed, activities.count > 1 else { throw error }
                throw .failed("activity \(id): \(error.sentence); nothing is deleted")
            }
        }
        for (id, summary) in found {
            if deletion.isNow, deletion.asks,
                try !confirms("Erase \(summaryText(summary, &control))? It cannot be restored.")
            {
                try writeOut("Activity \(id) is kept.\n")
                continue
            }
            try delete(id, deletion, &control)
        }
    }

    /// Deletes the activities that demos have recorded, but for the one that is on. Asks once for all.
    fileprivate func deleteDemos(_ deletion: Deletion) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        var demos = try control.activities().filter { $0["demo"]?.bool == true && $0["open"]?.bool != true }
        if deletion.isNow {
            demos += try control.activities(ofTrash: true).filter { $0["demo"]?.bool == true }
        }
        let numbers = demos.compactMap { $0["id"]?.integer }
        if numbers.isEmpty { throw .failed("no activity of the demo has ended here: nothing is deleted") }
        let names = numbers.count == 1 ? "activity \(numbers[0])" : "\(numbers.count) activities"
        let question = "Erase \(names) of the demo? They cannot be restored."
        if deletion.isNow, deletion.asks, try !confirms(question) { return }
        for id in numbers { try delete(id, deletion, &control) }
    }

    private func delete(_ id: Int, _ deletion: Deletion, _ control: inout ControlClient) throws(Failure) {
        let result = try control.call(deletion.isNow ? "activities.delete" : "activities.trash", "{\"id\":\(id)}")
        let text =
            deletion.isNow
            ? "Erased: activity \(id).\n"
            : "In the trash: activity \(id). 'pacectl restore \(id)' takes it out.\n"
        try writeOut(isJSON ? result + "\n" : text)
    }

    fileprivate func restore(_ activities: [ActivityReference]) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        for activity in activities {
            // The newest of the list is not in the trash.
            if activity == .last { throw .usage("restore needs a number or a uuid: 'pacectl trash' lists them") }
            let id =
                if case .uuid(let prefix) = activity { "\"\(prefix)\"" } else { "\(try control.number(of: activity))" }
            let result = try control.call("activities.restore", "{\"id\":\(id)}")
            let text = "Restored: " + summaryText(try? JSON(parsing: result.utf8), &control) + ".\n"
            try writeOut(isJSON ? result + "\n" : text)
        }
    }

    /// The activities and the courses in the trash, as two tables or as the lines of both lists.
    fileprivate func trash() throws(Failure) -> String {
        let activities = try self.activities(ActivityFilter(limit: .max - 1, place: .trash))
        let courses = try courseList(in: .trash)
        if isJSON { return activities + courses }
        let journal = try StateDirectory(stateDirectory).journal()
        do {
            let hasActivities = try !journal.list(limit: 1, in: .trash).isEmpty
            let hasCourses = try !journal.courses(limit: 1, in: .trash).isEmpty
            if !hasActivities, !hasCourses { return "The trash is empty.\n" }
            return (hasActivities ? activities : "") + (hasActivities && hasCourses ? "\nCourses:\n" : "")
                + (hasCourses ? courses : "")
        } catch {
            throw StateDirectory(stateDirectory).failure(reading: error)
        }
    }

    fileprivate func emptyTrash(asks: Bool) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        if asks, try !confirms("Erase everything in the trash? It cannot be restored.") { return }
        let result = try control.call("trash.empty")
        let erased = try? JSON(parsing: result.utf8)
        func count(_ number: Int, _ one: String, _ more: String) -> String { "\(number) \(number == 1 ? one : more)" }
        let text = [
            count(erased?["activities"]?.integer ?? 0, "activity", "activities"),
            count(erased?["courses"]?.integer ?? 0, "course", "courses"),
        ].joined(separator: ", ")
        try writeOut(isJSON ? result + "\n" : "Erased: \(text).\n")
    }

    /// Asks on a terminal; elsewhere the answer is yes.
    func confirms(_ question: String) throws(Failure) -> Bool {
        guard !isJSON, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return true }
        try writeOut(question + " [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}

extension ControlClient {
    /// The summaries of all activities, newest first: those of the list or of the trash.
    fileprivate mutating func activities(ofTrash: Bool = false) throws(Failure) -> [JSON] {
        var activities: [JSON] = []
        var before: Int?
        repeat {
            let older = before.map { ",\"before\":\($0)" } ?? ""
            let page = try call("activities.list", "{\"limit\":100,\"trash\":\(ofTrash)\(older)}")
            let list = (try? JSON(parsing: page.utf8))?.array ?? []
            activities += list
            before = list.last?["id"]?.integer
        } while before != nil
        return activities
    }
}
