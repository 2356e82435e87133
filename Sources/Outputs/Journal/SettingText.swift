package import Domain

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
