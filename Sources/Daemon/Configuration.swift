import Board
package import Domain
package import Formats
package import Linux
package import Sensors

/// What the configuration file says: paced.conf, in the form that systemd's files have.
///
///     [Recording]
///     SyncIntervalSec=1
///
/// A key that is not there leaves the default. A section or a key that nobody knows is an error: it is a wish that would not come true;
/// so is a key that stands twice, of which one would not.
package struct Configuration: Equatable, Sendable {
    /// The recording is made to last over a power cut so often, 1 to 60 s; nil is each second in a run, and each 10 s otherwise.
    package var syncSeconds: Int?
    /// An activity that was interrupted for longer is not resumed, 0 to 86 400 s.
    package var resumeLimitSeconds = 900
    /// The files that a run's end makes.
    package var exportAtStop: [ExportFormat] = [.fit]
    /// Where they are put; nil is `exports` in the state directory.
    package var exportDirectory: String?
    /// A run begins when the board moves or a heart beats, and ends when the system shuts down.
    package var startsAutomatically = false
    /// Where gpsd listens.
    package var gpsd = Options.Gpsd.at(host: nil, port: 2947, device: nil)
    /// How Bluetooth is used.
    package var bluetooth = Options.Bluetooth.auto
    package var adapter = AdapterChoice.any
    /// The straps that are ours while nobody has said otherwise over control.sock.
    package var straps = Options.Strap.auto
    /// The most clients of state.sock, 1 to 4096; in all, and of one user.
    package var maxStateClients = 256
    package var maxStateClientsPerUser = 128
    /// The most clients of control.sock, 1 to 256; in all, and of one user.
    package var maxControlClients = 32
    package var maxControlClientsPerUser = 16
    /// The charge of the battery that is a fault, and the one at which the run is closed, 0 to 100 %; 0 is never.
    package var warnAtPercent = 15
    package var closeAtPercent = 4
    /// The settings of a device on which nobody has set any over control.sock.
    package var settings = Settings()

    /// A line for the log for each key that has its name of an earlier release.
    package private(set) var warnings: [String] = []

    package init() {}

    /// Without a word about it, a run that nobody has begun by hand is not left open for ever.
    static let autoStopMinutesAtBoot = 30

    /// What is configured: the file that the options name, or else the one that is read by default, and what options win over.
    ///
    /// - Throws: ``Options/Misuse``; a file that was asked for must be there.
    package static func read(_ options: Options) throws(Options.UsageError) -> Configuration {
        let assignments: [ConfigurationFile.Assignment]?
        do throws(ConfigurationFile.Failure) {
            assignments = try ConfigurationFile.read(options.configurationPath)
        } catch {
            throw Options.UsageError(line: error.line)
        }
        return try Configuration(assignments, options)
    }

    /// - Parameter assignments: what the options' file says; nil where it is not there.
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
        if let strap = options.strap {
            straps = strap
            settings.straps = []
        }
    }

    /// Takes over what a file says.
    ///
    /// - Throws: ``Options/Misuse``, which names the file and the line.
    package init(_ assignments: [ConfigurationFile.Assignment], path: String) throws(Options.UsageError) {
        var assignments = assignments
        warnings = assignments.replaceFormerNames(in: path)
        var lines: [String: Int] = [:]
        var panel = PanelConfiguration()
        for assignment in assignments {
            do throws(Options.UsageError) {
                let name = assignment.section + "." + assignment.key
                if let line = lines.updateValue(assignment.line, forKey: name) {
                    throw Options.UsageError(line: "\(shown(assignment.key)) is already set in line \(line)")
                }
                try apply(assignment, &panel)
            } catch {
                throw Options.UsageError(line: "\(path):\(assignment.line): \(error.line)")
            }
        }
        let autoStop = ConfigurationSection.settings.rawValue + "." + SettingKey.autoStopMinutes.rawValue
        if startsAutomatically, lines[autoStop] == nil { settings.autoStopMinutes = Self.autoStopMinutesAtBoot }
        if case .ours(let straps) = straps { settings.straps = straps }
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

    /// Adopts what takes effect at a reload; the rest stays in force until the next start.
    mutating func adoptLiveKeys(from new: Configuration) {
        let old = self
        self = new
        for key in ConfigurationKey.all where key.effect == .start { key.copy(old, &self) }
        settings.straps = old.settings.straps
    }
}

/// A word of the file, as it can be shown.
private func shown(_ word: String) -> String {
    SanitizedText(word)?.text ?? "\"\""
}
