import Domain
import Glibc
import JSONCoding
import Linux
import Wire

extension Command {
    static let plan = [
        Command(
            "plan", others: [Options.linkDirectory],
            "list the planned workouts and courses that paced-link has fetched",
            read: { PlanCommand(.list, $0) }, run: { try $1.perform(isJSON: $0.isJSON) }),
        Command(
            "plan fetch", others: [Options.linkDirectory],
            "fetch planned workouts and courses now from the services of paced-link.conf; waits up to a minute",
            read: { PlanCommand(.fetch, $0) }, run: { try $1.perform(isJSON: $0.isJSON) }),
        Command(
            "plan load", words: [.one("NUMBER", "the number of a workout in the list")],
            others: [Options.linkDirectory],
            "follow a planned workout in the next run, or from now on in the present one",
            read: { arguments in
                guard let number = Int(arguments.words[0]), number > 0 else {
                    throw Failure.usage("plan load needs the number of a workout, as 'pacectl plan' lists it")
                }
                return (number, arguments[Options.linkDirectory])
            }, run: { try $0.loadPlanned($1.0, $1.1) }),
    ]
}

extension Invocation {
    fileprivate func loadPlanned(_ number: Int, _ directory: String?) throws(Failure) -> String {
        var client = try ControlClient(path: RuntimeDirectory.linkSocket(directory), of: .pacedLink)
        let result = try client.call("link.workout", "{\"plan\":\(number)}")
        guard let json = try? JSON(parsing: result.utf8),
            let bytes = json["data"]?.string.flatMap({ Base64.decode($0.utf8) })
        else { throw .failed("the response of paced-link is not valid JSON") }
        let file = WorkoutFile(path: json["plan"]?["name"]?.harmlessText(limit: 128) ?? "")
        return try load(try file.workout(of: bytes), of: file.name)
    }
}

/// `pacectl plan`: what paced-link has fetched.
package struct PlanCommand: Equatable {
    enum Action: Equatable {
        case list, fetch
    }

    private static let patience = Duration.seconds(60)

    let action: Action
    /// The directory of the socket; nil for the default.
    let directory: String?

    fileprivate init(_ action: Action, _ arguments: Arguments) {
        self.action = action
        directory = arguments[Options.linkDirectory]
    }

    /// - Returns: the text to print.
    func perform(isJSON: Bool) throws(Failure) -> String {
        var client = try ControlClient(path: RuntimeDirectory.linkSocket(directory), of: .pacedLink)
        var result = try client.call(action == .fetch ? "link.fetch" : "link.plan")
        let end = Clock.now() + Self.patience
        while action == .fetch, try Self.parsed(result)["fetching"]?.bool == true, Clock.now() < end {
            usleep(200_000)
            result = try client.call("link.plan")
        }
        if isJSON { return result + "\n" }
        let text = Self.text(of: try Self.parsed(result))
        let failures = action == .fetch ? try Self.failures(try client.call("link.status")) : []
        if failures.isEmpty { return text }
        try writeOut(text)
        throw .failed(failures.joined(separator: "; "))
    }

    private static func parsed(_ result: String) throws(Failure) -> JSON {
        do {
            return try JSON(parsing: result.utf8)
        } catch {
            throw .failed("the response of paced-link is not valid JSON")
        }
    }

    /// What the sources say that failed.
    private static func failures(_ status: String) throws(Failure) -> [String] {
        try parsed(status)["sinks"]?.array?.compactMap { sink in
            guard let name = sink["name"]?.harmlessText(limit: 64), name.hasPrefix("plan "),
                let reason = sink["reason"]?.harmlessText(limit: 256)
            else { return nil }
            return "\(name): \(reason)"
        } ?? []
    }

    private static func text(of json: JSON) -> String {
        let plans = json["plans"]?.array ?? []
        if plans.isEmpty { return "Nothing is planned; 'pacectl plan fetch' asks the services.\n" }
        var table = TextTable([
            .init(head: "NUMBER", isNumber: true), .init(head: "DAY"), .init(head: "FROM"), .init(head: "KIND"),
            .init(head: "NAME"), .init(head: "STATE"), .init(head: "WHY"),
        ])
        for plan in plans {
            table.append([
                plan["plan"]?.integer.map { "\($0)" } ?? "", plan["day"]?.harmlessText(limit: 10) ?? "",
                plan["from"]?.harmlessText(limit: 32) ?? "", plan["kind"]?.harmlessText(limit: 16) ?? "",
                plan["name"]?.harmlessText(limit: 64) ?? "", plan["state"]?.harmlessText(limit: 16) ?? "",
                plan["reason"]?.harmlessText(limit: 128) ?? "",
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }
}
