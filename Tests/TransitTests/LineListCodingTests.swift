import Testing
import Transit

@Suite struct LineListCodingTests {
    private static func error(_ text: String) -> String? {
        do throws(LineListError) {
            _ = try LineList(json: Array(text.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    // MARK: Text

    @Test func listIsWrittenInRows() throws {
        var list = try LineList(
            lines: [
                LineList.Entry(
                    TransitLine(id: "55", code: "BL", name: "Blue \"Loop\"", color: LineColor("0000ff")),
                    section: "Campus"), LineList.Entry(TransitLine(id: "1", code: "", name: "A")),
            ], groups: [LineList.Group(name: "Both", lines: ["55", "1"])], initial: .line("55"))
        let text = #"""
            {"version":1,"lines":[
            {"id":"55","code":"BL","name":"Blue \"Loop\"","color":"0000FF","section":"Campus"},
            {"id":"1","name":"A"}],"groups":[
            {"name":"Both","lines":["55","1"]}],"default":{"line":"55"}}

            """#
        #expect(String(decoding: list.json, as: UTF8.self) == text)
        #expect(try LineList(json: Array(text.utf8)) == list)

        try list.set(initial: .group("both"))
        #expect(String(decoding: list.json, as: UTF8.self).hasSuffix(#"],"default":{"group":"Both"}}"# + "\n"))
        #expect(try LineList(json: list.json) == list)

        list.showsGroupsFirst = true
        #expect(String(decoding: list.json, as: UTF8.self).hasSuffix(#"],"groups_first":true}"# + "\n"))
        #expect(try LineList(json: list.json) == list)
    }

    @Test func membersMayBeLeftOut() throws {
        #expect(try LineList(json: Array(#"{"version":1}"#.utf8)) == LineList(lines: []))
        let text = ##"{"version":1,"lines":[{"id":"7","code":"C","color":"#00999a"}],"groups_first":false}"##
        let list = try LineList(json: Array(text.utf8))
        #expect(list.lines.map(\.line) == [TransitLine(id: "7", code: "C", name: "", color: LineColor("00999A"))])
        #expect(!list.showsGroupsFirst)
    }

    @Test func textOfANewerVersionIsSaidToBe() {
        #expect(
            Self.error(#"{"version":2,"stops":[]}"#)
                == "version: this is 2, of a newer release: this release reads version 1")
        for version in ["0", "-1", "\"1\"", "1.0", "null"] {
            #expect(Self.error("{\"version\":\(version)}") == "version: this must be 1")
        }
        #expect(Self.error("{}") == "version: this must be 1")
    }

    @Test(arguments: [
        ("[]", "the text must be an object of JSON"),
        (#"{"version":1"#, "the text is not JSON: expected valid JSON at byte 12"),
        (
            #"{"version":1,"stops":[]}"#,
            "there is an unknown member stops; the members are version, lines, groups, default, groups_first"
        ),
        (#"{"version":1,"lines":{}}"#, "lines: this must be a list"),
        (#"{"version":1,"lines":[5]}"#, "lines[0]: this must be an object"),
        (
            #"{"version":1,"lines":[{"id":"1","code":"A","colour":"FFFFFF"}]}"#,
            "lines[0]: there is an unknown member colour; the members are id, code, name, color, section"
        ),
        (
            #"{"version":1,"lines":[{"code":"A"}]}"#,
            "lines[0].id: an ID must be 1 to 64 characters, without control characters and without a space at "
                + "either end"
        ),
        (#"{"version":1,"lines":[{"id":1}]}"#, "lines[0].id: this must be a string"),
        (#"{"version":1,"lines":[{"id":"1"}]}"#, "lines[0]: a line must have a code or a name"),
        (
            #"{"version":1,"lines":[{"id":"1","code":"A"},{"id":"1","code":"B"}]}"#,
            "lines[1].id: another line has the ID 1"
        ),
        (
            #"{"version":1,"lines":[{"id":"1","code":"A\u0007"}]}"#,
            "lines[0].code: a code must be 1 to 64 characters, without control characters and without a space at "
                + "either end"
        ),
        (
            #"{"version":1,"lines":[{"id":"1","name":" A"}]}"#,
            "lines[0].name: a name must be 1 to 64 characters, without control characters and without a space at "
                + "either end"
        ),
        (
            #"{"version":1,"lines":[{"id":"1","code":"A","section":""}]}"#,
            "lines[0].section: a section must be 1 to 64 characters, without control characters and without a space at "
                + "either end"
        ),
        (
            #"{"version":1,"lines":[{"id":"1","code":"A","color":"red"}]}"#,
            "lines[0].color: a color must be six hexadecimal digits, such as FFCC66"
        ),
        (#"{"version":1,"groups":null}"#, "groups: this must be a list"),
        (#"{"version":1,"groups":[{"name":"A"}]}"#, "groups[0].lines: a group must have 1 to 100 lines"),
        (#"{"version":1,"groups":[{"name":"A","lines":["1",2]}]}"#, "groups[0].lines[1]: this must be a string"),
        (
            #"{"version":1,"groups":[{"name":"A","lines":["1"]},{"name":"a","lines":["1"]}]}"#,
            "groups[1].name: a group is already named A"
        ),
        (
            #"{"version":1,"groups":[{"name":"A","lines":["1"],"\u001b":0}]}"#,
            "groups[0]: there is an unknown member \u{FFFD}; the members are name, lines"
        ),
        (#"{"version":1,"default":"55"}"#, "default: this must be an object"),
        (#"{"version":1,"default":{}}"#, "default: this must have either a line or a group"),
        (#"{"version":1,"default":{"line":"1","group":"A"}}"#, "default: this must have either a line or a group"),
        (#"{"version":1,"default":{"line":1}}"#, "default.line: this must be a string"),
        (#"{"version":1,"default":{"group":"A"}}"#, "default.group: no group is named A"),
        (#"{"version":1,"groups_first":1}"#, "groups_first: this must be true or false"),
        (
            #"{"version":1,"groups_first":true,"default":{"line":"1"}}"#,
            "groups_first: groups are not shown first if there is a default"
        ),
    ])
    func wrongTextIsRefusedWithItsPlace(text: String, reason: String) {
        #expect(Self.error(text) == reason)
    }

    @Test func sizeOfTheTextIsLimited() throws {
        let text = #"{"version":1}"#
        let blanks = String(repeating: " ", count: LineList.byteLimit - text.utf8.count)
        #expect(Self.error(text + blanks) == nil)
        #expect(Self.error(text + blanks + " ") == "the text must have at most 256 KiB")
    }

    // MARK: The preset

    @Test func presetHasTheLinesByWeightInTheirSections() throws {
        /// Weight, code, ID and color.
        let campus = [
            (0, "BL", "55", "0000FF"), (1, "WL", "57", "DDDDDD"), (2, "RL", "51", "B00000"), (3, "GL", "53", "00B050"),
        ]
        let community = [
            (0, "VE", "42", "FFCC66"), (1, "V", "43", "990099"), (2, "NE", "21", "CC3300"),
            (3, "N", "22", "00FF00"), (4, "NV", "25", "989898"), (5, "RP", "34", "000000"),
            (6, "RC", "33", "257700"), (7, "R", "31", "FF99CC"), (10, "UT", "40", "9866FF"),
            (11, "S", "37", "FF00FF"), (12, "M", "19", "FF9999"), (13, "K", "16", "002060"),
            (14, "HP", "13", "FF9800"), (20, "WE", "45", "FF3A9F"), (21, "W", "46", "999900"),
            (23, "G", "11", "FFFF00"), (24, "F", "10", "990000"), (30, "A", "1", "3399FF"),
            (30, "XG", "50", "00FFFF"), (31, "XB", "49", "66FF99"), (34, "C", "7", "009999"),
            (35, "B", "4", "CCFF99"), (40, "DT", "62", "005382"), (41, "SA", "64", "C00000"),
        ]
        for (section, lines) in [("Campus", campus), ("Community", community)] {
            let found = LineList.cata.lines.filter { $0.section == section }.map(\.line)
            #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.0 <= $1.0 })
            #expect(found.map(\.code) == lines.map(\.1))
            #expect(found.map(\.id) == lines.map(\.2))
            #expect(found.map(\.color) == lines.map { LineColor($0.3) })
        }
        #expect(LineList.cata.lines.count == 28)
        #expect(LineList.cata.lines.allSatisfy { !$0.line.name.isEmpty && $0.line.color != nil })
        #expect(LineList.cata.lines.first { $0.line.id == "42" }?.line.title == "VE - Vairo Blvd Express")
    }

    @Test func presetHasGroupsOfKnownLines() {
        let list = LineList.cata
        #expect(list.groups.map(\.name) == ["Campus", "Vairo Blvd", "Waupelani", "Martin St"])
        #expect(list.groups.map(\.lines.count) == [4, 3, 3, 3])
        let ids = Set(list.lines.map(\.line.id))
        for group in list.groups { #expect(ids.isSuperset(of: group.lines), "\(group.name)") }
        #expect(list.initial == nil)
        #expect(!list.showsGroupsFirst)
    }
}
