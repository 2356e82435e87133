import Domain
import Linux
import Pipeline
import Servers
import Storage
import Wire

/// The settings. A change over control.sock has precedence over the configuration and is stored in the journal.
///
/// A change is answered when it is in force, and is on the disk within a second. If the disk does
/// not respond, the recorder's status reports that, and the change waits in the journal's queue.
extension Daemon {
    /// The settings without any change by a user. The demo shows those of a new device and stores nothing.
    var defaultSettings: Settings {
        Self.defaultSettings(options, configuration)
    }

    static func defaultSettings(_ options: Options, _ configuration: Configuration) -> Settings {
        options.isDemo ? Settings() : configuration.settings
    }

    /// Changes a setting. Changes nothing if it throws.
    ///
    /// - Throws: ``RPCError`` -32004 if the value contradicts another setting, or if an option overrides the setting.
    func change(_ change: SettingChange, at now: Instant) throws(RPCError) -> ControlResult {
        if change.key == .straps {
            try checkStrapsAreFree()
            var list = straps
            list.selected = change.values.straps
            save(list, at: now)
            applyStraps()
        } else {
            var settings = engine.settings
            try change.apply(to: &settings)
            step(.setting(change.key, settings), at: now)
            stateServer?.settingsChanged(settings)
        }
        save(made.adopt(change), at: now)
        return .setting(change.key, engine.settings)
    }

    /// Stores the user's choice of straps, including whether any is used.
    func saveStrapSetting(at now: Instant) {
        save(made.adopt(SettingChange(.straps) { $0.straps = straps.selected }), at: now)
        save(made.adopt(strapsAreOff: straps.isOff), at: now)
    }

    /// Adopts the journal's settings if they could not be read at the start. Changes made since the start stay.
    func adopt(_ kept: [JournalSetting], at now: Instant) {
        if options.isDemo { return }
        var damages: [UserSettings.Damage] = []
        let before = made
        made = UserSettings(kept, damages: &damages).merging(made)
        repairSettings(damages, at: now)
        guard made != before else { return }
        let settings = made.over(defaultSettings)
        take(engine.settings.differences(from: settings).filter { $0 != .straps }, of: settings, at: now)
        guard !before.saysStraps, made.saysStraps, strapOption == .auto else { return }
        var list = straps
        list.selected = settings.straps
        list.isOff = made.strapsAreOff ?? (configuration.straps == .off)
        save(list, at: now)
        applyStraps()
    }

    private func save(_ change: JournalChange, at now: Instant) {
        if !options.isDemo { recorder.journal.append(change, at: now) }
    }

    /// Logs each damaged setting and repairs it in the journal.
    func repairSettings(_ damages: [UserSettings.Damage], at now: Instant) {
        for damage in damages {
            Log.write(.warning, damage.reason)
            for change in damage.mending { save(change, at: now) }
        }
    }
}
