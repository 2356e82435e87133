import Domain
import Glibc
import JSONCoding
import Linux

extension Command {
    static let link = [
        Command(
            "link status", others: [Options.linkDirectory],
            "show what leaves the board, and how far each receiver is; needs paced-link, whose socket is in --link-dir DIR",
            read: { LinkCommand(.status, $0) }, run: { try $1.perform(isJSON: $0.isJSON) }),
        Command(
            "link flush", others: [Options.linkDirectory], "send recorded rows now, also on a metered network",
            read: { LinkCommand(.flush, $0) }, run: { try $1.perform(isJSON: $0.isJSON) }),
        Command(
            "link check", options: [Options.linkConfiguration],
            "print an example of every message that paced-link would send by its configuration, and send nothing",
            read: { $0[Options.linkConfiguration] }, run: { try LinkCommand.check($1) }),
    ]
}

extension Options {
    fileprivate static let linkConfiguration = CommandOption.text(
        "--config", "FILE", "the configuration of paced-link", needs: "a file", .files)
}

/// `pacectl link`: what paced-link sends off the board.
package struct LinkCommand: Equatable {
    enum Action: Equatable {
        case status, flush
    }

    var action: Action
    /// The directory of the socket; nil for the default.
    var directory: String?

    fileprivate init(_ action: Action, _ arguments: Arguments) {
        self.action = action
        directory = arguments[Options.linkDirectory]
    }

    /// - Returns: the text to print.
    func perform(isJSON: Bool) throws(Failure) -> String {
        var client = try ControlClient(path: RuntimeDirectory.linkSocket(directory), of: .pacedLink)
        let result = try client.call(action == .status ? "link.status" : "link.flush")
        if isJSON { return result + "\n" }
        if action == .flush { return "paced-link sends its rows\n" }
        guard let json = try? JSON(parsing: result.utf8) else {
            throw .failed("the response of paced-link is not valid JSON")
        }
        return Self.text(of: json)
    }

    private static func text(of json: JSON) -> String {
        var table = TextTable([
            .init(head: "TO"), .init(head: "STATE"), .init(head: "LAST SUCCESS"),
            .init(head: "LEFT", isNumber: true),
            .init(head: "NEXT TRY"), .init(head: "WHY"),
        ])
        for sink in json["sinks"]?.array ?? [] {
            let bytes = sink["bytes"]?.integer ?? 0
            let left =
                sink["rows"]?.integer.map { $0 == 0 ? "0" : "\($0) rows, \((bytes + 1023) / 1024) KiB" }
                ?? sink["activities"]?.integer.map { $0 == 1 ? "1 activity" : "\($0) activities" }
            table.append([
                sink["name"]?.harmlessText(limit: 32) ?? "", sink["state"]?.harmlessText(limit: 16) ?? "",
                ago(sink["last_success_ms"]?.integer), left ?? "",
                sink["next_try_ms"]?.integer.map { "in \(($0 + 999) / 1000) s" } ?? "",
                (sink["reason"] ?? sink["warning"])?.harmlessText(limit: 128)
                    ?? sink["rejected"]?.integer.flatMap { $0 > 0 ? "\($0) refused" : nil } ?? "",
            ])
        }
        let head =
            "Board \(json["device"]?.harmlessText(limit: 36) ?? ""), Level=\(json["level"]?.harmlessText(limit: 16) ?? "")\n"
        return head + table.lines.map { $0 + "\n" }.joined()
    }

    private static func ago(_ milliseconds: Int?) -> String {
        guard let milliseconds else { return "" }
        let seconds = milliseconds / 1000
        if seconds < 120 { return "\(seconds) s ago" }
        return seconds < 7200 ? "\(seconds / 60) min ago" : "\(seconds / 3600) h ago"
    }

    /// Runs `paced-link --check` in the place of this process.
    fileprivate static func check(_ configuration: String?) throws(Failure) -> String {
        let program = Machine.programBeside("paced-link") ?? "/usr/bin/paced-link"
        guard access(program, X_OK) == 0 else {
            throw .failed("there is no program \(program): install the package paced-link")
        }
        let words = [program, "--check"] + (configuration.map { ["--config", $0] } ?? [])
        var pointers = words.map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw .failed("cannot run \(program): \(SystemError("execv", code: errno))")
    }
}
