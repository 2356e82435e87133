import Domain
import JSONCoding
import JournalCoding
import Storage
import Wire

/// The settings of the user's body, for energy and training impulse.
extension SettingKey {
    fileprivate static let body: [SettingKey] = [.maxHeartRate, .restingHeartRate, .age, .sex, .weightKilograms]
}

extension ControlClient {
    /// Those of the daemon.
    mutating func bodySettings() throws(Failure) -> Settings {
        let json = (try? JSON(parsing: try call("settings.get").utf8)) ?? .null
        var settings = Settings()
        for key in SettingKey.body {
            guard let value = json[key.rawValue] else { continue }
            // A daemon of another release may have other values.
            try? SettingChange(key, value).apply(to: &settings)
        }
        return settings
    }
}

extension JournalReader {
    /// Those that the journal has stored.
    func bodySettings() throws -> Settings {
        var settings = Settings()
        for setting in try self.settings() {
            guard let key = SettingKey(token: setting.name), SettingKey.body.contains(key),
                let json = try? JSON(parsing: setting.value.utf8)
            else { continue }
            // A damaged setting has its default.
            try? SettingChange(stored: key, json).apply(to: &settings)
        }
        return settings
    }
}
