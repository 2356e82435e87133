import Domain
import Glibc
import JSONCoding
import Linux
import Storage

extension Command {
    static let upload = [
        Command(
            "upload", words: [.any("ID...", .activities())], options: [Options.service, Options.since],
            others: [Options.linkDirectory],
            "upload activities to the services of paced-link.conf, those that are not there: the last one, or those "
                + "since a day; waits up to a minute",
            read: { arguments in
                let activities = try arguments.words.map { word throws(Failure) in try ActivityReference(word: word) }
                if !activities.isEmpty, arguments[Options.since] != nil {
                    throw Failure.usage("upload takes the numbers of activities or --since")
                }
                return UploadCommand(arguments, activities)
            }, run: { try $0.upload($1) }),
        Command(
            "upload status", words: [.optional("ID", .activities())], others: [Options.linkDirectory],
            "show where an activity is, at each service; without ID the newest uploads",
            read: { arguments in
                let activity = try arguments.words.first.map { word throws(Failure) in try ActivityReference(word: word)
                }
                return UploadCommand(arguments, activity.map { [$0] } ?? [])
            }, run: { try $0.uploadStatus($1) }),
        Command(
            "upload login", words: [.one("NAME", "the name of a service, as in [Upload NAME]")],
            others: [Options.linkDirectory],
            "authorise paced-link at Strava or FitTrackee: prints an address to open, and reads the one that the browser ends at; as root",
            read: { arguments in (arguments.words[0], arguments[Options.linkDirectory]) },
            run: { try $0.uploadLogin($1.0, $1.1) }),
    ]
}

extension Options {
    fileprivate static let service = CommandOption.text("--to", "NAME", "only to this service", needs: "a name")
}

/// `pacectl upload`: activities at the services of paced-link.
package struct UploadCommand {
    var activities: [ActivityReference]
    var since: LocalDay?
    var service: String?
    /// The directory of the socket; nil for the default.
    var directory: String?

    fileprivate init(_ arguments: Arguments, _ activities: [ActivityReference]) {
        self.activities = activities
        since = arguments[Options.since]
        service = arguments[Options.service]
        directory = arguments[Options.linkDirectory]
    }

    /// The most activities of a request, and of those that are waited for.
    static let requestLimit = 100
    static let awaitedLimit = 10
    static let patience = Duration.seconds(60)

    /// Whether an upload may change by itself soon.
    static func isUnderWay(_ upload: JSON) -> Bool {
        switch upload["state"]?.string {
        case "sending", "processing": true
        case "waiting": upload["reason"] == nil
        default: false
        }
    }

    func client() throws(Failure) -> ControlClient {
        try ControlClient(path: RuntimeDirectory.linkSocket(directory), of: .pacedLink)
    }

    static func uploads(_ result: String) throws(Failure) -> [JSON] {
        guard let uploads = (try? JSON(parsing: result.utf8))?["uploads"]?.array else {
            throw .failed("the response of paced-link is not valid JSON")
        }
        return uploads
    }

    static func text(of uploads: [JSON], _ numbers: [String: Int]) -> String {
        var table = TextTable([
            .init(head: "ACTIVITY", isNumber: true), .init(head: "TO"), .init(head: "STATE"),
            .init(head: "NEXT TRY"), .init(head: "WHERE, WHY"),
        ])
        for upload in uploads {
            let uuid = upload["activity"]?.harmlessText(limit: 36) ?? ""
            table.append([
                numbers[uuid].map { "\($0)" } ?? uuid, upload["to"]?.harmlessText(limit: 32) ?? "",
                upload["state"]?.harmlessText(limit: 16) ?? "",
                upload["next_try_ms"]?.integer.map { "in \(($0 + 999) / 1000) s" } ?? "",
                (upload["url"] ?? upload["reason"])?.harmlessText(limit: 256) ?? "",
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }
}

extension Invocation {
    fileprivate func upload(_ command: UploadCommand) throws(Failure) -> String {
        let chosen = try chosen(command)
        var client = try command.client()
        var all: [JSON] = []
        for start in stride(from: 0, to: chosen.count, by: UploadCommand.requestLimit) {
            let uuids = chosen[start...].prefix(UploadCommand.requestLimit)
            var line = JSONWriter(capacity: 4096)
            line.object { line in
                line.array("activities") { line in for activity in uuids { line.value("\(activity.uuid)") } }
                line.member("to", command.service)
            }
            let text = String(decoding: line.bytes, as: UTF8.self)
            all += try UploadCommand.uploads(try client.call("link.upload", text))
        }
        let end = Clock.now() + UploadCommand.patience
        while chosen.count <= UploadCommand.awaitedLimit, all.contains(where: UploadCommand.isUnderWay),
            Clock.now() < end
        {
            usleep(300_000)
            all = []
            for activity in chosen { all += try uploads(of: activity.uuid, command.service, &client) }
        }
        let numbers = Dictionary(uniqueKeysWithValues: chosen.map { ("\($0.uuid)", $0.id) })
        let failed = all.count { ["refused", "unknown"].contains($0["state"]?.string) }
        let text = isJSON ? Self.encoded(all) : UploadCommand.text(of: all, numbers)
        if failed == 0 { return text }
        try writeOut(text)
        throw .failed("\(failed) of \(all.count) uploads did not succeed")
    }

    private func uploads(
        of uuid: UUID, _ service: String?, _ client: inout ControlClient
    ) throws(Failure) -> [JSON] {
        try UploadCommand.uploads(try client.call("link.uploads", #"{"activity":"\#(uuid)"}"#))
            .filter { service == nil || $0["to"]?.string == service }
    }

    private static func encoded(_ uploads: [JSON]) -> String {
        var line = JSONWriter(capacity: 4096)
        line.object { line in line.array("uploads") { line in for upload in uploads { line.value(upload) } } }
        line.newline()
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// The activities, oldest first.
    private func chosen(_ command: UploadCommand) throws(Failure) -> [(uuid: UUID, id: Int)] {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            var found: [ActivitySummary] = []
            for reference in command.activities {
                let id = try journal.number(of: reference)
                guard let summary = try journal.summary(of: id) else { throw journal.noActivity(id) }
                found.append(summary)
            }
            if command.activities.isEmpty {
                found = try ActivityFilter(since: command.since).activities(of: journal, atMost: .max)
                    .filter { !$0.isOpen && !$0.isDemo }
                found = command.since == nil ? Array(found.prefix(1)) : found.reversed()
            }
            if found.isEmpty {
                throw command.since == nil ? Failure.noActivityYet : .failed("no activity since that day")
            }
            return found.compactMap { summary in summary.uuid.map { ($0, summary.id) } }
        } catch {
            throw state.failure(reading: error)
        }
    }

    fileprivate func uploadStatus(_ command: UploadCommand) throws(Failure) -> String {
        var client = try command.client()
        guard !command.activities.isEmpty else {
            let result = try client.call("link.uploads")
            return isJSON
                ? result + "\n" : UploadCommand.text(of: try UploadCommand.uploads(result), numbers(in: result))
        }
        let activity = try chosen(command)[0]
        let all = try uploads(of: activity.uuid, nil, &client)
        return isJSON ? Self.encoded(all) : UploadCommand.text(of: all, ["\(activity.uuid)": activity.id])
    }

    /// The numbers of the activities of a list, as far as the journal can be read.
    private func numbers(in result: String) -> [String: Int] {
        guard let uploads = try? UploadCommand.uploads(result),
            let journal = try? StateDirectory(stateDirectory).journal()
        else { return [:] }
        var numbers: [String: Int] = [:]
        for name in uploads.compactMap({ $0["activity"]?.string }) where numbers[name] == nil {
            numbers[name] = UUID(name).flatMap { try? journal.activity($0) }
        }
        return numbers
    }

    fileprivate func uploadLogin(_ name: String, _ directory: String?) throws(Failure) -> String {
        var client = try ControlClient(path: RuntimeDirectory.linkSocket(directory), of: .pacedLink)
        let begun = try client.call("link.login", "{\"to\":\(JSONText.string(name))}")
        guard let url = (try? JSON(parsing: begun.utf8))?["url"]?.harmlessText(limit: 4096) else {
            throw .failed("the response of paced-link is not valid JSON")
        }
        try writeOut(
            """
            Open this address in any browser, and allow the access:

              \(url)

            The browser then ends at an address that it cannot show, or that shows nothing of interest. Copy that whole
            address from the browser, and paste it here:

            """)
        guard let answer = readLine(), !answer.isEmpty else { throw .failed("there is no answer: nothing has changed") }
        let trimmed = String(answer.filter { !$0.isWhitespace })
        // paced-link asks the service, for a minute at most.
        _ = try client.call(
            "link.login", "{\"to\":\(JSONText.string(name)),\"answer\":\(JSONText.string(trimmed))}",
            lasting: .seconds(60))
        return "paced-link may upload to \(name).\n"
    }
}
