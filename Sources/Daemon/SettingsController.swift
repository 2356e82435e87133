import Domain
import Linux
import Pipeline
import Program
import Simulation
import Storage
import Wire

/// Owns the configuration and the settings that users have changed.
///
/// Precedence, highest first: option, change over control.sock, configuration file, default. A change over control.sock
/// is in force at once, and answered when it is on the disk (``UnstoredSettings``). If the disk does not respond, the
/// recorder's status reports that, and the change waits in the journal's queue.
final class SettingsController {
    private let options: Options
    private let run: RunController
    /// The configuration file's values. Options have precedence.
    private(set) var configuration: Configuration
    private var userSettings: UserSettings

    init(_ options: Options, _ configuration: Configuration, _ userSettings: UserSettings, _ run: RunController) {
        self.options = options
        self.configuration = configuration
        self.userSettings = userSettings
        self.run = run
    }

    var isDemo: Bool { options.isDemo }
    /// The command that starts the run of the demo; nil without one.
    var demoStart: RunCommand? { options.demo.map { .start($0.sport, indoor: $0.isIndoor) } }

    /// The option's value; with `auto`, the user's choice or the configuration file decides.
    var sensorOption: Options.Sensors { options.sensors ?? .auto }

    /// Whether the use of sensors is disabled.
    var sensorsAreOff: Bool { userSettings.sensorsAreOff ?? (configuration.sensors == .off) }

    var batteryLimits: BatteryPolicy.Limits {
        BatteryPolicy.Limits(warning: configuration.warnAtPercent, closing: configuration.closeAtPercent)
    }

    var resumeLimit: Duration { .seconds(configuration.resumeLimitSeconds) }

    /// The settings without any change by a user. The demo shows those of a new device and stores nothing.
    static func defaultSettings(_ options: Options, _ configuration: Configuration) -> Settings {
        options.isDemo ? Settings() : configuration.settings
    }

    // MARK: Changes by a user

    /// Changes a setting other than `sensors`. Changes nothing if it throws.
    ///
    /// - Throws: ``RPCError`` -32004 if the value contradicts another setting.
    func apply(_ change: SettingChange, at now: Instant) throws(RPCError) {
        var settings = run.settings
        try change.apply(to: &settings)
        run.change([change.key], to: settings, at: now)
        save(change, at: now)
    }

    /// Brings the default of a setting other than `sensors` back.
    func reset(_ key: SettingKey, at now: Instant) {
        for change in userSettings.reset(key) { save(change, at: now) }
        let settings = userSettings.over(Self.defaultSettings(options, configuration))
        change(run.settings.differences(from: settings).filter { $0 != .sensors }, to: settings, at: now)
    }

    /// Removes the user's choice of sensors.
    ///
    /// - Returns: the default sensors.
    func resetSensors(at now: Instant) -> [String] {
        for change in userSettings.reset(.sensors) { save(change, at: now) }
        return userSettings.over(Self.defaultSettings(options, configuration)).sensors
    }

    /// Stores a change that is in force.
    func save(_ change: SettingChange, at now: Instant) {
        save(userSettings.adopt(change), at: now)
    }

    /// Stores the choice of sensors.
    func save(sensors: [String], areOff: Bool, at now: Instant) {
        save(SettingChange(.sensors) { $0.sensors = sensors }, at: now)
        save(userSettings.adopt(sensorsAreOff: areOff), at: now)
    }

    private func save(_ change: JournalChange, at now: Instant) {
        if !options.isDemo { run.journal.append(change, at: now) }
    }

    /// Logs each damaged or converted setting and repairs it in the journal.
    func repair(_ damages: [UserSettings.Damage], at now: Instant) {
        for damage in damages {
            Log.write(damage.level, damage.reason)
            for change in damage.repair { save(change, at: now) }
        }
    }

    /// Adopts the journal's settings if they could not be read at the start. Changes made since the start stay.
    ///
    /// - Returns: the user's choice of sensors, if the journal has one and none was made since the start.
    func adopt(_ stored: [JournalSetting], at now: Instant) -> [String]? {
        if options.isDemo { return nil }
        var damages: [UserSettings.Damage] = []
        let before = userSettings
        userSettings = UserSettings(stored, damages: &damages).merging(before)
        repair(damages, at: now)
        guard userSettings != before else { return nil }
        let settings = userSettings.over(Self.defaultSettings(options, configuration))
        change(run.settings.differences(from: settings).filter { $0 != .sensors }, to: settings, at: now)
        return !before.hasSensors && userSettings.hasSensors ? settings.sensors : nil
    }

    private func change(_ keys: [SettingKey], to new: Settings, at now: Instant) {
        guard !keys.isEmpty else { return }
        var settings = run.settings
        for key in keys { settings.adopt(key, from: new) }
        run.change(keys, to: settings, at: now)
    }

    // MARK: Reload

    var configurationPath: String { options.configuration ?? Configuration.table.path }

    /// Applies a configuration file that was read again. Live keys change at once, the others at
    /// the next start. An invalid file changes nothing.
    ///
    /// - Returns: a text that lists the changes.
    func reload(
        _ assignments: [ConfigurationFile.Assignment]?, at now: Instant
    ) throws(UsageError) -> String {
        let new = try Configuration(assignments, options)
        for line in new.warnings { Log.write(.warning, line) }
        let changes = ConfigurationDiff(from: configuration, to: new)
        let settings = userSettings.over(Self.defaultSettings(options, new))
        let changed = userSettings.over(Self.defaultSettings(options, configuration)).differences(from: settings)
            .filter { $0 != .sensors }
        let overridden = options.isDemo ? [] : changes.settings.filter { !changed.contains($0) }
        configuration.adoptLiveKeys(from: new)
        change(changed, to: settings, at: now)
        let words = [
            Self.list(changes.now + changed.map(\.rawValue), "changed"),
            Self.list(changes.later, "takes effect at the next start"),
            Self.list(overridden.map(\.rawValue), "unchanged: set over control.sock"),
        ].compactMap(\.self)
        return words.isEmpty ? "nothing changed" : words.joined(separator: "; ")
    }

    private static func list(_ names: [String], _ words: String) -> String? {
        names.isEmpty ? nil : names.joined(separator: ", ") + " " + words
    }
}
