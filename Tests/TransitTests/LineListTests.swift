import Testing
import Transit

@Suite struct LineListTests {
    private static func line(_ id: String, color: LineColor? = nil) -> TransitLine {
        TransitLine(id: id, code: "C" + id, name: "Line " + id, color: color)
    }

    /// Lines 1, 3 and 5 of North and 2 and 4 of South, in turn, and groups A, B and C.
    private static func list() throws -> LineList {
        try LineList(
            lines: (1...5).map { LineList.Entry(line(String($0)), section: $0.isMultiple(of: 2) ? "South" : "North") },
            groups: [
                LineList.Group(name: "A", lines: ["1", "2"]), LineList.Group(name: "B", lines: ["3"]),
                LineList.Group(name: "C", lines: ["9"]),
            ])
    }

    /// The error of a change, which must leave the list as it is.
    private static func error(_ change: (inout LineList) throws(LineListError) -> Void) throws -> String? {
        let before = try list()
        var list = before
        do throws(LineListError) {
            try change(&list)
            return nil
        } catch {
            #expect(list == before)
            return error.description
        }
    }

    // MARK: Groups

    @Test func groupsAreAddedChangedAndRemoved() throws {
        var list = try Self.list()
        try list.add(LineList.Group(name: "D", lines: ["4"]))
        try list.set(lines: ["5", "1"], ofGroup: "a")
        try list.rename(group: "b", to: "North side")
        try list.remove(group: "c")
        #expect(
            list.groups == [
                LineList.Group(name: "A", lines: ["5", "1"]), LineList.Group(name: "North side", lines: ["3"]),
                LineList.Group(name: "D", lines: ["4"]),
            ])
        try list.rename(group: "A", to: "a")
        #expect(list.groups[0].name == "a")
    }

    @Test(arguments: [
        ("A", 0, "ABC"), ("A", 1, "BAC"), ("A", 2, "BCA"), ("A", 9, "BCA"), ("C", 0, "CAB"), ("C", -1, "CAB"),
        ("B", 2, "ACB"),
    ])
    func movedGroupShiftsThoseBetween(group: String, place: Int, order: String) throws {
        var list = try Self.list()
        try list.move(group: group, to: place)
        #expect(list.groups.map(\.name).joined() == order)
    }

    @Test func groupsHaveDifferentNames() throws {
        #expect(
            try Self.error { list throws(LineListError) in try list.add(LineList.Group(name: "b", lines: ["1"])) }
                == "groups[3].name: a group is already named B")
        #expect(
            try Self.error { list throws(LineListError) in try list.rename(group: "C", to: "a") }
                == "groups[2].name: a group is already named A")
    }

    @Test(arguments: ["", " ", " D", "D\n", "a\u{7}b", "\u{202E}D", String(repeating: "x", count: 65)])
    func nameOfAGroupIsAShortText(name: String) throws {
        let reason =
            "groups[3].name: a name must be 1 to 64 characters, without control characters and without a space at "
            + "either end"
        #expect(
            try Self.error { list throws(LineListError) in try list.add(LineList.Group(name: name, lines: ["1"])) }
                == reason)
    }

    @Test(arguments: [
        ([], "lines: a group must have 1 to 100 lines"),
        ((0...100).map(String.init), "lines: a group must have 1 to 100 lines"),
        (["1", "2", "1"], "lines[2]: a group must have each line once"),
        (
            ["1", ""],
            "lines[1]: an ID must be 1 to 64 characters, without control characters and without a space at either end"
        ),
    ])
    func groupHasOneLineOrMoreEachOnce(lines: [String], reason: String) throws {
        #expect(
            try Self.error { list throws(LineListError) in try list.set(lines: lines, ofGroup: "B") }
                == "groups[1]." + reason)
    }

    @Test func unknownGroupIsNamed() throws {
        let reason = "no group is named D\u{FFFD}"
        #expect(try Self.error { list throws(LineListError) in try list.remove(group: "D\u{1B}") } == reason)
        #expect(try Self.error { list throws(LineListError) in try list.move(group: "D\u{1B}", to: 0) } == reason)
        #expect(try Self.error { list throws(LineListError) in try list.rename(group: "D\u{1B}", to: "E") } == reason)
        #expect(
            try Self.error { list throws(LineListError) in try list.set(lines: ["1"], ofGroup: "D\u{1B}") } == reason)
    }

    @Test func linesAndGroupsAreLimited() throws {
        let lines = (1...501).map { LineList.Entry(Self.line(String($0))) }
        #expect(try LineList(lines: Array(lines.dropLast())).lines.count == 500)
        #expect(throws: LineListError(at: "lines", "a list must have at most 500 lines")) {
            try LineList(lines: lines)
        }
        let groups = (1...101).map { LineList.Group(name: "G\($0)", lines: ["1"]) }
        #expect(try LineList(lines: [], groups: Array(groups.dropLast())).groups.count == 100)
        #expect(throws: LineListError(at: "groups", "a list must have at most 100 groups")) {
            try LineList(lines: [], groups: groups)
        }
    }

    @Test func listIsNoLargerThanItsTextMayBe() throws {
        let lines = (1...100).map { String(repeating: "x", count: 60) + String($0) }
        func group(_ number: Int) -> LineList.Group { LineList.Group(name: "G\(number)", lines: lines) }
        var list = try LineList(lines: [], groups: (1...38).map(group))
        #expect(throws: LineListError("a list must have at most 256 KiB: remove groups, or shorten names")) {
            for number in 39...42 { try list.add(group(number)) }
        }
        #expect(list.groups.count > 38)
        #expect(try LineList(json: list.json) == list)
    }

    // MARK: Lines

    @Test(arguments: [
        ("1", 2, "32541"), ("1", 1, "32145"), ("5", 0, "52143"), ("5", -3, "52143"), ("3", 99, "12543"),
        ("4", 0, "14325"), ("2", 0, "12345"),
    ])
    func movedLineShiftsThoseBetweenInItsSection(id: String, place: Int, order: String) throws {
        var list = try Self.list()
        try list.move(line: id, to: place, among: ["1", "2", "3", "4", "5"])
        #expect(list.lines.map(\.line.id).joined() == order)
        #expect(list.lines.map(\.section) == ["North", "South", "North", "South", "North"])
    }

    /// The list may be that of CATA, with IDs that the timetable of another agency has too.
    @Test(arguments: [("5", 0, "52341"), ("1", 1, "52341"), ("1", 0, "12345"), ("4", 0, "12345")])
    func linesThatAreNotShownDoNotCount(id: String, place: Int, order: String) throws {
        var list = try Self.list()
        try list.move(line: id, to: place, among: ["1", "4", "5"])
        #expect(list.lines.map(\.line.id).joined() == order)
    }

    @Test func unknownLineIsNotMoved() throws {
        #expect(
            try Self.error { list throws(LineListError) in try list.move(line: "6", to: 0, among: []) }
                == "no line of the list has the ID 6")
    }

    // MARK: What is shown first

    @Test func defaultAndGroupsFirstExcludeEachOther() throws {
        var list = try Self.list()
        list.showsGroupsFirst = true
        try list.set(initial: .line("77"))
        #expect(list.initial == .line("77"))
        #expect(!list.showsGroupsFirst)
        list.showsGroupsFirst = false
        #expect(list.initial == .line("77"))
        list.showsGroupsFirst = true
        #expect(list.initial == nil)
        try list.set(initial: .group("b"))
        #expect(list.initial == .group("B"))
        #expect(!list.showsGroupsFirst)
        list.showsGroupsFirst = true
        try list.set(initial: nil)
        #expect(list.showsGroupsFirst)
    }

    @Test func defaultFollowsItsGroup() throws {
        var list = try Self.list()
        try list.set(initial: .group("B"))
        try list.rename(group: "A", to: "Z")
        try list.remove(group: "C")
        #expect(list.initial == .group("B"))
        try list.rename(group: "b", to: "D")
        #expect(list.initial == .group("D"))
        try list.remove(group: "d")
        #expect(list.initial == nil)
    }

    @Test func defaultIsAGroupOfTheListOrAnID() throws {
        #expect(
            try Self.error { list throws(LineListError) in try list.set(initial: .group("D")) }
                == "default.group: no group is named D")
        #expect(
            try Self.error { list throws(LineListError) in try list.set(initial: .line("")) }?
                .hasPrefix("default.line: an ID must be") == true)
        #expect(throws: LineListError(at: "groups_first", "groups are not shown first if there is a default")) {
            try LineList(lines: [], initial: .line("1"), showsGroupsFirst: true)
        }
    }

    // MARK: With a timetable

    @Test func linesOfATimetableAreInTheOrderOfTheList() throws {
        let (red, blue) = (LineColor("FF0000"), LineColor("0000FF"))
        let list = try LineList(lines: [
            LineList.Entry(Self.line("3", color: red)), LineList.Entry(Self.line("8", color: red)),
            LineList.Entry(Self.line("1", color: red)),
        ])
        let timetable = [
            TransitLine(id: "5", code: "5", name: "Five"), TransitLine(id: "1", code: "1", name: "One", color: blue),
            TransitLine(id: "4", code: "4", name: "Four"), TransitLine(id: "3", code: "3", name: "Three"),
        ]
        #expect(
            list.ordered(timetable) == [
                TransitLine(id: "3", code: "3", name: "Three", color: red),
                TransitLine(id: "1", code: "1", name: "One", color: blue), timetable[0], timetable[2],
            ])
        #expect(list.ordered([]) == list.lines.map(\.line))
    }

    @Test func searchIgnoresCaseInCodesAndNames() {
        let lines = [
            TransitLine(id: "1", code: "V", name: "Vairo Blvd"), TransitLine(id: "2", code: "NV", name: "Martin St"),
            TransitLine(id: "3", code: "R", name: "Drive"), TransitLine(id: "4", code: "K", name: "Cato Park"),
        ]
        func found(_ text: String, _ scope: SearchScope) -> String {
            lines.filter { $0.isFound(by: text, scope) }.map(\.id).joined()
        }
        #expect(found("v", .contains) == "123")
        #expect(found("v", .exclude) == "4")
        #expect(found("v", .match) == "1")
        #expect(found("CATO PARK", .match) == "4")
        for scope in SearchScope.allCases { #expect(found("", scope) == "1234") }
    }
}
