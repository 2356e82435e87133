import Domain
import JSONCoding

/// A parameter of methods: its OpenRPC entry, and how its value is read.
struct RPCParameter<Value>: Sendable {
    let name: String
    let summary: String
    let schema: JSONSchema
    /// What the value names, which may be a uuid; nil for another value.
    let record: RecordKind?
    /// Reads the value. The text is the parameter's name, for errors.
    let read: @Sendable (JSON, String) throws -> Value

    init(
        _ name: String, _ schema: JSONSchema, _ summary: String, record: RecordKind? = nil,
        read: @escaping @Sendable (JSON, String) throws -> Value
    ) {
        self.name = name
        self.summary = summary
        self.schema = schema
        self.record = record
        self.read = read
    }
}

extension RPCParameter where Value == Int {
    static func integer(_ name: String, _ range: ClosedRange<Int>, _ summary: String) -> RPCParameter {
        RPCParameter(name, .integer(range), summary) { try $0.integer(in: range, field: $1) }
    }

    /// A number from 1, such as that of a token.
    static func id(_ name: String, _ summary: String) -> RPCParameter {
        integer(name, 1...Int(Int32.max), summary)
    }

    /// The number of an activity or a course. ``RPCMethod/lookup(_:)`` finds that of a uuid before the value is read.
    static func record(_ name: String, _ kind: RecordKind, _ summary: String) -> RPCParameter {
        RPCParameter(name, .record, summary, record: kind) {
            try $0.record.integer(in: 1...Int(Int32.max), field: $1)
        }
    }
}

extension JSON {
    /// The name of an activity or a course: digits in a text are a number.
    var record: JSON {
        guard let text = string, let number = Int64(text), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return self
        }
        return .integer(number)
    }
}

extension RPCParameter where Value == Bool {
    static func flag(_ name: String, _ summary: String) -> RPCParameter {
        RPCParameter(name, .boolean, summary) { try $0.bool(field: $1) }
    }
}

extension RPCParameter where Value == SanitizedText {
    static func text(_ name: String, _ summary: String) -> RPCParameter {
        RPCParameter(name, .text, summary) { value, name in
            guard let text = value.string, text.count <= SanitizedText.characterLimit, let text = SanitizedText(text)
            else {
                throw RPCError.invalidValue(
                    name, "\(name) must be a string of 1 to \(SanitizedText.characterLimit) characters")
            }
            return text
        }
    }
}

extension RPCParameter where Value == UTC {
    /// A time with its zone.
    ///
    /// - Parameter rule: what a value must be, after "must be a time".
    static func time(
        _ name: String, _ summary: String, in range: Range<UTC>? = nil, rule: String = ""
    ) -> RPCParameter {
        RPCParameter(name, .time, summary) { value, name in
            // A text to which a zone can be added has none.
            guard let text = value.string, let time = UTC(iso8601: text), UTC(iso8601: text + "Z") == nil,
                range?.contains(time) != false
            else {
                throw RPCError.invalidValue(
                    name, "\(name) must be a time\(rule) with its zone, such as 2026-03-01T07:30:00Z")
            }
            return time
        }
    }
}

/// A parameter in the list of a method.
struct RPCParameterEntry: Sendable {
    let name: String
    let summary: String
    let schema: JSONSchema
    let record: RecordKind?
    let isRequired: Bool
}

extension RPCParameter {
    var optional: RPCParameterEntry {
        RPCParameterEntry(name: name, summary: summary, schema: schema, record: record, isRequired: false)
    }
    var required: RPCParameterEntry {
        RPCParameterEntry(name: name, summary: summary, schema: schema, record: record, isRequired: true)
    }
}

/// The parameters of a request, by name.
package struct RPCParameters: Sendable {
    let members: [String: JSON]

    /// - Throws: ``RPCError`` if a parameter is not one of `names`, or if they have no names.
    init(_ json: JSON?, names: [String]) throws(RPCError) {
        switch json {
        case nil: members = [:]
        case .object(let members):
            if let unknown = members.keys.filter({ !names.contains($0) }).min() {
                let known =
                    names.isEmpty ? "the method has none" : "the parameters are \(names.joined(separator: ", "))"
                // Truncated by bytes, because a character may have any number of combining marks.
                let name = SanitizedText(unknown.utf8.prefix(64))?.text ?? ""
                throw .invalidParameters(name, "unknown parameter \"\(name)\": \(known)")
            }
            self.members = members
        default: throw .invalidParameters(nil, "parameters must be named, not positional")
        }
    }

    /// The value of a parameter; nil if it is absent.
    subscript<Value>(parameter: RPCParameter<Value>) -> Value? {
        get throws(RPCError) {
            guard let value = members[parameter.name] else { return nil }
            return try RPCError.only { try parameter.read(value, parameter.name) }
        }
    }

    /// The value of a parameter that must be there.
    func value<Value>(of parameter: RPCParameter<Value>) throws(RPCError) -> Value {
        guard let value = try self[parameter] else {
            throw .invalidParameters(parameter.name, "\(parameter.name) is missing")
        }
        return value
    }
}

extension RPCError {
    /// Calls a closure of a table, whose errors are of this type.
    static func only<Value>(_ body: () throws -> Value) throws(RPCError) -> Value {
        do {
            return try body()
        } catch let error as RPCError {
            throw error
        } catch {
            throw .internalError("\(error)")
        }
    }
}
