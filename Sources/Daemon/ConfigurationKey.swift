import Board
import Domain
import JSONCoding
package import Linux
import Pipeline
import Sensors
import Wire

/// A key of paced.conf that the daemon uses: one row of ``all``.
///
/// The parser, its errors, reload, the example file and the manual page follow from the row.
package struct ConfigurationKey: Sendable {
    /// When a changed value takes effect.
    package enum Effect: Sendable {
        /// At a reload.
        case reload
        /// At the next start: a reload closes no link.
        case start
    }

    package let section: ConfigurationSection
    package let name: String
    /// The name in release 0.1.0, which the next release rejects.
    package let former: FormerName?
    /// The default as the file has it; empty for none.
    package let initial: String
    package let effect: Effect
    /// What the key does, the values that it takes and what an empty one means, for the manual page and the example file.
    package let text: String
    /// Whether two configurations have the same value.
    let isEqual: @Sendable (Configuration, Configuration) -> Bool
    /// Copies the value from the first configuration to the second one.
    let copy: @Sendable (Configuration, inout Configuration) -> Void
    private let set: @Sendable (ConfigurationFile.Assignment, inout Configuration) throws -> Void

    package struct FormerName: Sendable {
        package let name: String
        /// Converts a value that the former name has to the value of the present one.
        var converting: @Sendable (String) -> String = { $0 }
    }

    /// - Parameters:
    ///   - property: where ``Configuration`` keeps the value.
    ///   - parse: reads the value; throws an ``Options/UsageError`` that names the key.
    private init<Value: Equatable & Sendable>(
        _ section: ConfigurationSection, _ name: String,
        _ property: any WritableKeyPath<Configuration, Value> & Sendable, former: FormerName? = nil,
        initial: String = "",
        effect: Effect = .reload, text: String,
        parse: @escaping @Sendable (ConfigurationFile.Assignment) throws -> Value
    ) {
        self.section = section
        self.name = name
        self.former = former
        self.initial = initial
        self.effect = effect
        self.text = text
        set = { $1[keyPath: property] = try parse($0) }
        isEqual = { $0[keyPath: property] == $1[keyPath: property] }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
    }

    /// - Throws: ``Options/UsageError``, which names the key; then nothing has changed.
    package func apply(_ assignment: ConfigurationFile.Assignment, to configuration: inout Configuration)
        throws(Options.UsageError)
    {
        do {
            try set(assignment, &configuration)
        } catch let error as Options.UsageError {
            throw error
        } catch {
            throw Options.UsageError(line: "\(name): \(error)")
        }
    }

    package static let all: [ConfigurationKey] = [
        ConfigurationKey(
            .recording, "SyncIntervalSec", \.syncSeconds, former: FormerName(name: "SyncSeconds"),
            text: """
                The interval of syncs to the disk, in seconds, 1 to 60: a power cut loses at most this much. Default: 1 while a
                run is active, else 10.
                """
        ) { $0.value.isEmpty ? nil : try $0.number(in: 1...60) },
        ConfigurationKey(
            .recording, "ResumeLimitSec", \.resumeLimitSeconds,
            former: FormerName(name: "ResumeMinutes", converting: secondsOfMinutes), initial: "900",
            text: """
                The age, in seconds, up to which a run is resumed after a restart or a power cut, 0 to 86400. An older run is
                stopped at its last moment. 0 resumes no run. The outage is a pause, unless the daemon starts again on the same
                boot within 10 seconds.
                """
        ) { try $0.number(in: 0...86_400) },
        ConfigurationKey(
            .recording, "ExportAtStop", \.exportAtStop, initial: "fit",
            text: """
                The files to make of each stopped run: any of fit, gpx, tcx, geojson, kml and csv, separated by spaces or commas,
                or nothing.
                """
        ) { try $0.formats() },
        ConfigurationKey(
            .recording, "ExportDirectory", \.exportDirectory,
            text: """
                The directory of these files, an absolute path. Default: exports in the state directory. The service can write
                to its state directory only: another one needs a drop-in with ReadWritePaths=.
                """
        ) { $0.value.isEmpty ? nil : try $0.directory() },
        ConfigurationKey(
            .recording, "AutoStart", \.startsAutomatically, former: FormerName(name: "RecordAtBoot"), initial: "no",
            effect: .start,
            text: """
                For a board whose only switch is the power. yes starts a run when the board has moved 50 m or a strap has sent
                beats for 30 s, backdated to the start of that. It stops the run when the system shuts down.
                """
        ) { try $0.bool() },
        ConfigurationKey(
            .position, "Gpsd", \.gpsd, initial: "localhost:2947", effect: .start,
            text: """
                The address of gpsd: HOST:PORT, HOST:PORT:DEVICE for one of several receivers, or off. HOST is localhost or a
                numeric address. A gpsd on another machine needs a drop-in for the service.
                """
        ) { try Options.Gpsd($0.value, of: $0.key) },
        ConfigurationKey(
            .bluetooth, "Backend", \.bluetooth, former: FormerName(name: "Way"), initial: "auto", effect: .start,
            text: """
                The Bluetooth backend: bluetoothd, kernel (the kernel's own interfaces), auto (bluetoothd while it runs, else the
                kernel) or off.
                """
        ) { try Options.Bluetooth($0.value, of: $0.key) },
        ConfigurationKey(
            .bluetooth, "Adapter", \.adapter, effect: .start,
            text: "The Bluetooth adapter: its address, or hci and a number, which can change. Default: the first one."
        ) { $0.value.isEmpty ? .any : try AdapterChoice($0.value, of: $0.key) },
        ConfigurationKey(
            .bluetooth, "Sensors", \.sensors, former: FormerName(name: "Straps"), initial: "auto", effect: .start,
            text: """
                The sensors to use, separated by commas: addresses, names, or the ends of names that are printed on them. auto
                uses a strap that is near and remembers it; so does a list without a strap. off uses none.
                """
        ) { try $0.sensors() },
        ConfigurationKey(
            .sensors, "Barometer", \.barometer, initial: "auto", effect: .start,
            text: """
                The air pressure of the board: auto reads the first barometer of the kernel's IIO devices once a second, off
                reads none. The absolute path of a directory replaces /sys/bus/iio/devices.
                """
        ) { try Options.Barometer($0.value, of: $0.key) },
        ConfigurationKey(
            .clients, "MaxStateClients", \.maxStateClients, former: FormerName(name: "StateClients"), initial: "256",
            text: "The clients of the state socket, 1 to 4096."
        ) { try $0.number(in: 1...4096) },
        ConfigurationKey(
            .clients, "MaxStateClientsPerUser", \.maxStateClientsPerUser,
            former: FormerName(name: "StateClientsPerUser"), initial: "128",
            text: "The clients of the state socket of one user, root included, 1 to 4096."
        ) { try $0.number(in: 1...4096) },
        ConfigurationKey(
            .clients, "MaxControlClients", \.maxControlClients, former: FormerName(name: "ControlClients"),
            initial: "32", text: "The clients of the control socket, 1 to 256."
        ) { try $0.number(in: 1...256) },
        ConfigurationKey(
            .clients, "MaxControlClientsPerUser", \.maxControlClientsPerUser,
            former: FormerName(name: "ControlClientsPerUser"), initial: "16",
            text: "The clients of the control socket of one user, root included, 1 to 256."
        ) { try $0.number(in: 1...256) },
        ConfigurationKey(
            .power, "WarnAtPercent", \.warnAtPercent, initial: "15",
            text: "Report a fault when the battery is this low, 0 to 100; 0 for never."
        ) { try $0.number(in: 0...100) },
        ConfigurationKey(
            .power, "CloseAtPercent", \.closeAtPercent, initial: "4",
            text: """
                Stop the run and sync the disk when the battery is this low, 0 to 100; 0 for never. The run is resumed if power
                returns within ResumeLimitSec.
                """
        ) { try $0.number(in: 0...100) },
    ]
}

/// A section of paced.conf, in the order of the example file.
package enum ConfigurationSection: String, CaseIterable, Sendable {
    case recording = "Recording"
    case position = "Position"
    case bluetooth = "Bluetooth"
    case sensors = "Sensors"
    case clients = "Clients"
    case power = "Power"
    case settings = "Settings"
    /// `pacectl panel` reads it; the daemon only checks it (``PanelConfiguration``).
    case panel = "Panel"

    /// The names of all keys of the section.
    package var keys: [String] {
        switch self {
        case .settings: SettingKey.allCases.filter { $0 != .sensors }.map(\.rawValue)
        case .panel: PanelConfiguration.keys.map(\.name)
        case .recording, .position, .bluetooth, .sensors, .clients, .power:
            ConfigurationKey.all.filter { $0.section == self }.map(\.name)
        }
    }
}

/// `ResumeMinutes` in seconds; what is no number stays, and is an error of the present key.
private let secondsOfMinutes: @Sendable (String) -> String = { value in
    guard let minutes = Int(value) else { return value }
    let (seconds, isTooMany) = minutes.multipliedReportingOverflow(by: 60)
    return isTooMany ? value : String(seconds)
}

/// `components` as `screens`; what is not valid stays, and is an error of the present key.
private let screensOfComponents: @Sendable (String) -> String = { value in
    guard let json = try? JSON(parsing: value.utf8), let screens = try? Screens(components: json) else { return value }
    var writer = JSONWriter()
    writer.value(screens, leavingOutDefaults: true)
    return String(decoding: writer.bytes, as: UTF8.self)
}

extension [ConfigurationFile.Assignment] {
    /// Replaces former names of keys (``ConfigurationKey/former``). Where a file has both names of a key, the present one wins.
    ///
    /// - Returns: for each former name a warning that has both.
    mutating func replaceFormerNames(in path: String) -> [String] {
        var warnings: [String] = []
        let names = Set(map { $0.section + "." + $0.key })
        self = compactMap { assignment in
            guard let (name, former) = Self.former(assignment) else { return assignment }
            var present = assignment
            present.key = name
            present.value = former.converting(assignment.value)
            guard !names.contains(present.section + "." + present.key) else {
                warnings.append(
                    "\(path):\(assignment.line): \(assignment.key)= is ignored, \(present.key)= replaces it")
                return nil
            }
            warnings.append(
                "\(path):\(assignment.line): \(assignment.key)= is now called \(present.key)=, and is read as "
                    + "\(present.key)=\(SanitizedText(present.value)?.text ?? ""); change it, the next release rejects it"
            )
            return present
        }
        return warnings
    }

    /// The present name of a key that the assignment has under its former one.
    private static func former(
        _ assignment: ConfigurationFile.Assignment
    ) -> (name: String, former: ConfigurationKey.FormerName)? {
        if assignment.section == ConfigurationSection.settings.rawValue, assignment.key == Screens.formerName {
            return (
                SettingKey.screens.rawValue,
                ConfigurationKey.FormerName(name: Screens.formerName, converting: screensOfComponents)
            )
        }
        let key = ConfigurationKey.all.first { key in
            key.former?.name == assignment.key && key.section.rawValue == assignment.section
        }
        return key.flatMap { key in key.former.map { (key.name, $0) } }
    }
}
