import Foundation

/// The tables of docs/protocol.md.
struct ProtocolPage {
    /// A row of a table with the columns field or parameter, type, unit, when and meaning.
    struct Row {
        var type: String
        var unit: String
        var when: String
        /// Without Markdown markup, as in the schema.
        var meaning: String
    }

    struct Name: Hashable, CustomStringConvertible {
        /// The object or the method; `EVENT start` for the fields of one event.
        var owner: String
        var field: String

        var description: String { "\(owner): \(field)" }
    }

    struct Method {
        var summary = ""
        var errors: Set<Int> = []
    }

    private(set) var fields: [Name: Row] = [:]
    private(set) var parameters: [Name: Row] = [:]
    private(set) var methods: [String: Method] = [:]
    /// Every error code with its message.
    private(set) var errors: [Int: String] = [:]

    init() throws {
        var heading = ""
        var columns: [String]?
        for line in try Repository.text(of: "docs/protocol.md").split(separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" || $0 == " " }.description
                if Self.isMethod(heading), line.hasPrefix("#### ") { methods[heading] = Method() }
                columns = nil
            } else if line.hasPrefix("|") {
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                if let columns {
                    take(Dictionary(uniqueKeysWithValues: zip(columns, cells)), heading)
                } else {
                    columns = cells
                }
            } else {
                columns = nil
                take(line, heading)
            }
        }
    }

    static func isMethod(_ heading: String) -> Bool {
        let subjects = [
            "run", "settings", "sensor", "activities", "course", "upload", "topic", "weather", "route", "transit",
            "web", "rpc", "partner", "device", "trash", "position", "link",
        ]
        return ["status", "notice"].contains(heading)
            || heading.contains(#/^[a-z]+\.[a-z]+$/#) && subjects.contains { heading.hasPrefix($0 + ".") }
    }

    private mutating func take(_ line: Substring, _ heading: String) {
        guard methods[heading] != nil, !line.isEmpty else { return }
        if methods[heading]?.summary == "" { methods[heading]?.summary = Self.plain(String(line)) }
        guard let errors = line.firstMatch(of: #/Errors: ([-\d, ]+)/#)?.1 else { return }
        methods[heading]?.errors.formUnion(errors.matches(of: #/-\d+/#).compactMap { Int($0.output) })
    }

    private mutating func take(_ cells: [String: String], _ heading: String) {
        if let code = cells["code"].flatMap({ Int($0) }) { errors[code] = cells["message"] }
        guard let type = cells["type"], let unit = cells["unit"], let when = cells["when"],
            let meaning = cells["meaning"],
            !type.hasPrefix("---")
        else { return }
        let row = Row(type: type, unit: unit, when: when, meaning: Self.plain(meaning))
        if let name = cells["parameter"] { parameters[Name(owner: heading, field: Self.plain(name))] = row }
        guard let name = cells["field"] else { return }
        let owners = cells["event"].map { $0.components(separatedBy: ", ").map { "EVENT " + $0 } } ?? [heading]
        for owner in owners { fields[Name(owner: owner, field: Self.plain(name))] = row }
    }

    private static func plain(_ text: String) -> String {
        text.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.1) }.replacing("`", with: "")
    }
}
