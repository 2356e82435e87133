import Domain
import JSONCoding

extension SettingChange {
    /// Parses the components of the run screen. Each name and each position from 0 occurs at most once.
    static func components(_ value: JSON) throws(RPCError) -> [Component] {
        guard let elements = value.array else { throw wrong("components must be a list") }
        // The count is checked before any element is parsed: each element needs a distinct name.
        guard elements.count <= Component.Name.allCases.count else {
            throw wrong("components must be at most \(Component.Name.allCases.count), each with another name")
        }
        var components: [Component] = []
        for (index, element) in elements.enumerated() {
            let component = try component(element, index, of: elements.count)
            if components.contains(where: { $0.name == component.name }) {
                throw wrong("components[\(index)].name occurs twice: \(component.name.rawValue)")
            }
            if components.contains(where: { $0.position == component.position }) {
                throw wrong("components[\(index)].position occurs twice: \(component.position)")
            }
            components.append(component)
        }
        return components
    }

    private static func component(_ json: JSON, _ index: Int, of count: Int) throws(RPCError) -> Component {
        func member<Value>(
            _ name: String, _ wanted: String, _ read: (JSON) -> Value?
        ) throws(RPCError) -> Value {
            guard let value = json[name].flatMap(read) else {
                throw wrong("components[\(index)].\(name) must be \(wanted)")
            }
            return value
        }
        let names = Component.Name.allCases.map(\.rawValue).joined(separator: ", ")
        let colours = Component.Colour.allCases.map(\.rawValue).joined(separator: ", ")
        return Component(
            name: try member("name", "one of \(names)") { $0.string.flatMap(Component.Name.init(rawValue:)) },
            position: try member("position", "an integer from 0 to \(count - 1)") {
                $0.integer.flatMap { (0..<count).contains($0) ? $0 : nil }
            },
            visible: try member("visible", "true or false") { $0.bool },
            titleVisible: try member("title_visible", "true or false") { $0.bool },
            size: try member("size", "an integer from 12 to 100") {
                $0.integer.flatMap { (12...100).contains($0) ? $0 : nil }
            },
            colour: try member("colour", "one of \(colours)") { $0.string.flatMap(Component.Colour.init(rawValue:)) })
    }

    private static func wrong(_ detail: String) -> RPCError {
        .invalidValue(SettingKey.components.rawValue, detail)
    }
}
