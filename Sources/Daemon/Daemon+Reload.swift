import Domain
import Linux
import Pipeline
import Servers
import Storage

/// SIGHUP: reads the configuration file again. Live keys change at
/// once, the others at the next start. An invalid file changes nothing.
extension Daemon {
    /// Submits the file to the disk worker; ``reload(_:at:)`` applies it.
    func reload() {
        reportReloading()
        let isAsked = diskWorker?.submit(.configuration(path: options.configurationPath)) { [unowned self] answer in
            switch answer {
            case .success(.configuration(let assignments)): reload(assignments, at: Clock.now())
            case .success: reloaded(.error, "the file cannot be read")
            case .failure(let trouble): reloaded(.error, "\(trouble)")
            }
        }
        if isAsked != true { reloaded(.error, "too many requests wait for the disk") }
    }

    /// Logs the result of the reload and reports it to systemd.
    private func reloaded(_ level: LogLevel, _ words: String) {
        let rest = level == .error ? "; the configuration is unchanged" : ""
        Log.write(level, "configuration reload: " + words + rest, isOurs: true)
        reportReloaded()
    }

    private func reload(_ assignments: [ConfigurationFile.Assignment]?, at now: Instant) {
        do throws(Options.UsageError) {
            let new = try Configuration(assignments, options)
            for line in new.warnings { Log.write(.warning, line) }
            reloaded(.notice, apply(new, at: now))
        } catch {
            reloaded(.error, error.line)
        }
    }

    /// Applies a new configuration.
    ///
    /// - Returns: a text that lists the changes.
    private func apply(_ new: Configuration, at now: Instant) -> String {
        let changes = ConfigurationDiff(from: configuration, to: new)
        let settings = made.over(Self.defaultSettings(options, new))
        let changed = made.over(defaultSettings).differences(from: settings).filter { $0 != .straps }
        let hidden = options.isDemo ? [] : changes.settings.filter { !changed.contains($0) }
        configuration.adoptLiveKeys(from: new)
        recorder.formats = new.exportAtStop
        exports?.directory = new.exportDirectory ?? stateDirectory + "/exports"
        recorder.journal.setSyncSeconds(new.syncSeconds)
        stateServer?.limits = ClientLimits(total: new.maxStateClients, perUser: new.maxStateClientsPerUser)
        control?.limits = ClientLimits(total: new.maxControlClients, perUser: new.maxControlClientsPerUser)
        take(changed, of: settings, at: now)
        let words = [
            Self.list(changes.now + changed.map(\.rawValue), "changed"),
            Self.list(changes.later, "takes effect at the next start"),
            Self.list(hidden.map(\.rawValue), "unchanged: set over control.sock"),
        ].compactMap(\.self)
        return words.isEmpty ? "nothing changed" : words.joined(separator: "; ")
    }

    private static func list(_ names: [String], _ words: String) -> String? {
        names.isEmpty ? nil : names.joined(separator: ", ") + " " + words
    }

    /// Applies the settings whose configured value has changed.
    func take(_ keys: [SettingKey], of new: Settings, at now: Instant) {
        guard !keys.isEmpty else { return }
        catchUp(to: now)
        var settings = engine.settings
        for key in keys { settings.adopt(key, from: new) }
        for key in keys { step(.setting(key, settings), at: now) }
        stateServer?.settingsChanged(settings)
        onTimer()
    }
}
