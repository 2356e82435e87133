import Board
package import Domain
package import Formats
package import Linux
package import Sensors

/// The values of paced.conf, a file in the syntax of systemd's files.
///
///     [Recording]
///     SyncIntervalSec=1
///
/// A missing key has its default. An unknown section or key is an error, and so is a key that is set twice: ignoring
/// it would hide a mistake.
package struct Configuration: Equatable, Sendable {
    /// The interval of syncs to the disk, 1 to 60 s; nil for 1 s while a run is active, else 10 s.
    package var syncSeconds: Int?
    /// An activity that was interrupted for longer does not resume, 0 to 86,400 s.
    package var resumeLimitSeconds = 900
    /// The formats that are exported when a run stops.
    package var exportAtStop: [ExportFormat] = [.fit]
    /// The directory of these files; nil for `exports` in the state directory.
    package var exportDirectory: String?
    /// Movement or beats start a run, and a shutdown of the system stops it.
    package var startsAutomatically = false
    /// The address of gpsd.
    package var gpsd = Options.Gpsd.at(host: nil, port: 2947, device: nil)
    /// The Bluetooth backend.
    package var bluetooth = Options.Bluetooth.auto
    package var adapter = AdapterChoice.any
    /// The sensors to use, unless a client has selected others over control.sock.
    package var sensors = Options.Sensors.auto
    /// The directory of the barometer.
    package var barometer = Options.Barometer.automatic
    /// The maximum number of clients of state.sock, 1 to 4096: in all, and of one user.
    package var maxStateClients = 256
    package var maxStateClientsPerUser = 128
    /// The maximum number of clients of control.sock, 1 to 256: in all, and of one user.
    package var maxControlClients = 32
    package var maxControlClientsPerUser = 16
    /// The charge of the battery that raises a fault, and the one that stops the run, 0 to 100 %; 0 for never.
    package var warnAtPercent = 15
    package var closeAtPercent = 4
    /// The settings, unless a client has changed them over control.sock.
    package var settings = Settings()

    /// A log line for each key that has its name of an earlier release.
    package private(set) var warnings: [String] = []

    package init() {}

    /// The default of `auto_stop_minutes` with automatic start: a run that no person started must not stay open.
    static let autoStopMinutesAtBoot = 30

    /// Reads the file that an option names, else the default one. Options have precedence.
    ///
    /// - Throws: ``Options/UsageError``, also if the file that an option names does not exist.
    package static func read(_ options: Options) throws(Options.UsageError) -> Configuration {
        let assignments: [ConfigurationFile.Assignment]?
        do throws(ConfigurationFile.Failure) {
            assignments = try ConfigurationFile.read(options.configurationPath)
        } catch {
            throw Options.UsageError(line: error.line)
        }
        return try Configuration(assignments, options)
    }

    /// - Parameter assignments: the content of the file; nil if it does not exist.
    init(_ assignments: [ConfigurationFile.Assignment]?, _ options: Options) throws(Options.UsageError) {
        if let assignments {
            try self.init(assignments, path: options.configurationPath)
        } else if let path = options.configuration {
            throw Options.UsageError(line: "there is no file \(path); give --config another, or leave it away")
        } else {
            self.init()
        }
        gpsd = options.gpsd ?? gpsd
        bluetooth = options.bluetooth ?? bluetooth
        adapter = options.adapter ?? adapter
        barometer = options.barometer ?? barometer
        if let chosen = options.sensors {
            sensors = chosen
            settings.sensors = []
        }
    }

    /// Applies the assignments of a file.
    ///
    /// - Throws: ``Options/UsageError``, which names the file and the line of each error, one a line.
    package init(_ assignments: [ConfigurationFile.Assignment], path: String) throws(Options.UsageError) {
        var assignments = assignments
        warnings = assignments.replaceFormerNames(in: path)
        var lines: [String: Int] = [:]
        var panel = PanelConfiguration()
        var errors: [String] = []
        for assignment in assignments {
            do throws(Options.UsageError) {
                let name = assignment.section + "." + assignment.key
                if let line = lines.updateValue(assignment.line, forKey: name) {
                    throw Options.UsageError(line: "\(shown(assignment.key)) is already set in line \(line)")
                }
                try apply(assignment, &panel)
            } catch {
                errors.append("\(path):\(assignment.line): \(error.line)")
            }
        }
        if !errors.isEmpty { throw Options.UsageError(line: errors.joined(separator: "\n")) }
        let autoStop = ConfigurationSection.settings.rawValue + "." + SettingKey.autoStopMinutes.rawValue
        if startsAutomatically, lines[autoStop] == nil { settings.autoStopMinutes = Self.autoStopMinutesAtBoot }
        if case .ours(let sensors) = sensors { settings.sensors = sensors }
    }

    private mutating func apply(
        _ assignment: ConfigurationFile.Assignment, _ panel: inout PanelConfiguration
    ) throws(Options.UsageError) {
        let sections = ConfigurationSection.allCases.map { "[\($0.rawValue)]" }.joined(separator: " ")
        guard let section = ConfigurationSection(rawValue: assignment.section) else {
            throw Options.UsageError(
                line: assignment.section.isEmpty
                    ? "\(shown(assignment.key)) is outside a section; the sections are \(sections)"
                    : "there is no section [\(shown(assignment.section))]; the sections are \(sections)")
        }
        guard section.keys.contains(assignment.key) else {
            let keys = section.keys.joined(separator: " ")
            throw Options.UsageError(
                line: "there is no key \(shown(assignment.key)) in [\(section.rawValue)]; the keys are \(keys)")
        }
        if section == .settings, let key = SettingKey(rawValue: assignment.key) {
            try settings.parse(key, assignment)
        } else if let key = ConfigurationKey.all.first(where: { $0.name == assignment.key }) {
            try key.apply(assignment, to: &self)
        } else {
            do throws(PanelConfiguration.Wrong) {
                try panel.apply(assignment)
            } catch {
                throw Options.UsageError(line: error.what)
            }
        }
    }

    // MARK: Reload

    /// Adopts the keys that take effect at a reload. The others keep their values until the next start.
    package mutating func adoptLiveKeys(from new: Configuration) {
        let old = self
        self = new
        for key in ConfigurationKey.all where key.effect == .start { key.copy(old, &self) }
        settings.sensors = old.settings.sensors
    }
}

/// A word of the file without characters that a terminal interprets.
private func shown(_ word: String) -> String {
    SanitizedText(word)?.text ?? "\"\""
}
