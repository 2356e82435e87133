import Domain

/// The lines of an agency in the order of a user, and the user's groups of them. A list is valid whenever it exists.
///
/// Each text is of 1 to 64 characters without control characters and without white space at its ends; a line may lack a
/// code or a name. The written list has at most ``byteLimit`` bytes.
package struct LineList: Equatable, Sendable {
    package static let lineLimit = 500
    package static let groupLimit = 100
    /// The most lines of a group.
    package static let groupLineLimit = 100

    package struct Entry: Equatable, Sendable {
        package var line: TransitLine
        /// The heading under which the line stands, such as `Campus`.
        package var section: String?

        package init(_ line: TransitLine, section: String? = nil) {
            self.line = line
            self.section = section
        }
    }

    /// Lines that are shown together.
    package struct Group: Equatable, Sendable {
        package var name: String
        /// The IDs of the lines, each once. A line need not be in the list: a timetable may have more.
        package var lines: [String]

        package init(name: String, lines: [String]) {
            self.name = name
            self.lines = lines
        }
    }

    /// What is shown first.
    package enum Initial: Equatable, Sendable {
        /// The ID of a line, which need not be in the list.
        case line(String)
        /// The name of a group of the list.
        case group(String)
    }

    /// Each ID occurs once.
    package private(set) var lines: [Entry]
    /// Names differ in more than case.
    package private(set) var groups: [Group]
    /// Nil if no line and no group is shown first.
    package private(set) var initial: Initial?
    /// Whether the groups are shown before the lines. To set it clears ``initial``.
    package var showsGroupsFirst: Bool {
        didSet { if showsGroupsFirst { initial = nil } }
    }

    /// - Parameter initial: a group in any case.
    /// - Throws: ``LineListError`` if the list is not valid, and for an initial choice with `showsGroupsFirst`.
    package init(
        lines: [Entry], groups: [Group] = [], initial: Initial? = nil, showsGroupsFirst: Bool = false
    ) throws(LineListError) {
        self.lines = lines
        self.groups = groups
        self.showsGroupsFirst = showsGroupsFirst
        if let initial { self.initial = try resolved(initial) }
        try check()
    }

    // MARK: Groups

    /// Adds a group as the last one.
    ///
    /// - Throws: ``LineListError`` if the list would not be valid; then it is as before. So do all changes.
    package mutating func add(_ group: Group) throws(LineListError) {
        try change { $0.groups.append(group) }
    }

    /// - Parameter group: a name in any case, here and in the other changes.
    package mutating func rename(group: String, to name: String) throws(LineListError) {
        let index = try index(ofGroup: group)
        try change { list in
            if list.initial == .group(list.groups[index].name) { list.initial = .group(name) }
            list.groups[index].name = name
        }
    }

    /// - Parameter lines: the IDs.
    package mutating func set(lines: [String], ofGroup group: String) throws(LineListError) {
        let index = try index(ofGroup: group)
        try change { $0.groups[index].lines = lines }
    }

    /// Removes a group. If it is the initial one, none is.
    package mutating func remove(group: String) throws(LineListError) {
        let removed = groups.remove(at: try index(ofGroup: group))
        if initial == .group(removed.name) { initial = nil }
    }

    /// Moves a group, and shifts those between.
    ///
    /// - Parameter place: the index after the move; beyond the last one it is the last one.
    package mutating func move(group: String, to place: Int) throws(LineListError) {
        let moved = groups.remove(at: try index(ofGroup: group))
        groups.insert(moved, at: min(max(place, 0), groups.count))
    }

    /// The index of a group by its name in any case.
    private func index(ofGroup name: String) throws(LineListError) -> Int {
        guard let index = groups.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw LineListError("no group is named \(SanitizedText(name)?.text ?? "''")")
        }
        return index
    }

    // MARK: Lines

    /// Moves a line within its section, and shifts those between.
    ///
    /// - Parameters:
    ///   - line: the ID.
    ///   - place: the index among the shown lines of the section after the move; beyond the last one it is the last one.
    ///   - shown: the IDs of the lines that the user sees; the list may have lines of another agency, which stay.
    package mutating func move(line id: String, to place: Int, among shown: Set<String>) throws(LineListError) {
        guard let moved = lines.first(where: { $0.line.id == id }) else {
            throw LineListError("no line of the list has the ID \(SanitizedText(id)?.text ?? "''")")
        }
        let places = lines.indices.filter { index in
            lines[index].section == moved.section && (shown.contains(lines[index].line.id) || lines[index] == moved)
        }
        var section = places.map { lines[$0] }
        section.removeAll { $0.line.id == id }
        section.insert(moved, at: min(max(place, 0), section.count))
        for (place, entry) in zip(places, section) { lines[place] = entry }
    }

    // MARK: What is shown first

    /// Sets what is shown first. A line or a group clears ``showsGroupsFirst``.
    ///
    /// - Parameter initial: a group in any case.
    package mutating func set(initial: Initial?) throws(LineListError) {
        guard let initial else {
            self.initial = nil
            return
        }
        let resolved = try resolved(initial)
        try change { list in
            list.showsGroupsFirst = false
            list.initial = resolved
        }
    }

    private func resolved(_ initial: Initial) throws(LineListError) -> Initial {
        guard case .group(let name) = initial else { return initial }
        do {
            return .group(groups[try index(ofGroup: name)].name)
        } catch {
            throw LineListError(at: "default.group", error.reason)
        }
    }

    // MARK: Validity

    private mutating func change(_ body: (inout LineList) -> Void) throws(LineListError) {
        var changed = self
        body(&changed)
        try changed.check()
        self = changed
    }

    private func check() throws(LineListError) {
        guard lines.count <= Self.lineLimit else {
            throw LineListError(at: "lines", "a list must have at most \(Self.lineLimit) lines")
        }
        var ids: Set<String> = []
        for (index, entry) in lines.enumerated() {
            let (line, place) = (entry.line, "lines[\(index)]")
            try Self.check("an ID", line.id, at: place + ".id")
            guard ids.insert(line.id).inserted else {
                throw LineListError(at: place + ".id", "another line has the ID \(line.id)")
            }
            guard !line.title.isEmpty else { throw LineListError(at: place, "a line must have a code or a name") }
            if !line.code.isEmpty { try Self.check("a code", line.code, at: place + ".code") }
            if !line.name.isEmpty { try Self.check("a name", line.name, at: place + ".name") }
            if let section = entry.section { try Self.check("a section", section, at: place + ".section") }
        }
        guard groups.count <= Self.groupLimit else {
            throw LineListError(at: "groups", "a list must have at most \(Self.groupLimit) groups")
        }
        var names: [String: String] = [:]
        for (index, group) in groups.enumerated() {
            let place = "groups[\(index)]"
            try Self.check("a name", group.name, at: place + ".name")
            if let other = names.updateValue(group.name, forKey: group.name.lowercased()) {
                throw LineListError(at: place + ".name", "a group is already named \(other)")
            }
            try Self.check(group.lines, at: place + ".lines")
        }
        if case .line(let id) = initial { try Self.check("an ID", id, at: "default.line") }
        guard initial == nil || !showsGroupsFirst else {
            throw LineListError(at: "groups_first", "groups are not shown first if there is a default")
        }
        guard json.count <= Self.byteLimit else {
            throw LineListError("a list must have at most \(Self.byteLimit >> 10) KiB: remove groups, or shorten names")
        }
    }

    private static func check(_ ids: [String], at place: String) throws(LineListError) {
        guard (1...groupLineLimit).contains(ids.count) else {
            throw LineListError(at: place, "a group must have 1 to \(groupLineLimit) lines")
        }
        var known: Set<String> = []
        for (index, id) in ids.enumerated() {
            try check("an ID", id, at: "\(place)[\(index)]")
            guard known.insert(id).inserted else {
                throw LineListError(at: "\(place)[\(index)]", "a group must have each line once")
            }
        }
    }

    private static func check(_ kind: String, _ text: String, at place: String) throws(LineListError) {
        guard SanitizedText(text)?.text == text, text.first?.isWhitespace == false, text.last?.isWhitespace == false
        else {
            throw LineListError(
                at: place,
                "\(kind) must be 1 to \(SanitizedText.characterLimit) characters, without control characters "
                    + "and without a space at either end")
        }
    }
}

// Use of the list with a timetable
extension LineList {
    /// The lines of a timetable in the user's order: first those of the list, then the others in their own order.
    ///
    /// Names, codes and colors are those of the timetable; a color that it lacks is that of the list.
    ///
    /// - Returns: the lines of the list itself if the timetable has none.
    package func ordered(_ timetable: [TransitLine]) -> [TransitLine] {
        guard !timetable.isEmpty else { return lines.map(\.line) }
        let byID = Dictionary(timetable.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = lines.compactMap { entry in
            byID[entry.line.id].map { line in
                var line = line
                line.color = line.color ?? entry.line.color
                return line
            }
        }
        let ids = Set(listed.map(\.id))
        return listed + timetable.filter { !ids.contains($0.id) }
    }
}

/// How a text selects lines.
package enum SearchScope: String, CaseIterable, Sendable {
    /// The code or the name contains the text.
    case contains
    /// Neither contains it.
    case exclude
    /// The code or the name is the text.
    case match
}

extension TransitLine {
    /// Whether a search selects the line, without regard to case. An empty text selects every line.
    package func isFound(by text: String, _ scope: SearchScope) -> Bool {
        guard !text.isEmpty else { return true }
        let text = text.lowercased()
        let words = [code.lowercased(), name.lowercased()]
        return switch scope {
        case .contains: words.contains { $0.containsText(text) }
        case .exclude: !words.contains { $0.containsText(text) }
        case .match: words.contains(text)
        }
    }
}

/// Why a list of lines is not valid or cannot be changed.
package struct LineListError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The member of the JSON text that is wrong, such as `groups[2].name`. Nil if it is the whole.
    package var place: String?
    /// What it must be. Untrusted text in it is sanitized.
    package var reason: String

    package init(at place: String? = nil, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String {
        place.map { "\($0): \(reason)" } ?? reason
    }
}
