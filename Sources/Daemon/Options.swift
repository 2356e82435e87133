import Board
import Domain
import Linux
import Pipeline
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

    /// The configuration file; nil means ``ConfigurationFile/path``, if that exists.
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
    package var replay: Replay?

    /// `--replay` and its options.
    package struct Replay: Equatable, Sendable {
        /// A file, or the number of an activity.
        package var recording: String
        package var speed = 1.0
        package var loops = false
    }

    /// Whether a simulation or a recording takes the place of the devices.
    package var isDemo: Bool { demo != nil || replay != nil }

    package init() {}

    /// The path of the configuration file.
    var configurationPath: String { configuration ?? ConfigurationFile.path }

    /// The action that the command line requests.
    package enum Request: Equatable, Sendable {
        case run(Options)
        /// `--check`: reads the configuration only.
        case check(Options)
        /// Text for standard output.
        case print(String)
    }

    /// An invalid option. `line` names it and the valid values.
    package struct UsageError: Error, Equatable, Sendable {
        package var line: String

        package init(line: String) {
            self.line = line
        }
    }

    /// Parses the arguments after the program's name.
    package static func read(_ arguments: [String]) throws(UsageError) -> Request {
        var options = Options()
        var rest = arguments[...]
        var speed: Double?
        var loops = false
        var checksOnly = false
        while let argument = rest.popFirst() {
            // Both --option value and --option=value.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parts.count == 2, name.hasPrefix("--") { rest.insert(String(parts[1]), at: rest.startIndex) }
            switch name {
            case "--help": return .print(help)
            case "--version": return .print("paced \(Release.version) (protocol \(Release.protocolNumber))\n")
            case "--demo": options.demo = try parts.count == 2 ? session(value(of: name, &rest)) : .run
            case "--replay": options.replay = Replay(recording: try value(of: name, &rest))
            case "--speed": speed = try Self.speed(value(of: name, &rest))
            case "--loop": loops = true
            case "--check": checksOnly = true
            case "--config": options.configuration = try value(of: name, &rest)
            case "--runtime-dir": options.runtimeDirectory = try value(of: name, &rest)
            case "--state-dir": options.stateDirectory = try value(of: name, &rest)
            case "--gpsd": options.gpsd = try Gpsd(value(of: name, &rest), of: name)
            // The name of release 0.1.0.
            case "--sensors", "--strap": options.sensors = try Sensors(value(of: name, &rest), of: name)
            case "--bluetooth": options.bluetooth = try Bluetooth(value(of: name, &rest), of: name)
            case "--adapter": options.adapter = try AdapterChoice(value(of: name, &rest), of: name)
            case "--barometer": options.barometer = try Barometer(value(of: name, &rest), of: name)
            default:
                throw UsageError(
                    line: "unknown option \(SanitizedText(argument)?.text ?? "\"\""); paced --help lists them")
            }
        }
        try options.check(speed, loops: loops)
        return checksOnly ? .check(options) : .run(options)
    }

    private static func session(_ text: String) throws(UsageError) -> SimulatedSession {
        guard let session = SimulatedSession(rawValue: text) else {
            let names = SimulatedSession.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(line: "--demo takes one of \(names)")
        }
        return session
    }

    private static func speed(_ text: String) throws(UsageError) -> Double {
        guard let speed = Double(text), ReplayClock.speeds.contains(speed) else {
            throw UsageError(line: "--speed takes a number from 0.1 to 60")
        }
        return speed
    }

    /// Adopts the options of a replay, and rejects those that do not go with one.
    private mutating func check(_ speed: Double?, loops: Bool) throws(UsageError) {
        guard replay != nil else {
            guard speed == nil, !loops else {
                throw UsageError(line: "\(speed == nil ? "--loop" : "--speed") is an option of --replay only")
            }
            return
        }
        replay?.speed = speed ?? 1
        replay?.loops = loops
        let others = [
            ("--demo", demo != nil), ("--gpsd", gpsd != nil), ("--sensors", sensors != nil),
            ("--bluetooth", bluetooth != nil), ("--adapter", adapter != nil),
            ("--barometer", barometer != nil),
        ]
        for (name, isGiven) in others where isGiven {
            throw UsageError(line: "--replay and \(name) exclude each other: a replay uses the recording only")
        }
    }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError(line: "\(name) needs a value") }
        return value
    }

    private static let help = """
        Usage: paced [OPTION…]
        A headless sports computer: position, heart rate, power and speed of a session on a socket.

          --config FILE                  the configuration file; default: /etc/paced/paced.conf, if it exists
          --check                        print the errors of the configuration file, and exit
          --gpsd HOST[:PORT[:DEVICE]]|off
                                         the address of gpsd; default: localhost:2947
          --sensors auto|SENSOR[,SENSOR…]|off
                                         the sensors to use: addresses (with /public or /random, if known), names,
                                         or ends of names. auto: a strap that is near, which is then remembered.
                                         unix:PATH is for tests: GATT over a SOCK_SEQPACKET socket
          --adapter hciN|ADDRESS         the Bluetooth adapter; default: the first one
          --bluetooth auto|kernel|bluetoothd|off
                                         the Bluetooth backend: bluetoothd, or the kernel's own interfaces;
                                         auto: bluetoothd while it runs
          --barometer auto|off|DIR       the board's barometer; default: auto, the first one of the kernel's
                                         IIO devices. DIR replaces /sys/bus/iio/devices
          --runtime-dir DIR              the directory of the sockets; default: /run/paced as root,
                                         else $XDG_RUNTIME_DIR/paced
          --state-dir DIR                the directory of the journal; default: /var/lib/paced as root,
                                         else $XDG_STATE_HOME/paced or ~/.local/state/paced;
                                         with --demo paced-demo in the place of paced
          --demo[=run|ride|indoor]       a simulated session, without hardware or root; default: run
          --replay FILE|ID               serve a recorded file or activity as if it happened now, in private
                                         directories, and record nothing; ID is looked up in --state-dir
          --speed N                      replay N times as fast, 0.1 to 60
          --loop                         replay again and again
          --version, --help

        Exit status: 0 stopped, 1 failed, 2 wrong option. pacectl controls a running paced.

        """
}
