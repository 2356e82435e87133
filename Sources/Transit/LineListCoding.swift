import Domain
import JSONCoding

// The list as the text of transit-lines.json.
extension LineList {
    /// The most bytes of the text.
    package static let byteLimit = 256 * 1024

    private static let version = 1

    /// The 28 lines and 4 groups of the Centre Area Transportation Authority.
    package static let cata: LineList = {
        do {
            return try LineList(json: PackageResources.cata_json)
        } catch {
            preconditionFailure("cata.json: \(error)")
        }
    }()

    /// The JSON text, with one row for each line and each group. Members without a value are left out.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { list in
            list.member("version", Self.version)
            list.rows("lines", lines) { row, entry in
                row.object {
                    $0.member("id", entry.line.id)
                    $0.member("code", entry.line.code.isEmpty ? nil : entry.line.code)
                    $0.member("name", entry.line.name.isEmpty ? nil : entry.line.name)
                    $0.member("color", entry.line.color?.text)
                    $0.member("section", entry.section)
                }
            }
            list.rows("groups", groups) { row, group in
                row.object {
                    $0.member("name", group.name)
                    $0.array("lines") { for id in group.lines { $0.value(id) } }
                }
            }
            switch initial {
            case .line(let id): list.object("default") { $0.member("line", id) }
            case .group(let name): list.object("default") { $0.member("group", name) }
            case nil: break
            }
            if showsGroupsFirst { list.member("groups_first", true) }
        }
        writer.newline()
        return writer.bytes
    }

    /// Parses the JSON text. Each member but `version` may be left out.
    ///
    /// - Throws: ``LineListError`` with the place of the first error.
    package init(json text: [UInt8]) throws(LineListError) {
        guard text.count <= Self.byteLimit else {
            throw LineListError("the text must have at most \(Self.byteLimit >> 10) KiB")
        }
        let json: JSON
        do {
            json = try JSON(parsing: text)
        } catch {
            throw LineListError("the text is not JSON: \(error)")
        }
        guard case .object(let members) = json else { throw LineListError("the text must be an object of JSON") }
        guard let version = members["version"]?.integer, version >= 1 else {
            throw LineListError(at: "version", "this must be \(Self.version)")
        }
        guard version == Self.version else {
            throw LineListError(
                at: "version", "this is \(version), of a newer release: this release reads version \(Self.version)")
        }
        try Self.check(members, ["version", "lines", "groups", "default", "groups_first"], at: nil)
        var lines: [Entry] = []
        for (index, json) in try Self.list(members["lines"], at: "lines").enumerated() {
            lines.append(try Self.entry(json, at: "lines[\(index)]"))
        }
        var groups: [Group] = []
        for (index, json) in try Self.list(members["groups"], at: "groups").enumerated() {
            groups.append(try Self.group(json, at: "groups[\(index)]"))
        }
        var showsGroupsFirst = false
        if let json = members["groups_first"] {
            guard let value = json.bool else { throw LineListError(at: "groups_first", "this must be true or false") }
            showsGroupsFirst = value
        }
        try self.init(
            lines: lines, groups: groups, initial: try Self.initial(members["default"]),
            showsGroupsFirst: showsGroupsFirst)
    }

    private static func entry(_ json: JSON, at place: String) throws(LineListError) -> Entry {
        let members = try object(json, ["id", "code", "name", "color", "section"], at: place)
        var line = TransitLine(
            id: try text(members["id"], at: place + ".id") ?? "",
            code: try text(members["code"], at: place + ".code") ?? "",
            name: try text(members["name"], at: place + ".name") ?? "")
        if let color = try text(members["color"], at: place + ".color") {
            line.color = LineColor(color)
            if line.color == nil {
                throw LineListError(at: place + ".color", "a color must be six hexadecimal digits, such as FFCC66")
            }
        }
        return Entry(line, section: try text(members["section"], at: place + ".section"))
    }

    private static func group(_ json: JSON, at place: String) throws(LineListError) -> Group {
        let members = try object(json, ["name", "lines"], at: place)
        var group = Group(name: try text(members["name"], at: place + ".name") ?? "", lines: [])
        for (index, json) in try list(members["lines"], at: place + ".lines").enumerated() {
            group.lines.append(try text(json, at: "\(place).lines[\(index)]") ?? "")
        }
        return group
    }

    private static func initial(_ json: JSON?) throws(LineListError) -> Initial? {
        guard let json else { return nil }
        let members = try object(json, ["line", "group"], at: "default")
        let line = try text(members["line"], at: "default.line")
        let group = try text(members["group"], at: "default.group")
        switch (line, group) {
        case (let id?, nil): return .line(id)
        case (nil, let name?): return .group(name)
        default: throw LineListError(at: "default", "this must have either a line or a group")
        }
    }

    /// Nil if there is no such member.
    private static func text(_ json: JSON?, at place: String) throws(LineListError) -> String? {
        guard let json else { return nil }
        guard let text = json.string else { throw LineListError(at: place, "this must be a string") }
        return text
    }

    /// Empty if there is no such member.
    private static func list(_ json: JSON?, at place: String) throws(LineListError) -> [JSON] {
        guard let json else { return [] }
        guard let list = json.array else { throw LineListError(at: place, "this must be a list") }
        return list
    }

    private static func object(
        _ json: JSON, _ known: [String], at place: String
    ) throws(LineListError) -> [String: JSON] {
        guard case .object(let members) = json else { throw LineListError(at: place, "this must be an object") }
        try check(members, known, at: place)
        return members
    }

    private static func check(
        _ members: [String: JSON], _ known: [String], at place: String?
    ) throws(LineListError) {
        guard let other = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw LineListError(
            at: place,
            "there is an unknown member \(SanitizedText(other)?.text ?? "''"); "
                + "the members are \(known.joined(separator: ", "))")
    }
}

extension JSONWriter {
    /// Appends a list with a row for each element, for those who edit the text.
    fileprivate mutating func rows<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        array(name) {
            for (index, element) in elements.enumerated() {
                $0.append(lines: (index > 0 ? ",\n" : "\n").utf8)
                write(&$0, element)
            }
        }
    }
}
