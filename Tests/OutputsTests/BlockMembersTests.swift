import Domain
import JSONCoding
import TestKit
import Testing
import Wire

/// The members of a block are listed once. What the list writes it reads, and schema.json has the same members.
@Suite struct BlockMembersTests {
    private static let wind = {
        var wind = WindStatus.example
        (wind.speed, wind.headwind, wind.crosswind, wind.reason) = (6.04, 5.23, -3.02, .variable)
        return wind
    }()
    private static let partner = PartnerStatus(
        name: SanitizedText("Morning"), pace: 0.3, secondsAhead: -12.5, metresAhead: 41.3)

    private func isRead<Block: JSONObject & Equatable>(_ block: Block) throws {
        var writer = JSONWriter()
        writer.value(block)
        #expect(Block(try JSON(parsing: writer.bytes)) == block)
    }

    @Test func `Blocks with every member are read as they are written`() throws {
        try isRead(Self.wind)
        try isRead(SunStatus.example)
        try isRead(Self.partner)
        var course = CourseStatus.example
        // As many decimals as are written.
        course.lengthMetres = 9876.5
        try isRead(course)
    }

    @Test func `Blocks with the members that are always there are read as they are written`() throws {
        try isRead(WindStatus(station: SanitizedText("EDDB")!, distance: 12_400))
        try isRead(SunStatus(phase: .polarNight))
        try isRead(PartnerStatus(secondsAhead: nil, metresAhead: -5))
        try isRead(CourseStatus(lengthMetres: 9876.5))
    }

    @Test(arguments: [
        "{}", "[]", #"{"station":"EDDB"}"#, #"{"station":" ","distance_m":1}"#, #"{"station":7,"distance_m":1}"#,
        #"{"station":"EDDB","distance_m":1e9}"#, #"{"station":"EDDB","distance_m":"1"}"#,
    ])
    func `A block that lacks a member is not read`(text: String) throws {
        #expect(WindStatus(try JSON(parsing: text.utf8)) == nil)
    }

    @Test func `Wrong members and words of a later release are read as absent`() throws {
        let course = try #require(
            CourseStatus(
                try JSON(
                    parsing: #"""
                        {"id":0,"name":"\u0007","status":"lost","length_m":5,"progress_m":"3","climb":{"number":1},
                        "cue":{"type":"roundabout","distance_m":20,"derived":false},"second_cue":{"type":"left"}}
                        """#.utf8)))
        var expected = CourseStatus(name: SanitizedText("\u{FFFD}"), lengthMetres: 5)
        expected.status = nil
        expected.cue = CueAhead(.generic, name: nil, isDerived: false, metres: 20, seconds: nil)
        #expect(course == expected)
        #expect(SunStatus(try JSON(parsing: #"{"state":"eclipse"}"#.utf8)) == nil)
    }

    @Test func `schema.json has the members of the lists`() throws {
        let definitions = try #require(try JSON(parsing: Schema.text.utf8)["$defs"])
        let blocks = try #require(definitions["STATE"]?["properties"]?["blocks"]?["properties"])
        func expect(_ name: String, _ block: some JSONObject, least: some JSONObject, in schema: JSON?) throws {
            let (all, least) = (try members(of: block), try members(of: least))
            guard case .object(let properties)? = schema?["properties"] else {
                Issue.record("schema.json does not have \(name)")
                return
            }
            #expect(properties.keys.sorted() == all.keys.sorted())
            #expect(schema?["required"]?.array?.compactMap(\.string).sorted() == least.keys.sorted())
            for (member, value) in all {
                let reference = properties[member]?["$ref"]?.string?.dropFirst("#/$defs/".count)
                let property = reference.map { definitions[String($0)] } ?? properties[member]
                #expect(isValid(value, property), "\(name).\(member)")
            }
        }
        let course = CourseStatus.example
        try expect("wind", Self.wind, least: WindStatus(), in: blocks["wind"])
        try expect("sun", SunStatus.example, least: SunStatus(), in: blocks["sun"])
        try expect("partner", Self.partner, least: PartnerStatus(), in: blocks["partner"])
        var away = course
        (away.returnMetres, away.returnBearing) = (812, 44.9)
        try expect("course", away, least: CourseStatus(), in: blocks["course"])
        try expect("cue", try #require(course.cue), least: CueAhead(), in: definitions["cue"])
        try expect("climb", try #require(course.climb), least: ClimbAhead(), in: definitions["climb"])
        #expect(words(blocks["wind"], "reason") == WindStatus.Reason.allCases.map(\.rawValue))
        #expect(words(blocks["sun"], "state") == SunStatus.Phase.allCases.map(\.rawValue))
        #expect(words(blocks["course"], "status") == CourseProgressStatus.allCases.map(\.rawValue))
    }

    private func members(of block: some JSONObject) throws -> [String: JSON] {
        var writer = JSONWriter()
        writer.value(block)
        guard case .object(let members) = try JSON(parsing: writer.bytes) else { return [:] }
        return members
    }

    private func words(_ block: JSON?, _ member: String) -> [String]? {
        block?["properties"]?[member]?["enum"]?.array?.compactMap(\.string)
    }

    private func isValid(_ value: JSON, _ property: JSON?) -> Bool {
        switch value {
        case .integer: ["integer", "number"].contains(property?["type"]?.string)
        case .real: property?["type"]?.string == "number"
        case .bool: property?["type"]?.string == "boolean"
        case .object: property?["type"]?.string == "object"
        case .string: property?["type"]?.string == "string" || property?["enum"]?.array?.contains(value) == true
        case .null, .array: false
        }
    }
}
