import Board
import Domain
import JSONCoding
import Linux
package import Program
import Sensors
import Wire

extension Configuration {
    /// The keys of paced.conf, in the order of the example file.
    package static let table = ConfigurationTable(
        path: ConfigurationFile.path, ownKeys + settingKeys + panelKeys)

    /// The keys of [Settings]: defaults of the settings.
    private static let settingKeys = SettingKey.allCases.filter { $0 != .sensors }.map { key in
        ConfigurationKey<Configuration>(
            "Settings", key.rawValue,
            former: key == .screens
                ? ConfigurationKey.FormerName(name: Screens.formerName, converting: screensOfComponents) : nil
        ) { assignment, configuration in try configuration.settings.parse(key, assignment) }
    }

    /// The keys of [Panel], which `pacectl panel` reads. The daemon only checks them.
    private static let panelKeys = PanelConfiguration.keys.map { key in
        ConfigurationKey<Configuration>(PanelConfiguration.section, key.name) { assignment, configuration in
            do throws(PanelConfiguration.Wrong) {
                try configuration.panel.apply(assignment)
            } catch {
                throw UsageError(line: error.what)
            }
        }
    }

    private static let ownKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "Recording", "SyncIntervalSec", \.syncSeconds, former: .init(name: "SyncSeconds"),
            text: """
                The interval of syncs to the disk, in seconds, 1 to 60: a power cut loses at most this much. Default: 1 while a
                run is active, else 10.
                """
        ) { $0.value.isEmpty ? nil : try $0.number(in: 1...60) },
        ConfigurationKey(
            "Recording", "ResumeLimitSec", \.resumeLimitSeconds,
            former: .init(name: "ResumeMinutes", converting: secondsOfMinutes), initial: "900",
            text: """
                The age, in seconds, up to which a run is resumed after a restart or a power cut, 0 to 86400. An older run is
                stopped at its last moment. 0 resumes no run. The outage is a pause, unless the daemon starts again on the same
                boot within 10 seconds.
                """
        ) { try $0.number(in: 0...86_400) },
        ConfigurationKey(
            "Recording", "ExportAtStop", \.exportAtStop, initial: "fit",
            text: """
                The files to make of each stopped run: any of fit, gpx, tcx, geojson, kml and csv, separated by spaces or commas,
                or nothing.
                """
        ) { try $0.formats() },
        ConfigurationKey(
            "Recording", "ExportDirectory", \.exportDirectory,
            text: """
                The directory of these files, an absolute path. Default: exports in the state directory. The service can write
                to its state directory only: another one needs a drop-in with ReadWritePaths=.
                """
        ) { $0.value.isEmpty ? nil : try $0.directory() },
        ConfigurationKey(
            "Recording", "AutoStart", \.startsAutomatically, former: .init(name: "RecordAtBoot"), initial: "no",
            effect: .start,
            text: """
                For a board whose only switch is the power. yes starts a run when the board has moved 50 m or a strap has sent
                beats for 30 s, backdated to the start of that. It stops the run when the system shuts down.
                """
        ) { try $0.bool() },
        ConfigurationKey(
            "Position", "Gpsd", \.gpsd, initial: "localhost:2947", effect: .start,
            text: """
                The address of gpsd: HOST:PORT, HOST:PORT:DEVICE for one of several receivers, or off. HOST is localhost or a
                numeric address. A gpsd on another machine needs a drop-in for the service. sensor-socket takes the positions
                of another program, such as a phone's, by sensor.sock in the place of gpsd's.
                """
        ) { try Options.Gpsd($0.value, of: $0.key) },
        ConfigurationKey(
            "Bluetooth", "Backend", \.bluetooth, former: .init(name: "Way"), initial: "auto", effect: .start,
            text: """
                The Bluetooth backend: bluetoothd, kernel (the kernel's own interfaces), auto (bluetoothd while it runs, else the
                kernel) or off.
                """
        ) { try Options.Bluetooth($0.value, of: $0.key) },
        ConfigurationKey(
            "Bluetooth", "Adapter", \.adapter, effect: .start,
            text: "The Bluetooth adapter: its address, or hci and a number, which can change. Default: the first one."
        ) { $0.value.isEmpty ? .any : try AdapterChoice($0.value, of: $0.key) },
        ConfigurationKey(
            "Bluetooth", "Sensors", \.sensors, former: .init(name: "Straps"), initial: "auto", effect: .start,
            text: """
                The sensors to use, separated by commas: addresses, names, or the ends of names that are printed on them. auto
                uses a strap that is near and remembers it; so does a list without a strap. off uses none.
                """
        ) { try $0.sensors() },
        ConfigurationKey(
            "Sensors", "Barometer", \.barometer, initial: "auto", effect: .start,
            text: """
                The air pressure of the board: auto reads the first barometer of the kernel's IIO devices once a second, off
                reads none. The absolute path of a directory replaces /sys/bus/iio/devices.
                """
        ) { try Options.Barometer($0.value, of: $0.key) },
        ConfigurationKey(
            "Clients", "MaxStateClients", \.maxStateClients, former: .init(name: "StateClients"), initial: "256",
            text: "The clients of the state socket, 1 to 4096."
        ) { try $0.number(in: 1...4096) },
        ConfigurationKey(
            "Clients", "MaxStateClientsPerUser", \.maxStateClientsPerUser,
            former: .init(name: "StateClientsPerUser"), initial: "128",
            text: "The clients of the state socket of one user, root included, 1 to 4096."
        ) { try $0.number(in: 1...4096) },
        ConfigurationKey(
            "Clients", "MaxControlClients", \.maxControlClients, former: .init(name: "ControlClients"),
            initial: "32", text: "The clients of the control socket, 1 to 256."
        ) { try $0.number(in: 1...256) },
        ConfigurationKey(
            "Clients", "MaxControlClientsPerUser", \.maxControlClientsPerUser,
            former: .init(name: "ControlClientsPerUser"), initial: "16",
            text: "The clients of the control socket of one user, root included, 1 to 256."
        ) { try $0.number(in: 1...256) },
        ConfigurationKey(
            "Power", "WarnAtPercent", \.warnAtPercent, initial: "15",
            text: "Report a fault when the battery is this low, 0 to 100; 0 for never."
        ) { try $0.number(in: 0...100) },
        ConfigurationKey(
            "Power", "CloseAtPercent", \.closeAtPercent, initial: "4",
            text: """
                Stop the run and sync the disk when the battery is this low, 0 to 100; 0 for never. The run is resumed if power
                returns within ResumeLimitSec.
                """
        ) { try $0.number(in: 0...100) },
    ]
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
