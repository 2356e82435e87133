package import Domain
package import JSONCoding
package import Wire

// Settings as the journal stores them: in the input log as one object, in the table `setting` one by one.
extension JSONWriter {
    package mutating func stored(_ settings: Settings) {
        object { line in
            for key in SettingKey.allCases where !settings.isUnset(key) {
                line.key(key.token)
                line.stored(key, of: settings)
            }
        }
    }

    /// One setting as a value; `null` while it is unset.
    package mutating func stored(_ key: SettingKey, of settings: Settings) {
        switch key.kind {
        case .flag(let property): value(settings[keyPath: property])
        case .optionalFlag(let property):
            guard let flag = settings[keyPath: property] else { return null() }
            value(flag)
        case .number(let property, _): value(settings[keyPath: property])
        case .sport: value(settings.sport.token)
        case .sex:
            guard let sex = settings.sex else { return null() }
            value(sex.token)
        case .sports(let property): array { for sport in settings[keyPath: property] { $0.value(sport.token) } }
        case .sensors: array { for sensor in settings.sensors { $0.value(sensor) } }
        case .zones:
            guard let zones = settings.zones else { return null() }
            array { for bottom in zones.bottoms { $0.value(bottom) } }
        case .powerZones:
            guard let zones = settings.powerZones else { return null() }
            array { for bottom in zones.bottoms { $0.value(bottom) } }
        case .alerts: array { for alert in settings.alerts { $0.value(alert.text) } }
        case .workout: array { for step in settings.workout { $0.value(step.text) } }
        case .screens: value(settings.screens, leavingOutDefaults: true)
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
        case .sports(let property):
            // Sports of a later release are left out.
            guard let words = value.array?.compactMap(\.string) else {
                throw .invalidValue(key.token, "it is no list of sports")
            }
            let sports = words.compactMap(Sport.init(token:))
            self.init(key) { $0[keyPath: property] = Sport.allCases.filter(sports.contains) }
        case .flag, .optionalFlag, .number, .sex, .sensors, .zones, .powerZones, .alerts, .workout, .screens:
            try self.init(key, value)
        }
    }
}

extension Settings {
    /// Reads the settings of an entry. A setting that the entry lacks is from a later release and has its default, which
    /// is no value of the run: releases without automatic pauses made none. Ranges were checked
    /// when the settings were made. A run does not depend on screens: invalid ones are the default.
    init(_ json: JSON) throws(ParseError) {
        self.init()
        autoPause = []
        if let components = json[Screens.formerName], let converted = try? Screens(components: components) {
            screens = converted
        }
        for key in SettingKey.allCases {
            guard let value = json[key.token] else { continue }
            switch key.kind {
            case .flag(let property): self[keyPath: property] = try value.truth()
            case .optionalFlag(let property): self[keyPath: property] = try value.truth()
            case .number(let property, _): self[keyPath: property] = try value.whole()
            case .sport: sport = try value.token()
            case .sex: sex = try value.token()
            case .sports(let property):
                self[keyPath: property] = try json.elements(key.token) { (json) throws(ParseError) in try json.token() }
            case .sensors:
                sensors = try json.elements(key.token) { (json) throws(ParseError) in try json.text() }
            case .zones:
                let bottoms = try json.elements(key.token) { (json) throws(ParseError) in try json.whole() }
                guard let zones = try? Zones(bottoms) else { throw ParseError(at: 0, expected: "zones") }
                self.zones = zones
            case .powerZones:
                powerZones = PowerZones(try json.elements(key.token) { (json) throws(ParseError) in try json.whole() })
            case .alerts:
                alerts = try json.elements(key.token) { (json) throws(ParseError) in
                    guard let alert = Alert(try json.text()) else { throw ParseError(at: 0, expected: "an alert") }
                    return alert
                }
            case .workout:
                workout = try json.elements(key.token) { (json) throws(ParseError) in
                    guard let step = WorkoutStep(try json.text()) else { throw ParseError(at: 0, expected: "a step") }
                    return step
                }
            case .screens: if let stored = try? Screens(value) { screens = stored }
            }
        }
    }
}
