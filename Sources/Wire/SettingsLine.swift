package import Domain
import JSONCoding

extension JSONWriter {
    /// The line of class SETTINGS: all settings, at top level.
    package mutating func settingsLine(_ settings: Settings) {
        object { line in
            line.member("class", "SETTINGS")
            line.members(of: settings)
        }
        newline()
    }

    /// All settings as one object.
    package mutating func settings(_ settings: Settings) {
        object { $0.members(of: settings) }
    }

    private mutating func members(of settings: Settings) {
        for setting in SettingKey.allCases { member(setting.rawValue, setting, of: settings) }
    }

    /// One setting as a member; left out while it is unset.
    mutating func member(_ name: String, _ setting: SettingKey, of settings: Settings) {
        if settings.isUnset(setting) { return }
        key(name)
        value(setting, of: settings)
    }

    /// One setting as a value; `null` while it is unset.
    package mutating func value(_ setting: SettingKey, of settings: Settings) {
        switch setting.kind {
        case .flag(let property): value(settings[keyPath: property])
        case .optionalFlag(let property):
            guard let flag = settings[keyPath: property] else { return null() }
            value(flag)
        case .number(let property, _): value(settings[keyPath: property])
        case .sport: value(settings.sport.rawValue)
        case .sex:
            guard let sex = settings.sex else { return null() }
            value(sex.rawValue)
        case .sports(let property): array { for sport in settings[keyPath: property] { $0.value(sport.rawValue) } }
        case .sensors: array { for sensor in settings.sensors { $0.value(sensor) } }
        case .zones:
            guard let zones = settings.zones else { return null() }
            array { for bottom in zones.bottoms { $0.value(bottom) } }
        case .powerZones:
            guard let zones = settings.powerZones else { return null() }
            array { for bottom in zones.bottoms { $0.value(bottom) } }
        case .alerts: array { for alert in settings.alerts { $0.value(alert.text) } }
        case .workout: array { for step in settings.workout { $0.value(step.text) } }
        case .screens: value(settings.screens, leavingOutDefaults: false)
        }
    }
}
