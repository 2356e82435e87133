package import Domain
import JSONCoding
import JournalCoding
package import Linux
package import Storage
package import Wire

/// Settings that users have changed over control.sock. The others have the configuration's values.
package struct UserSettings: Equatable {
    private var changes: [SettingKey: SettingChange] = [:]
    /// The settings that users have reset. A journal that is read later does not bring their values back.
    private var resets: Set<SettingKey> = []
    /// Whether the use of sensors is disabled; nil if no user chose.
    package private(set) var sensorsAreOff: Bool?

    private static let sensorsAreOffName = "straps_off"

    /// A stored setting that is not valid, or is one of an earlier release.
    package struct Damage: Equatable {
        package internal(set) var level = LogLevel.warning
        package internal(set) var reason: String
        /// The changes that repair the journal.
        package internal(set) var repair: [JournalChange]
    }

    package init() {}

    /// Adopts stored settings. A damaged one counts as not set.
    /// Damaged zones are cleared, and the use of zones is disabled.
    package init(_ kept: [JournalSetting], damages: inout [Damage]) {
        var settings = Settings()
        var zonesDamage: String?
        var components: String?
        for setting in kept {
            // A later release may know more settings.
            guard let key = SettingKey(token: setting.name) else {
                if setting.name == Self.sensorsAreOffName { sensorsAreOff = setting.value == "true" }
                if setting.name == Screens.formerName { components = setting.value }
                continue
            }
            do throws(RPCError) {
                guard let value = try? JSON(parsing: setting.value.utf8) else {
                    throw .invalidValue(setting.name, "it is no JSON")
                }
                let change = try SettingChange(stored: key, value)
                try change.apply(to: &settings)
                changes[key] = change
            } catch {
                let reason = (error.detail ?? error.message).split(separator: "\n").joined(separator: ", ")
                if key == .zones {
                    zonesDamage = reason
                } else {
                    damages.append(
                        Damage(
                            reason: "the setting \(setting.name) is damaged (\(reason)): it is as if nobody had set it",
                            repair: [.unset(name: setting.name)]))
                }
            }
        }
        if let components { convert(components: components, damages: &damages) }
        if let zonesDamage {
            damages.append(
                Damage(
                    reason: "the heart-rate zones are damaged (\(zonesDamage)): they are cleared and switched off",
                    repair: [
                        adopt(SettingChange(.zones) { $0.zones = nil }),
                        adopt(SettingChange(.useHeartRateZones) { $0.useHeartRateZones = false }),
                    ]))
        }
    }

    /// Makes the stored components of release 0.1.0 the first page of each sport, once.
    private mutating func convert(components: String, damages: inout [Damage]) {
        let unset = JournalChange.unset(name: Screens.formerName)
        if has(.screens) {
            damages.append(
                Damage(
                    level: .notice, reason: "the setting components is dropped, because screens is set", repair: [unset]
                ))
        } else if let json = try? JSON(parsing: components.utf8), let screens = try? Screens(components: json) {
            let change = adopt(SettingChange(.screens) { $0.screens = screens })
            damages.append(
                Damage(
                    level: .notice, reason: "the setting components is now the first page of each sport in screens",
                    repair: [change, unset]))
        } else {
            damages.append(
                Damage(reason: "the setting components is damaged: screens have their default", repair: [unset]))
        }
    }

    /// Merges with newer changes, which have precedence.
    package func merging(_ newer: UserSettings) -> UserSettings {
        var merged = self
        for key in newer.resets { merged.changes[key] = nil }
        if newer.resets.contains(.sensors) { merged.sensorsAreOff = nil }
        merged.changes.merge(newer.changes) { $1 }
        merged.sensorsAreOff = newer.sensorsAreOff ?? merged.sensorsAreOff
        merged.resets = newer.resets
        return merged
    }

    /// Adopts a change that was checked against the settings in force.
    ///
    /// - Returns: the change to the journal.
    package mutating func adopt(_ change: SettingChange) -> JournalChange {
        changes[change.key] = change
        resets.remove(change.key)
        var settings = Settings()
        try? change.apply(to: &settings)
        var line = JSONWriter()
        line.stored(change.key, of: settings)
        return .setting(JournalSetting(name: change.key.token, value: String(decoding: line.bytes, as: UTF8.self)))
    }

    /// Removes a user's change; that of sensors with whether any is used.
    ///
    /// - Returns: the changes to the journal.
    package mutating func reset(_ key: SettingKey) -> [JournalChange] {
        changes[key] = nil
        resets.insert(key)
        guard key == .sensors else { return [.unset(name: key.token)] }
        sensorsAreOff = nil
        return [.unset(name: key.token), .unset(name: Self.sensorsAreOffName)]
    }

    package mutating func adopt(sensorsAreOff: Bool) -> JournalChange {
        self.sensorsAreOff = sensorsAreOff
        return .setting(JournalSetting(name: Self.sensorsAreOffName, value: sensorsAreOff ? "true" : "false"))
    }

    /// Whether a user has chosen sensors or disabled them.
    package var hasSensors: Bool {
        has(.sensors) || sensorsAreOff != nil
    }

    package func has(_ key: SettingKey) -> Bool {
        changes[key] != nil
    }

    /// The settings in force, given the defaults.
    package func over(_ defaults: Settings) -> Settings {
        var settings = defaults
        // Only one of the two can be enabled: a default must not prevent a user's change.
        if has(.autoLapMetres) || isOn(.autoLapSeconds) { settings.autoLapMetres = 0 }
        if has(.autoLapSeconds) || isOn(.autoLapMetres) { settings.autoLapSeconds = 0 }
        for key in SettingKey.allCases { try? changes[key]?.apply(to: &settings) }
        return settings
    }

    private func isOn(_ key: SettingKey) -> Bool {
        guard let change = changes[key], case .number(let property, _) = key.kind else { return false }
        return change.values[keyPath: property] > 0
    }
}
