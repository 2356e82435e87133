import Domain
import Glibc
import JSONCoding
import Linux
import MapStorage
import SQLite
import Transit

/// `pacectl transit groups`: the user's groups of lines.
package enum GroupCommand: Equatable {
    case list
    case add(String, lines: [String])
    case edit(String, lines: [String])
    case rename(String, to: String)
    case remove(String)
    /// - Parameter place: from 1.
    case move(String, to: Int)
    /// The line or the group that is shown first; nil for none.
    case initial(String?)
    case showGroupsFirst(Bool)
    case preset

    static let words = ["add", "edit", "rename", "remove", "move", "default", "first", "preset"]

    /// - Parameter words: those after `groups`.
    init(_ words: [String]) throws(Failure) {
        let rest = Array(words.dropFirst(2))
        switch (words.first, words.count) {
        case (nil, _): self = .list
        case ("add", 3...): self = .add(words[1], lines: rest)
        case ("edit", 3...): self = .edit(words[1], lines: rest)
        case ("rename", 3): self = .rename(words[1], to: words[2])
        case ("remove", 2): self = .remove(words[1])
        case ("move", 3):
            guard let place = Int(words[2]), place >= 1 else { throw .usage("groups move needs a place from 1 on") }
            self = .move(words[1], to: place)
        case ("default", 2): self = .initial(words[1] == "none" ? nil : words[1])
        case ("first", 2) where Bool(word: words[1]) != nil: self = .showGroupsFirst(Bool(word: words[1]) == true)
        case ("preset", 2) where words[1] == "cata": self = .preset
        default:
            throw .usage(
                "use 'transit groups', 'transit groups add NAME LINE…', 'edit NAME LINE…', 'rename NAME NEW', "
                    + "'remove NAME', 'move NAME PLACE', 'default NAME|LINE|none', 'first yes|no' or 'preset cata'")
        }
    }
}

/// The list of lines and groups in `transit-lines.json`, beside `transit.db`.
struct LineListFile {
    static let fileName = "transit-lines.json"
    private let path: String

    init(in directory: String) {
        path = directory + "/" + Self.fileName
    }

    /// The list; an empty one without a file.
    func read() throws(Failure) -> LineList {
        do {
            guard let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: LineList.byteLimit) else {
                throw LineListError("the text must have at most \(LineList.byteLimit >> 10) KiB")
            }
            return try LineList(json: bytes)
        } catch let error as SystemError where error.code == ENOENT {
            do throws(LineListError) { return try LineList(lines: []) } catch { throw .failed("\(error)") }
        } catch {
            throw .failed("cannot read \(path): \(error); correct it, or remove it")
        }
    }

    func write(_ list: LineList) throws(Failure) {
        do {
            try makeDirectories(String(path.dropLast(Self.fileName.utf8.count + 1)))
            try OutputFile(path, replaces: true).write { try $0(list.json.span) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .failed("cannot write \(path): \(error)")
        }
        chmod(path, 0o644)
    }
}

extension Invocation {
    func perform(_ command: GroupCommand, _ options: TransitOptions) throws(Failure) {
        let file = LineListFile(in: try options.maps.mapsDirectory())
        var list = try file.read()
        let lines = try knownLines(list, options)
        do throws(LineListError) {
            switch command {
            case .list: break
            case .add(let name, let words): try list.add(LineList.Group(name: name, lines: try ids(words, lines)))
            case .edit(let name, let words): try list.set(lines: try ids(words, lines, list), ofGroup: name)
            case .rename(let name, let new): try list.rename(group: name, to: new)
            case .remove(let name): try list.remove(group: name)
            case .move(let name, let place): try list.move(group: name, to: place - 1)
            case .initial(nil): try list.set(initial: nil)
            case .initial(let name?):
                let isGroup = list.groups.contains { $0.name.lowercased() == name.lowercased() }
                try list.set(initial: isGroup ? .group(name) : .line(try ids([name], lines)[0]))
            case .showGroupsFirst(let isFirst): list.showsGroupsFirst = isFirst
            case .preset: list = .cata
            }
        } catch {
            throw .failed(error.reason)
        }
        if command != .list { try file.write(list) }
        if isJSON { return try writeOut(list.json) }
        try writeOut(groupsText(list, try knownLines(list, options)))
    }

    /// `pacectl transit lines move`.
    func moveLine(_ name: String, to place: Int, _ options: TransitOptions) throws(Failure) {
        let file = LineListFile(in: try options.maps.mapsDirectory())
        var list = try file.read()
        let lines = try knownLines(list, options)
        do throws(LineListError) {
            let id = try ids([name], lines)[0]
            if !list.lines.contains(where: { $0.line.id == id }) {
                // The timetable's order is the user's until a line is moved.
                let known = Set(list.lines.map(\.line.id))
                list = try LineList(
                    lines: list.lines + lines.filter { !known.contains($0.id) }.map { LineList.Entry($0) },
                    groups: list.groups, initial: list.initial, showsGroupsFirst: list.showsGroupsFirst)
            }
            try list.move(line: id, to: place - 1, among: Set(lines.map(\.id)))
        } catch {
            throw .failed(error.reason)
        }
        try file.write(list)
        try transitLines(options)
    }

    /// The lines of the timetable in the user's order; those of the list if there is no timetable.
    func knownLines(_ list: LineList, _ options: TransitOptions) throws(Failure) -> [TransitLine] {
        guard let database = try? options.database() else { return list.ordered([]) }
        return list.ordered(try reading(database) { () throws(SQLiteError) in try database.lines().map(\.line) })
    }

    /// The IDs of lines by their IDs, codes or names.
    ///
    /// - Parameter list: whose groups may have lines that the timetable lacks now, by their IDs; nil for none.
    private func ids(
        _ names: [String], _ lines: [TransitLine], _ list: LineList? = nil
    ) throws(LineListError) -> [String] {
        let grouped = Set((list?.groups ?? []).flatMap(\.lines))
        var ids: [String] = []
        for name in names {
            if grouped.contains(name) {
                ids.append(name)
                continue
            }
            let wanted = name.lowercased()
            let found =
                lines.first { $0.id == name } ?? lines.first { $0.code.lowercased() == wanted }
                ?? lines.first { $0.name.lowercased() == wanted }
            guard let found else {
                throw LineListError(
                    "no line is called '\(SanitizedText.line(name, limit: 64) ?? "")'; see 'pacectl transit lines'")
            }
            ids.append(found.id)
        }
        return ids
    }

    func groupsText(_ list: LineList, _ lines: [TransitLine]) -> String {
        guard !list.groups.isEmpty else { return "There are no groups.\n" }
        var table = TextTable([.init(head: "GROUP"), .init(head: "LINES"), .init(head: "SHOWN")])
        for group in list.groups {
            let names = group.lines.map { id in
                lines.first { $0.id == id }.map { $0.code.isEmpty ? $0.name : $0.code } ?? id
            }
            table.append([
                group.name, names.joined(separator: ", "), list.initial == .group(group.name) ? "first" : "",
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }
}
