/// A JSON Schema in an OpenRPC document, as compact JSON text.
struct JSONSchema: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static let any = JSONSchema("true")
    static let null = JSONSchema(#"{"type":"null"}"#)
    static let boolean = JSONSchema(#"{"type":"boolean"}"#)
    static let object = JSONSchema(#"{"type":"object"}"#)
    static let string = JSONSchema(#"{"type":"string"}"#)
    static let number = JSONSchema(#"{"type":"number"}"#)
    static let integer = JSONSchema(#"{"type":"integer"}"#)
    /// A member that is left out instead of false.
    static let onlyTrue = JSONSchema(#"{"const":true}"#)
    /// A number from 1: of an activity, a course or a token.
    static let id = integer(1...Int(Int32.max))
    /// The number of an activity or a course, or the beginning of its uuid.
    static let record = JSONSchema(
        #"{"oneOf":[{"type":"integer","minimum":1},{"type":"string","minLength":8,"maxLength":36}]}"#)
    static let uuid = JSONSchema(#"{"type":"string","format":"uuid"}"#)
    static let count = integer(0...Int(Int32.max))
    static let time = JSONSchema(#"{"type":"string","format":"date-time"}"#)
    /// A name or another text for users.
    static let text = string(1...64)

    /// Without a maximum if that is the greatest number of the protocol.
    static func integer(_ range: ClosedRange<Int>) -> JSONSchema {
        let most = range.upperBound == Int(Int32.max) ? "" : #","maximum":\#(range.upperBound)"#
        return JSONSchema(#"{"type":"integer","minimum":\#(range.lowerBound)\#(most)}"#)
    }

    static func number(_ least: String, _ most: String) -> JSONSchema {
        JSONSchema(#"{"type":"number","minimum":\#(least),"maximum":\#(most)}"#)
    }

    static func string(_ lengths: ClosedRange<Int>) -> JSONSchema {
        JSONSchema(#"{"type":"string","minLength":\#(lengths.lowerBound),"maxLength":\#(lengths.upperBound)}"#)
    }

    static func string(pattern: String) -> JSONSchema {
        JSONSchema(#"{"type":"string","pattern":"\#(pattern)"}"#)
    }

    static func oneOf(_ words: some Sequence<String>) -> JSONSchema {
        JSONSchema(#"{"enum":[\#(words.map { "\"\($0)\"" }.joined(separator: ","))]}"#)
    }

    /// - Parameter rule: further members, such as `"maxItems":64`.
    static func array(of element: JSONSchema?, _ rule: String = "") -> JSONSchema {
        let items = element.map { #","items":\#($0.text)"# } ?? ""
        return JSONSchema(#"{"type":"array"\#(rule.isEmpty ? "" : "," + rule)\#(items)}"#)
    }

    /// - Parameter rule: further members, such as `"additionalProperties":false`.
    static func object(
        required: [String] = [], _ properties: KeyValuePairs<String, JSONSchema>,
        and more: KeyValuePairs<String, JSONSchema> = [:], _ rule: String = ""
    ) -> JSONSchema {
        let needed = required.isEmpty ? "" : #","required":[\#(required.map { "\"\($0)\"" }.joined(separator: ","))]"#
        let members = (Array(properties) + Array(more)).map { #""\#($0)":\#($1.text)"# }.joined(separator: ",")
        return JSONSchema(#"{"type":"object"\#(needed)\#(rule.isEmpty ? "" : "," + rule),"properties":{\#(members)}}"#)
    }

    /// A schema or an error of the document's components.
    static func component(_ path: String) -> JSONSchema {
        JSONSchema(##"{"$ref":"#/components/\##(path)"}"##)
    }
}
