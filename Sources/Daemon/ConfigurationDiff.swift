package import Domain
import Program

/// The differences between two configurations.
package struct ConfigurationDiff: Equatable {
    /// Names of keys whose new values take effect at once.
    package internal(set) var now: [String] = []
    /// Names of keys whose new values take effect at the next start.
    package internal(set) var later: [String] = []
    /// Settings with other defaults.
    package internal(set) var settings: [SettingKey] = []

    package init(from old: Configuration, to new: Configuration) {
        for key in Configuration.table.keys where !key.isEqual(old, new) {
            switch key.effect {
            case .reload: now.append(key.name)
            case .start: later.append(key.name)
            }
        }
        // The sensors are the key Sensors= of [Bluetooth].
        settings = old.settings.differences(from: new.settings).filter { $0 != .sensors }
    }
}
