import Adapters
import Domain
import Linux
import Pipeline

/// The settings: what people set over control.sock wins over the configuration, and is kept in the journal.
///
/// A setting is answered when it is in force. It is on the disk within a second; a disk that takes nothing shows as the recorder's trouble,
/// and the setting waits with the rest of what is to be written.
extension Daemon {
    /// The settings of a device on which nobody has set any. The demo shows what a new device shows, and keeps nothing.
    var defaultSettings: Settings {
        Self.defaultSettings(options, configuration)
    }

    static func defaultSettings(_ options: Options, _ configuration: Configuration) -> Settings {
        options.isDemo ? Settings() : configuration.settings
    }

    /// Changes a setting, or leaves all as it was.
    ///
    /// - Throws: ``RPCError`` -32004 where the value does not go with another setting, or an option decides it.
    func change(_ change: SettingChange, at now: Instant) throws(RPCError) -> ControlResult {
        if case .straps(let ours) = change {
            try checkStrapsAreFree()
            var list = straps
            list.ours = ours
            save(list, at: now)
            applyStraps()
        } else {
            var settings = pipeline.settings
            try change.apply(to: &settings)
            recollection.receive(.setting(change.key, settings), at: now)
            publisher?.settingsChanged(settings)
        }
        save(made.adopt(change), at: now)
        return .setting(change.key, pipeline.settings)
    }

    /// Which straps are ours, and whether any is used, is as people want it from now on.
    func saveStrapSetting(at now: Instant) {
        save(made.adopt(.straps(straps.ours)), at: now)
        save(made.adopt(strapsAreOff: straps.isOff), at: now)
    }

    /// Puts in force what the journal says that could not be read before; what people have set since the start stays.
    func adopt(_ kept: [JournalSetting], at now: Instant) {
        if options.isDemo { return }
        var damages: [UserSettings.Damage] = []
        let before = made
        made = UserSettings(kept, damages: &damages).merging(made)
        repairSettings(damages, at: now)
        guard made != before else { return }
        let settings = made.over(defaultSettings)
        take(pipeline.settings.differences(from: settings).filter { $0 != .straps }, of: settings, at: now)
        guard !before.saysStraps, made.saysStraps, strapOption == .auto else { return }
        var list = straps
        list.ours = settings.straps
        list.isOff = made.strapsAreOff ?? (configuration.straps == .off)
        save(list, at: now)
        applyStraps()
    }

    private func save(_ change: JournalChange, at now: Instant) {
        if !options.isDemo { recorder.journal.append(change, at: now) }
    }

    /// Says what was wrong with the settings that were kept, and mends it.
    func repairSettings(_ damages: [UserSettings.Damage], at now: Instant) {
        for damage in damages {
            Log.write(.warning, damage.reason)
            for change in damage.mending { save(change, at: now) }
        }
    }
}
