import Domain
import Linux
package import Sensors

/// What the command line of `paced` asks for.
///
/// Source: protocol.md, "Programs".
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
        /// The best way that this machine has.
        case auto
        /// The kernel's own interfaces.
        case kernel
        /// Through bluetoothd, or not at all.
        case bluetoothd
    }

    /// The configuration file; nil is ``Configuration/path``, if that is there.
    package var configuration: String?
    package var runtimeDirectory: String?
    package var stateDirectory: String?
    package var gpsd = Gpsd.at(host: nil, port: 2947, device: nil)
    package var strap = Strap.auto
    package var bluetooth = Bluetooth.auto
    package var adapter = AdapterChoice.any
    package var isDemo = false

    package init() {}

    /// What is to be done.
    package enum Request: Equatable, Sendable {
        case run(Options)
        /// Text for standard output.
        case print(String)
    }

    /// A wrong option: one line that says which, and what would be right.
    package struct Misuse: Error, Equatable, Sendable {
        package var line: String
    }

    /// Reads the arguments after the program's name.
    package static func read(_ arguments: [String]) throws(Misuse) -> Request {
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
            case "--gpsd": options.gpsd = try gpsd(value(of: name, &rest))
            case "--strap": options.strap = try strap(value(of: name, &rest))
            case "--bluetooth": options.bluetooth = try bluetooth(value(of: name, &rest))
            case "--adapter": options.adapter = try adapter(value(of: name, &rest))
            default:
                throw Misuse(line: "unknown option \(ForeignText(argument)?.text ?? "\"\""); paced --help lists them")
            }
        }
        return .run(options)
    }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(Misuse) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw Misuse(line: "\(name) needs a value") }
        return value
    }

    /// Reads `HOST:PORT[:DEVICE]` or `off`; an IPv6 address stands in brackets.
    private static func gpsd(_ text: String) throws(Misuse) -> Gpsd {
        if text == "off" { return .off }
        let form = "--gpsd takes HOST:PORT[:DEVICE] or off"
        var host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw Misuse(line: form + "; ] is missing") }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            host = text.prefix { $0 != ":" }
            rest = text.dropFirst(host.count)
        }
        guard rest.popFirst() == ":" else { throw Misuse(line: form + ", the port is missing") }
        let port = rest.prefix { $0 != ":" }
        rest = rest.dropFirst(port.count)
        guard let port = UInt16(port), port > 0 else { throw Misuse(line: form + ", the port is 1 to 65535") }
        let device = rest.dropFirst()
        if rest.first == ":", device.isEmpty { throw Misuse(line: form + ", the device is empty") }
        if host != "localhost", !TCPSocket.isAddress(String(host)) {
            throw Misuse(line: "--gpsd takes a numeric address or localhost: a name would need a look-up that blocks")
        }
        return .at(
            host: host == "localhost" ? nil : String(host), port: port, device: device.isEmpty ? nil : String(device))
    }

    private static func strap(_ text: String) throws(Misuse) -> Strap {
        switch text {
        case "off": return .off
        case "auto": return .auto
        default: break
        }
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard !path.isEmpty, path.utf8.count <= UnixSocket.pathLimit else {
                throw Misuse(line: "--strap unix:PATH takes a path of 1 to \(UnixSocket.pathLimit) bytes")
            }
            return .unix(path: String(path))
        }
        let straps = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !straps.contains("") else { throw Misuse(line: "--strap takes straps with commas between, none empty") }
        guard straps.allSatisfy(isStrap) else {
            throw Misuse(
                line: "--strap takes names, ends of names, or addresses, with /public or /random after them if known")
        }
        return .ours(straps)
    }

    /// An address stands with a type or without; a text whose beginning is none is a name.
    private static func isStrap(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count > 1, DeviceAddress(parts[0]) != nil {
            return parts[1...] == ["public"] || parts[1...] == ["random"]
        }
        return StrapPattern(text) != nil
    }

    private static func bluetooth(_ text: String) throws(Misuse) -> Bluetooth {
        switch text {
        case "off": return .off
        case "auto": return .auto
        case "kernel": return .kernel
        case "bluetoothd": return .bluetoothd
        default: throw Misuse(line: "--bluetooth takes auto, kernel, bluetoothd or off")
        }
    }

    /// Reads `hciN` or an address.
    private static func adapter(_ text: String) throws(Misuse) -> AdapterChoice {
        if let address = DeviceAddress(text) { return .address(address) }
        // The kernel's word for no adapter is no number of one.
        if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), index < ManagementCommand.noIndex {
            return .index(index)
        }
        throw Misuse(line: "--adapter takes hci and a number, or an address such as 00:1A:7D:DA:71:13")
    }

    private static let help = """
        Usage: paced [OPTION…]
        A headless sports computer: heart rate from a strap, position from gpsd, the state of a run on a socket.

          --config FILE                  what is configured; /etc/paced/paced.conf unless said, if that is there
          --gpsd HOST:PORT[:DEVICE]|off  where gpsd listens; localhost:2947 unless said
          --strap auto|STRAP[,STRAP…]|off
                                         which straps are ours: an address (with /public or /random, if known), a
                                         name, or the end of a name; auto: the one that is near, and then remembered.
                                         unix:PATH is for tests: GATT over a SOCK_SEQPACKET socket
          --adapter hciN|ADDRESS         the Bluetooth adapter; the first one unless said
          --bluetooth auto|kernel|bluetoothd|off
                                         how Bluetooth is used: through bluetoothd, or the kernel's own interfaces;
                                         auto: through bluetoothd while that runs
          --runtime-dir DIR              for the sockets; /run/paced as root, else $XDG_RUNTIME_DIR/paced
          --state-dir DIR                for what outlives a restart; /var/lib/paced as root, else
                                         $XDG_STATE_HOME/paced or ~/.local/state/paced
          --demo                         a simulated runner, without hardware or root
          --version, --help

        Exit status: 0 told to stop, 1 failed, 2 wrong option. pacectl shows and steers what it does.

        """
}
