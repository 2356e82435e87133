import Domain
import Foundation
import Testing
import Wire

/// The settings and the data fields in schema.json and docs/protocol.md are made from their tables: `make pages` writes them.
@Suite struct ProtocolTableTests {
    @Test func schemaIsMadeFromTheTables() throws {
        let path = "Sources/Wire/schema.json"
        var schema = try GeneratedPage.text(of: path)
        for (name, node) in [
            ("setting_event", Self.event), ("settings", Self.settings), ("fields", Self.fields),
            ("field_name", Self.fieldName),
        ] + Self.topicTables.map({ ($0.name, $0.members.schema) }) {
            let start = try #require(schema.range(of: "\n    \"\(name)\": {\n"))
            let end = try #require(schema.range(of: "\n    },\n", range: start.upperBound..<schema.endIndex))
            schema.replaceSubrange(
                start.lowerBound..<end.upperBound, with: "\n    \"\(name)\": " + node.text(indent: 4, spare: 1) + ",\n")
        }
        try GeneratedPage.expect(schema, in: path)
    }

    @Test func protocolPageIsMadeFromTheTables() throws {
        let path = "docs/protocol.md"
        var page = try GeneratedPage.text(of: path)
        let settings = SettingKey.allCases.map { key in
            let when = key.isOptional ? "if set" : "always"
            return "| `\(key.rawValue)` | \(key.pageType) |\(key.unit) | \(when) | \(key.meaning) |\n"
        }
        let fields = DataField.allCases.map { field in
            let unit = field.unit == .none ? "" : " " + field.unit.rawValue
            return "| `\(field.rawValue)` | \(field.pageType) |\(unit) | if known | \(field.text) |\n"
        }
        let topics = Self.topicTables.map { ($0.name, $0.members.map(\.row)) }
        for (name, rows) in [("settings", settings), ("fields", fields)] + topics {
            let heading = try #require(page.range(of: "# \(name)\n"))
            let start = try #require(page.range(of: "|---|\n", range: heading.upperBound..<page.endIndex)).upperBound
            let rest = page[start...].split(separator: "\n", omittingEmptySubsequences: false).drop {
                $0.hasPrefix("|")
            }
            page.replaceSubrange(start..., with: rows.joined() + rest.joined(separator: "\n"))
        }
        try GeneratedPage.expect(page, in: path)
    }

    fileprivate static let topicTables = KnownTopic.all.flatMap(\.tables)

    private static var settings: SchemaNode {
        .object([
            ("type", .text("object")), ("required", names(of: SettingKey.allCases.filter { !$0.isOptional })),
            (
                "properties",
                .object(
                    SettingKey.allCases.map { key in
                        (key.rawValue, .object(key.type + [("description", .text(key.meaning))]))
                    })
            ),
        ])
    }

    private static var fields: SchemaNode {
        let properties = DataField.allCases.map { field in
            (field.rawValue, SchemaNode.object([field.schemaType, ("description", .text(field.text))]))
        }
        return .object([("type", .text("object")), ("properties", .object(properties))])
    }

    private static var fieldName: SchemaNode {
        .object([("enum", .list(DataField.allCases.map { .text($0.rawValue) }))])
    }

    /// EVENT `settings`: one alternative for each type of value.
    private static var event: SchemaNode {
        var alternatives: [(type: SchemaNode, keys: [SettingKey])] = []
        for key in SettingKey.allCases {
            let type = SchemaNode.object(key.eventType)
            let index = alternatives.firstIndex { $0.type == type && $0.keys[0].isOptional == key.isOptional }
            if let index {
                alternatives[index].keys.append(key)
            } else {
                alternatives.append((type, [key]))
            }
        }
        return .object([
            ("required", .list([.text("key")])),
            (
                "properties",
                .object([
                    ("event", .object([("const", .text("settings"))])),
                    (
                        "key",
                        .object([
                            ("enum", .list(eventKeys.map { .text($0) })),
                            ("description", .text("The setting that changed.")),
                        ])
                    ), ("value", .object([("description", .text("Its new value."))])),
                ])
            ),
            (
                "oneOf",
                .list(
                    alternatives.map { type, keys in
                        let properties = SchemaNode.object([
                            ("key", .object([("enum", names(of: keys))])), ("value", type),
                        ])
                        let condition = ("allOf", SchemaNode.list([.object([("properties", properties)])]))
                        return .object(
                            keys[0].isOptional ? [condition] : [("required", .list([.text("value")])), condition])
                    } + [formerEvent])
            ),
        ])
    }

    /// The names that the settings had in earlier releases: events of those are replayed.
    private static let formerKeys = [Screens.formerName, "straps"]
    private static let eventKeys = SettingKey.allCases.map(\.rawValue) + formerKeys

    /// An event of an earlier release, whose setting is ``SettingKey/screens`` or ``SettingKey/sensors`` now.
    private static var formerEvent: SchemaNode {
        let properties = SchemaNode.object([
            ("key", .object([("enum", .list(formerKeys.map { .text($0) }))])),
            ("value", .object([("type", .text("array"))])),
        ])
        return .object([
            ("required", .list([.text("value")])), ("allOf", .list([.object([("properties", properties)])])),
        ])
    }

    private static func names(of keys: [SettingKey]) -> SchemaNode {
        .list(keys.map { .text($0.rawValue) })
    }
}

extension SettingKey {
    /// An unset value is no member on the wire.

    fileprivate var type: [(String, SchemaNode)] {
        switch kind {
        case .number(_, let range):
            [
                ("type", .text("integer")), ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)),
            ]
        case .flag, .optionalFlag, .sport, .sex, .sports, .sensors, .zones, .powerZones, .alerts, .workout, .screens:
            eventType
        }
    }

    fileprivate var eventType: [(String, SchemaNode)] {
        switch kind {
        case .flag, .optionalFlag: [("type", .text("boolean"))]
        case .number: [("$ref", .text("#/$defs/count"))]
        case .sports: [("$ref", .text("#/$defs/sports"))]
        case .sport, .sex, .sensors, .zones, .powerZones, .alerts, .workout, .screens:
            [("$ref", .text("#/$defs/\(rawValue)"))]
        }
    }

    fileprivate var pageType: String {
        switch kind {
        case .flag, .optionalFlag: "boolean"
        case .number: "integer"
        case .sport, .sex: "token"
        case .sports, .sensors, .zones, .powerZones, .alerts, .workout: "list"
        case .screens: "object"
        }
    }

    /// The cell of the page, with the blank before it.
    fileprivate var unit: String {
        switch self {
        case .autoLapMetres: " m"
        case .autoLapSeconds: " s"
        case .autoStopMinutes: " min"
        case .zones, .maxHeartRate, .restingHeartRate: " bpm"
        case .ftp, .powerZones: " W"
        case .wheelMillimetres: " mm"
        case .weightKilograms: " kg"
        default: ""
        }
    }

    /// The text of the row, the range and the default.
    fileprivate var meaning: String {
        let defaults = Settings()
        let values =
            switch kind {
            case .flag(let property): " Default \(defaults[keyPath: property])."
            case .number(let property, let range):
                " At most \(range.upperBound). Default \(defaults[keyPath: property])."
            case .sport: " Default \(defaults.sport.rawValue)."
            case .sports(let property):
                " Default \(defaults[keyPath: property].map(\.rawValue).joined(separator: ", "))."
            case .optionalFlag, .sex, .sensors, .zones, .powerZones, .alerts, .workout, .screens: ""
            }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ") + values
    }
}

extension DataField {
    fileprivate var schemaType: (String, SchemaNode) {
        switch pageType {
        case "time": ("$ref", .text("#/$defs/time"))
        case "integer": ("$ref", .text("#/$defs/count"))
        default:
            [
                .altitude, .temperature, .dfaAlpha1, .grade, .verticalSpeed, .courseGrade, .climbAverageGrade,
                .climbGradeAhead, .partnerTime, .partnerDistance, .headwind, .crosswind, .windAngle,
            ].contains(self) || unit == .watts
                ? ("type", .text("number")) : ("$ref", .text("#/$defs/amount"))
        }
    }

    fileprivate var pageType: String {
        switch unit {
        case .beatsPerMinute: "integer"
        case .none: format == .clock ? "time" : self == .dfaAlpha1 ? "number" : "integer"
        case .seconds, .metres, .metresPerSecond, .secondsPerMetre, .percent, .watts, .kilojoules, .kilocalories,
            .perMinute, .pascals,
            .degreesCelsius, .degrees, .milliseconds, .breathsPerMinute, .metresPerHour:
            "number"
        }
    }
}

extension [TopicMember] {
    /// Objects of a table are referred to by its name.
    fileprivate var schema: SchemaNode {
        .object([
            ("type", .text("object")), ("required", .list(filter(\.isRequired).map { .text($0.name) })),
            ("additionalProperties", .flag(false)),
            (
                "properties",
                .object(
                    map {
                        ($0.name, .object($0.schema + [("description", .text($0.meaning.filter { $0 != "`" }))]))
                    })
            ),
        ])
    }
}

extension TopicMember {
    fileprivate var schema: [(String, SchemaNode)] {
        guard let listLimit else { return shape.schema }
        return [("type", .text("array")), ("maxItems", .number(listLimit)), ("items", .object(shape.schema))]
    }

    fileprivate var row: String {
        "| `\(name)` | \(listLimit == nil ? shape.pageType : "list") |\(unit.isEmpty ? "" : " " + unit) | \(isRequired ? "always" : "if known") | \(meaning) |\n"
    }
}

extension TopicShape {
    fileprivate var schema: [(String, SchemaNode)] {
        switch self {
        case .number(let range):
            [
                ("type", .text("number")), ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)),
            ]
        case .text: [("type", .text("string")), ("minLength", .number(1)), ("maxLength", .number(Self.textLimit))]
        case .time: [("$ref", .text("#/$defs/utc"))]
        case .flag: [("type", .text("boolean"))]
        case .token(let tokens): [("enum", .list(tokens.map { .text($0) }))]
        case .object(let members): [("$ref", .text("#/$defs/\(members.tableName)"))]
        }
    }

    fileprivate var pageType: String {
        switch self {
        case .number: "number"
        case .text, .time: "string"
        case .flag: "boolean"
        case .token: "token"
        case .object: "object"
        }
    }
}

extension [TopicMember] {
    /// The name of the table that has these members.
    fileprivate var tableName: String {
        ProtocolTableTests.topicTables.first { $0.members.map(\.name) == map(\.name) }?.name ?? "unknown"
    }
}

/// JSON text with at most 120 columns, as schema.json has it.
private indirect enum SchemaNode: Equatable {
    case object([(String, SchemaNode)])
    case list([SchemaNode])
    case text(String)
    case number(Int)
    case flag(Bool)

    static func == (one: SchemaNode, other: SchemaNode) -> Bool { one.line == other.line }

    private var line: String {
        switch self {
        case .object(let members): "{" + members.map { "\"\($0)\": \($1.line)" }.joined(separator: ", ") + "}"
        case .list(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
        case .text(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }

    /// - Parameters:
    ///   - indent: the columns before the line on which the value begins.
    ///   - spare: the columns of its key and of the comma after it.
    func text(indent: Int, spare: Int) -> String {
        if indent + spare + line.count <= 120 { return line }
        let inner = String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .object(let members):
            let lines = members.map { "\(inner)\"\($0)\": " + $1.text(indent: indent + 2, spare: $0.count + 5) }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        case .list(let elements):
            var lines = [inner]
            for (index, element) in elements.enumerated() {
                let text = element.text(indent: indent + 2, spare: 1) + (index + 1 < elements.count ? "," : "")
                let isFirst = lines[lines.count - 1] == inner
                if !isFirst, text.contains("\n") || lines[lines.count - 1].count + 1 + text.count > 120 {
                    lines.append(inner + text)
                } else {
                    lines[lines.count - 1] += (isFirst ? "" : " ") + text
                }
            }
            return "[\n" + lines.joined(separator: "\n") + end + "]"
        case .text, .number, .flag: return line
        }
    }
}
