import Domain
import Linux

/// The command line of `paced-web`.
///
/// Source: man/paced-web.8.
struct WebOptions: Equatable {
    /// Nil means ``WebConfiguration/path``, if that exists.
    var configuration: String?
    /// Where to listen; empty for the sockets of systemd, or the default address.
    var addresses: [ListenAddress] = []
    /// The directory of code.sock and admin.sock.
    var runtimeDirectory: String?
    /// The directory of the tokens.
    var stateDirectory: String?
    /// The directory of the pages.
    var pageDirectory: String?
    /// The directory of the sockets of paced.
    var pacedDirectory: String?
    /// Options of `pacectl`, which reads the recordings.
    var journalDirectory: String?
    var mapsDirectory: String?
    var netDirectory: String?

    enum Request: Equatable {
        case run(WebOptions)
        /// Text for standard output.
        case print(String)
    }

    /// An invalid option. `line` says what to do.
    struct UsageError: Error, Equatable {
        var line: String
    }

    static func read(_ arguments: [String]) throws(UsageError) -> Request {
        var options = WebOptions()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            func value() throws(UsageError) -> String {
                let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
                guard !value.isEmpty else { throw UsageError(line: "\(name) needs a value") }
                return value
            }
            switch name {
            case "--help" where parts.count == 1: return .print(help)
            case "--version" where parts.count == 1: return .print("paced-web \(Release.version)\n")
            case "--config": options.configuration = try value()
            case "--listen":
                guard let address = ListenAddress(try value()) else {
                    throw UsageError(
                        line: "--listen needs a numeric address and a port, such as 127.0.0.1:8080 or [::1]:8080")
                }
                options.addresses.append(address)
            case "--runtime-dir": options.runtimeDirectory = try value()
            case "--state-dir": options.stateDirectory = try value()
            case "--page-dir": options.pageDirectory = try value()
            case "--paced-dir": options.pacedDirectory = try value()
            case "--journal-dir": options.journalDirectory = try value()
            case "--maps-dir": options.mapsDirectory = try value()
            case "--net-dir": options.netDirectory = try value()
            default:
                let shown = SanitizedText(argument)?.text ?? "\"\""
                throw UsageError(line: "unknown option \(shown); paced-web --help lists them")
            }
        }
        return .run(options)
    }

    private static let help = """
        Usage: paced-web [OPTION…]
        Serves the web page of paced, for the phone on the handlebar, the kiosk and the desk.
        pacectl reads the recordings for it. pacectl web code prints the address and the code that signs a browser in.

          --listen ADDRESS:PORT  a numeric address; several are possible; default: 127.0.0.1:8080
          --config FILE          the configuration file; default: /etc/paced/paced-web.conf, if it exists
          --runtime-dir DIR      the directory of code.sock and admin.sock; default: /run/paced-web as root,
                                 else $XDG_RUNTIME_DIR/paced-web
          --state-dir DIR        the directory of the tokens; default: /var/lib/paced-web as root,
                                 else $XDG_STATE_HOME/paced-web or ~/.local/state/paced-web
          --page-dir DIR         the directory of the pages; default: share/paced-web beside the
                                 directory of this program, such as /usr/share/paced-web
          --paced-dir DIR        the directory of the sockets of paced; default: /run/paced as root,
                                 else $XDG_RUNTIME_DIR/paced
          --net-dir DIR          the directory of net.sock of paced-net, as of pacectl
          --journal-dir DIR      the directory of the journal, as --state-dir of pacectl
          --maps-dir DIR         the directory of places and timetable, as of pacectl
          --version, --help

        Exit status: 0 stopped, 1 failed, 2 wrong option or configuration.

        """
}

/// A numeric address with a port: `127.0.0.1:8080` or `[::1]:8080`.
package struct ListenAddress: Equatable {
    var host: String
    /// 0 for a free one.
    var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let authority = Authority(text), let port = authority.port, TCPSocket.isAddress(authority.host) else {
            return nil
        }
        self.init(host: authority.host, port: port)
    }

    /// As in an address of http.
    package var text: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// A host with an optional port, as in the header Host and in addresses (RFC 3986).
struct Authority: Equatable {
    /// In lower case, without the brackets of IPv6.
    var host: String
    var port: UInt16?

    init?(_ text: String) {
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        var end = text.endIndex
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]" as Character),
            text.hasPrefix("[") || text.firstIndex(of: ":") == colon
        {
            guard let port = UInt16(text[text.index(after: colon)...]) else { return nil }
            self.port = port
            end = colon
        }
        var host = text[..<end]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        }
        guard !host.isEmpty else { return nil }
        self.host = host.lowercased()
    }
}
