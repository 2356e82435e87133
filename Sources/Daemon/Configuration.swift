package import Board
package import Domain
package import Formats
package import Linux
package import Program
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
    /// What `pacectl panel` reads.
    package var panel = PanelConfiguration()

    /// A log line for each key that has its name of an earlier release.
    package private(set) var warnings: [String] = []

    package init() {}

    /// The default of `auto_stop_minutes` with automatic start: a run that no person started must not stay open.
    static let autoStopMinutesAtBoot = 30

    /// Reads the file that an option names, else the default one. Options have precedence.
    ///
    /// - Throws: ``UsageError``, also if the file that an option names does not exist.
    package static func read(_ options: Options) throws(UsageError) -> Configuration {
        try Configuration(table.assignments(of: options.configuration), options)
    }

    /// - Parameter assignments: the content of the file; nil if it does not exist.
    init(_ assignments: [ConfigurationFile.Assignment]?, _ options: Options) throws(UsageError) {
        let applied = try Self.table.apply(assignments, named: options.configuration, to: &self)
        adopt(applied)
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
    /// - Throws: ``UsageError``, which names the file and the line of each error, one a line.
    package init(_ assignments: [ConfigurationFile.Assignment]) throws(UsageError) {
        let applied = try Self.table.apply(assignments, to: &self)
        adopt(applied)
    }

    private mutating func adopt(_ applied: ConfigurationTable<Configuration>.Applied) {
        warnings = applied.warnings
        if startsAutomatically, !applied.assignments.contains(where: { $0.key == SettingKey.autoStopMinutes.rawValue })
        {
            settings.autoStopMinutes = Self.autoStopMinutesAtBoot
        }
        if case .ours(let sensors) = sensors { settings.sensors = sensors }
    }

    // MARK: Reload

    /// Adopts the keys that take effect at a reload. The others keep their values until the next start.
    package mutating func adoptLiveKeys(from new: Configuration) {
        let old = self
        self = new
        for key in Self.table.keys where key.effect == .start { key.copy(old, &self) }
        settings.sensors = old.settings.sensors
    }
}
