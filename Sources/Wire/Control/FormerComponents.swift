package import Domain
package import JSONCoding

// The setting `components` of release 0.1.0: the five fields of its only screen.
extension Screens {
    /// The name of the setting, on the wire, in paced.conf and in the journal.
    package static let formerName = "components"

    /// Makes the components the first page of every sport. The other pages are the default ones.
    ///
    /// - Throws: ``RPCError`` -32004 for a list that release 0.1.0 would not accept, too.
    package init(components json: JSON) throws(RPCError) {
        self.init()
        guard let elements = json.array, elements.count <= FormerName.allCases.count else {
            throw Self.wrong("components must be a list of at most \(FormerName.allCases.count)")
        }
        var components: [(name: FormerName, position: Int, field: ScreenField)] = []
        for (index, element) in elements.enumerated() {
            func member<Value>(
                _ name: String, _ wanted: String, _ read: (JSON) -> Value?
            ) throws(RPCError) -> Value {
                guard let value = element[name].flatMap(read) else {
                    throw Self.wrong("components[\(index)].\(name) must be \(wanted)")
                }
                return value
            }
            let names = FormerName.allCases.map(\.rawValue).joined(separator: ", ")
            let name = try member("name", "one of \(names)") { $0.string.flatMap(FormerName.init) }
            let position = try member("position", "an integer from 0 to \(elements.count - 1)") {
                $0.integer.flatMap { elements.indices.contains($0) ? $0 : nil }
            }
            var field = ScreenField(name.field(for: .run))
            field.visible = try member("visible", "true or false") { $0.bool }
            field.titleVisible = try member("title_visible", "true or false") { $0.bool }
            field.size = try member("size", "an integer from 12 to 100") {
                $0.integer.flatMap { ScreenField.sizes.contains($0) ? $0 : nil }
            }
            let colours = ScreenField.Colour.allCases.map(\.rawValue).joined(separator: ", ")
            field.colour = try member("colour", "one of \(colours)") {
                $0.string.flatMap(ScreenField.Colour.init(rawValue:))
            }
            if components.contains(where: { $0.name == name }) {
                throw Self.wrong("components[\(index)].name occurs twice: \(name.rawValue)")
            }
            if components.contains(where: { $0.position == position }) {
                throw Self.wrong("components[\(index)].position occurs twice: \(position)")
            }
            components.append((name, position, field))
        }
        components.sort { $0.position < $1.position }
        for sport in Sport.allCases {
            let page = components.map { component in
                var field = component.field
                field.field = .data(component.name.field(for: sport))
                return field
            }
            self[sport] = [page] + Screens.defaultPages(for: sport).dropFirst()
        }
    }

    private static func wrong(_ detail: String) -> RPCError {
        .invalidValue(formerName, detail)
    }

    private enum FormerName: String, CaseIterable {
        case time = "Time"
        case distance = "Distance"
        case pace = "Pace"
        case heartRate = "Heart Rate"
        case zone = "Zone"

        /// The field that shows the same.
        func field(for sport: Sport) -> DataField {
            switch self {
            case .time: .time
            case .distance: .distance
            case .pace: sport.isByPace ? .pace : .speed
            case .heartRate: .heartRate
            case .zone: .zone
            }
        }
    }
}
