package import Domain
package import JSONCoding
package import Wire

// Settings as the journal stores them: in the input log as one object, in the table `setting` one by one.
extension JSONWriter {
    package mutating func stored(_ settings: Settings) {
        object { line in
            for key in SettingKey.allCases where key != .zones || settings.zones != nil {
                line.key(key.token)
                line.stored(key, of: settings)
            }
        }
    }

    /// One setting as a value; `null` while it is unset.
    package mutating func stored(_ key: SettingKey, of settings: Settings) {
        switch key.kind {
        case .flag(let property): value(settings[keyPath: property])
        case .number(let property, _): value(settings[keyPath: property])
        case .sport: value(settings.sport.token)
        case .straps: array { for strap in settings.straps { $0.value(strap) } }
        case .zones:
            guard let zones = settings.zones else { return null() }
            array { for bottom in zones.bottoms { $0.value(bottom) } }
        case .components: array { for component in settings.components { $0.stored(component) } }
        }
    }

    private mutating func stored(_ component: Component) {
        object { line in
            line.member("name", component.name.token)
            line.member("position", component.position)
            line.member("visible", component.visible)
            line.member("title_visible", component.titleVisible)
            line.member("size", component.size)
            line.member("colour", component.colour.token)
        }
    }
}

extension SettingChange {
    /// Reads what `JSONWriter.stored(_:of:)` wrote.
    ///
    /// - Throws: ``RPCError`` -32004, whose field is the setting.
    package init(stored key: SettingKey, _ value: JSON) throws(RPCError) {
        switch key.kind {
        case .sport:
            guard let sport = value.string.flatMap(Sport.init(token:)) else {
                throw .invalidValue(key.token, "unknown sport")
            }
            self.init(key) { $0.sport = sport }
        case .components:
            do throws(ParseError) {
                let components = try Component.list(stored: value)
                self.init(key) { $0.components = components }
            } catch {
                throw .invalidValue(key.token, error.description)
            }
        case .flag, .number, .straps, .zones:
            try self.init(key, value)
        }
    }
}

extension Settings {
    /// Reads the settings of an entry. A setting that the entry lacks is from a later release and has its default. Ranges were checked
    /// when the settings were made.
    init(_ json: JSON) throws(ParseError) {
        self.init()
        for key in SettingKey.allCases {
            guard let value = json[key.token] else { continue }
            switch key.kind {
            case .flag(let property): self[keyPath: property] = try value.truth()
            case .number(let property, _): self[keyPath: property] = try value.whole()
            case .sport: sport = try value.token()
            case .straps:
                straps = try json.elements(key.token) { (json) throws(ParseError) in try json.text() }
            case .zones:
                let bottoms = try json.elements(key.token) { (json) throws(ParseError) in try json.whole() }
                guard let zones = try? Zones(bottoms) else { throw ParseError(at: 0, expected: "zones") }
                self.zones = zones
            case .components: components = try Component.list(stored: value)
            }
        }
    }
}

extension Component {
    /// Each name and each position from 0 at most once.
    fileprivate static func list(stored json: JSON) throws(ParseError) -> [Component] {
        guard let elements = json.array, elements.count <= Name.allCases.count else {
            throw ParseError(at: 0, expected: "a list of components")
        }
        var components: [Component] = []
        for element in elements {
            let component = try Component(stored: element)
            let isOther = components.allSatisfy { $0.name != component.name && $0.position != component.position }
            guard isOther, elements.indices.contains(component.position), (12...100).contains(component.size) else {
                throw ParseError(at: 0, expected: "components")
            }
            components.append(component)
        }
        return components
    }

    private init(stored json: JSON) throws(ParseError) {
        self.init(
            name: try json.member("name").token(), position: try json.member("position").whole(),
            visible: try json.member("visible").truth(), titleVisible: try json.member("title_visible").truth(),
            size: try json.member("size").whole(), colour: try json.member("colour").token())
    }
}
