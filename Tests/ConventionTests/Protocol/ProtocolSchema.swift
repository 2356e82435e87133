import Foundation

/// The properties of a JSON Schema, by the objects that contain them.
struct ProtocolSchema {
    typealias Node = [String: Any]

    struct Property {
        var type: String
        var isRequired: Bool
        var description: String?
    }

    private(set) var properties: [ProtocolPage.Name: Property] = [:]
    private let definitions: [String: Node]

    init(_ text: String) throws {
        let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Node
        definitions = root?["$defs"] as? [String: Node] ?? [:]
        for (name, node) in definitions { collect(node, name == "setting_event" ? "EVENT" : name) }
    }

    /// An alternative (`oneOf`) has no type: it has the fields of an event, or those of one kind of response. Conditions (`if`, `allOf`,
    /// `dependentRequired`) constrain fields that are described elsewhere.
    private mutating func collect(_ node: Node, _ owner: String) {
        let members = node["properties"] as? Node ?? [:]
        let required = Set(node["required"] as? [String] ?? [])
        let events = node["type"] == nil ? Self.events(of: members["event"] as? Node ?? [:]) : []
        for (field, value) in members {
            guard let value = value as? Node, field != "event" || events.isEmpty else { continue }
            let isRequired = required.contains(field) && (node["type"] != nil || !events.isEmpty)
            let property = Property(
                type: type(of: value), isRequired: isRequired, description: value["description"] as? String)
            for owner in events.isEmpty ? [owner] : events.map({ "EVENT " + $0 }) {
                properties[ProtocolPage.Name(owner: owner, field: field)] = property
            }
            collect(value, owner + "." + field)
        }
        if let items = node["items"] as? Node { collect(items, owner) }
        for alternative in node["oneOf"] as? [Node] ?? [] { collect(alternative, owner) }
    }

    private static func events(of event: Node) -> [String] {
        (event["const"] as? String).map { [$0] } ?? event["enum"] as? [String] ?? []
    }

    /// The page's word for a type.
    func type(of node: Node) -> String {
        switch node["type"] as? String {
        case "array": return "list"
        case let type?: return type
        case nil: break
        }
        if node["const"] != nil || node["enum"] != nil { return "token" }
        guard let name = (node["$ref"] as? String)?.split(separator: "/").last.map(String.init) else {
            return node["properties"] == nil ? "any" : "object"
        }
        return name == "time" ? "time" : definitions[name].map { type(of: $0) } ?? "any"
    }
}
