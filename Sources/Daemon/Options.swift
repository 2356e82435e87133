import Domain
import Linux
package import Sensors
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

    package enum Strap: Equatable, Sendable {
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

    /// The configuration file; nil means ``ConfigurationFile/path``, if that exists.
    package var configuration: String?
    package var runtimeDirectory: String?
    package var stateDirectory: String?
    /// Nil if the configuration file decides; so are the next three.
    package var gpsd: Gpsd?
    package var strap: Strap?
    package var bluetooth: Bluetooth?
    package var adapter: AdapterChoice?
    package var isDemo = false

    package init() {}

    /// The path of the configuration file.
    var configurationPath: String { configuration ?? ConfigurationFile.path }

    /// The action that the command line requests.
    package enum Request: Equatable, Sendable {
        case run(Options)
        /// Text for standard output.
        case print(String)
    }

    /// An invalid option. `line` names it and the valid values.
    package struct UsageError: Error, Equatable, Sendable {
        package var line: String
    }

    /// Parses the arguments after the program's name.
    package static func read(_ arguments: [String]) throws(UsageError) -> Request {
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // Both --option value and --option=value.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parts.count == 2, name.hasPrefix("--") { rest.insert(String(parts[1]), at: rest.startIndex) }
            switch name {
            case "--help": return .print(help)
            case "--version": return .print("paced \(Release.version) (protocol \(Release.protocolNumber))\n")
            case "--demo": options.isDemo = true
            case "--config": options.configuration = try value(of: name, &rest)
            case "--runtime-dir": options.runtimeDirectory = try value(of: name, &rest)
            case "--state-dir": options.stateDirectory = try value(of: name, &rest)
            case "--gpsd": options.gpsd = try Gpsd(value(of: name, &rest), of: name)
            case "--strap": options.strap = try Strap(value(of: name, &rest), of: name)
            case "--bluetooth": options.bluetooth = try Bluetooth(value(of: name, &rest), of: name)
            case "--adapter": options.adapter = try AdapterChoice(value(of: name, &rest), of: name)
            default:
                throw UsageError(
                    line: "unknown option \(SanitizedText(argument)?.text ?? "\"\""); paced --help lists them")
            }
        }
        return .run(options)
    }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError(line: "\(name) needs a value") }
        return value
    }

    private static let help = """
        Usage: paced [OPTION…]
        A headless sports computer: heart rate from a strap, position from gpsd, the state of a run on a socket.

          --config FILE                  the configuration file; default: /etc/paced/paced.conf, if it exists
          --gpsd HOST[:PORT[:DEVICE]]|off
                                         the address of gpsd; default: localhost:2947
          --strap auto|STRAP[,STRAP…]|off
                                         the straps to use: addresses (with /public or /random, if known), names,
                                         or ends of names. auto: a strap that is near, which is then remembered.
                                         unix:PATH is for tests: GATT over a SOCK_SEQPACKET socket
          --adapter hciN|ADDRESS         the Bluetooth adapter; default: the first one
          --bluetooth auto|kernel|bluetoothd|off
                                         the Bluetooth backend: bluetoothd, or the kernel's own interfaces;
                                         auto: bluetoothd while it runs
          --runtime-dir DIR              the directory of the sockets; default: /run/paced as root,
                                         else $XDG_RUNTIME_DIR/paced
          --state-dir DIR                the directory of the journal; default: /var/lib/paced as root,
                                         else $XDG_STATE_HOME/paced or ~/.local/state/paced
          --demo                         a simulated runner, without hardware or root
          --version, --help

        Exit status: 0 stopped, 1 failed, 2 wrong option. pacectl controls a running paced.

        """
}
