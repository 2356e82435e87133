import Board
import Domain
import Linux
import Pipeline
package import Program
package import Sensors
package import Simulation
import Wire

/// The command line of `paced`.
///
/// Source: man/paced.8.
package struct Options: Equatable, Sendable {
    package enum Gpsd: Equatable, Sendable {
        case off
        /// `host` is a numeric address; nil is `localhost`: 127.0.0.1, then ::1.
        case at(host: String?, port: UInt16, device: String?)
        /// Positions of another program by sensor.sock take the place of those of gpsd.
        case sensorSocket
    }

    package enum Sensors: Equatable, Sendable {
        case off
        case auto
        /// Addresses, names, or ends of names.
        case ours([String])
        /// For tests: the GATT client over a SOCK_SEQPACKET socket.
        case unix(path: String)
    }

    package enum Bluetooth: Equatable, Sendable {
        case off
        /// Through bluetoothd while that runs, else the kernel.
        case auto
        /// The kernel's management interface and L2CAP.
        case kernel
        /// Through bluetoothd only.
        case bluetoothd
    }

    package enum Barometer: Equatable, Sendable {
        case off
        /// Where the kernel's IIO devices are; another directory is for tests.
        case directory(String)

        static let automatic = Barometer.directory(Barometers.kernelDirectory)
    }

    /// The configuration file; nil means the default one, if that exists.
    package var configuration: String?
    package var runtimeDirectory: String?
    package var stateDirectory: String?
    /// Nil if the configuration file decides; so are the next four.
    package var gpsd: Gpsd?
    package var sensors: Sensors?
    package var bluetooth: Bluetooth?
    package var adapter: AdapterChoice?
    package var barometer: Barometer?
    /// The session that `--demo` simulates.
    package var demo: SimulatedSession?
    /// `--replay`: a file, or the number of an activity.
    package var replay: String?
    /// `--speed`; nil for 1.
    package var replaySpeed: Double?
    /// `--loop`.
    package var loopsReplay = false
    /// `--check`: read the configuration only.
    package var checksConfiguration = false

    /// Whether a simulation or a recording takes the place of the devices.
    package var isDemo: Bool { demo != nil || replay != nil }

    package init() {}

    package static let description = ProgramDescription(
        name: "paced", version: "\(Release.version) (protocol \(Release.protocolNumber))",
        summary: "A headless sports computer: position, heart rate, power and speed of a session on a socket.",
        column: 33, options: rows,
        end: "Exit status: 0 stopped, 1 failed, 2 wrong option. pacectl controls a running paced.",
        initial: Options()
    ) { options throws(UsageError) in try options.checkReplay() }

    private static let rows: [ProgramOption<Options>] = [
        ProgramOption(
            "--config", .required("FILE"),
            "the configuration file; default: /etc/paced/paced.conf, if it exists"
        ) { $0.configuration = $1 },
        ProgramOption("--check", .none, "print the errors of the configuration file, and exit") { options, _ in
            options.checksConfiguration = true
        },
        ProgramOption(
            "--gpsd", .required("HOST[:PORT[:DEVICE]]|off|sensor-socket"),
            "the address of gpsd; default: localhost:2947"
        ) { $0.gpsd = try Gpsd($1, of: "--gpsd") },
        // The former name is that of release 0.1.0.
        ProgramOption(
            "--sensors", former: "--strap", .required("auto|SENSOR[,SENSOR…]|off"),
            """
            the sensors to use: addresses (with /public or /random, if known), names,
            or ends of names. auto: a strap that is near, which is then remembered.
            unix:PATH is for tests: GATT over a SOCK_SEQPACKET socket
            """
        ) { $0.sensors = try Sensors($1, of: "--sensors") },
        ProgramOption(
            "--adapter", .required("hciN|ADDRESS"), "the Bluetooth adapter; default: the first one"
        ) { $0.adapter = try AdapterChoice($1, of: "--adapter") },
        ProgramOption(
            "--bluetooth", .required("auto|kernel|bluetoothd|off"),
            """
            the Bluetooth backend: bluetoothd, or the kernel's own interfaces;
            auto: bluetoothd while it runs
            """
        ) { $0.bluetooth = try Bluetooth($1, of: "--bluetooth") },
        ProgramOption(
            "--barometer", .required("auto|off|DIR"),
            """
            the board's barometer; default: auto, the first one of the kernel's
            IIO devices. DIR replaces /sys/bus/iio/devices
            """
        ) { $0.barometer = try Barometer($1, of: "--barometer") },
        ProgramOption(
            "--runtime-dir", .required("DIR"),
            """
            the directory of the sockets; default: /run/paced as root,
            else $XDG_RUNTIME_DIR/paced
            """
        ) { $0.runtimeDirectory = $1 },
        ProgramOption(
            "--state-dir", .required("DIR"),
            """
            the directory of the journal; default: /var/lib/paced as root,
            else $XDG_STATE_HOME/paced or ~/.local/state/paced;
            with --demo paced-demo in the place of paced
            """
        ) { $0.stateDirectory = $1 },
        ProgramOption(
            "--demo", .optional("run", "run|ride|indoor"),
            "a simulated session, without hardware or root; default: run"
        ) { options, name in
            guard let session = SimulatedSession(rawValue: name) else {
                let names = SimulatedSession.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError(line: "--demo takes one of \(names)")
            }
            options.demo = session
        },
        ProgramOption(
            "--replay", .required("FILE|ID"),
            """
            serve a recorded file or activity as if it happened now, in private
            directories, and record nothing; ID is looked up in --state-dir
            """
        ) { $0.replay = $1 },
        ProgramOption("--speed", .required("N"), "replay N times as fast, 0.1 to 60") {
            options, text in
            guard let speed = Double(text), ReplayClock.speeds.contains(speed) else {
                throw UsageError(line: "--speed takes a number from 0.1 to 60")
            }
            options.replaySpeed = speed
        },
        ProgramOption("--loop", .none, "replay again and again") { options, _ in options.loopsReplay = true },
    ]

    /// Rejects options that do not go with a replay, or need one.
    private func checkReplay() throws(UsageError) {
        if replay == nil {
            guard replaySpeed != nil || loopsReplay else { return }
            throw UsageError(line: "\(replaySpeed == nil ? "--loop" : "--speed") is an option of --replay only")
        }
        let others = [
            ("--demo", demo != nil), ("--gpsd", gpsd != nil), ("--sensors", sensors != nil),
            ("--bluetooth", bluetooth != nil), ("--adapter", adapter != nil),
            ("--barometer", barometer != nil),
        ]
        for (name, isGiven) in others where isGiven {
            throw UsageError(line: "--replay and \(name) exclude each other: a replay uses the recording only")
        }
    }
}
