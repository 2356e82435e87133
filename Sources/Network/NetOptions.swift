import Domain
import Glibc
import Linux
import MapStorage

/// The command line of `paced-net`.
///
/// Source: man/paced-net.8.
package struct NetOptions: Equatable, Sendable {
    /// Nil means ``NetConfiguration/path``, if that exists.
    package var configuration: String?
    /// The directory of net.sock.
    package var runtimeDirectory: String?
    package var cacheDirectory: String?
    /// The directory of the sockets of paced.
    package var pacedDirectory: String?
    /// The directory of places.db.
    package var mapsDirectory: String?

    package init() {}

    package enum Request: Equatable {
        case run(NetOptions)
        /// Text for standard output.
        case print(String)
    }

    /// An invalid option, or a missing directory. `line` says what to do.
    package struct UsageError: Error, Equatable {
        package internal(set) var line: String

        package init(line: String) {
            self.line = line
        }
    }

    package static func read(_ arguments: [String]) throws(UsageError) -> Request {
        var options = NetOptions()
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
            case "--version" where parts.count == 1: return .print("paced-net \(Release.version)\n")
            case "--config": options.configuration = try value()
            case "--runtime-dir": options.runtimeDirectory = try value()
            case "--cache-dir": options.cacheDirectory = try value()
            case "--paced-dir": options.pacedDirectory = try value()
            case "--maps-dir": options.mapsDirectory = try value()
            default:
                let shown = SanitizedText(argument)?.text ?? "\"\""
                throw UsageError(line: "unknown option \(shown); paced-net --help lists them")
            }
        }
        return .run(options)
    }

    private static let help = """
        Usage: paced-net [OPTION…]
        Fetches the weather for paced while a program uses it, publishes the places around the position,
        and asks a route engine for pacectl route.

          --config FILE        the configuration file; default: /etc/paced/paced-net.conf, if it exists
          --runtime-dir DIR    the directory of net.sock; default: /run/paced-net as root,
                               else $XDG_RUNTIME_DIR/paced-net
          --cache-dir DIR      the directory of stored responses; default: /var/cache/paced-net as root,
                               else $XDG_CACHE_HOME/paced-net or ~/.cache/paced-net
          --paced-dir DIR      the directory of the sockets of paced; default: /run/paced as root,
                               else $XDG_RUNTIME_DIR/paced
          --maps-dir DIR       the directory of the imported places; default: /var/lib/paced-maps if it exists,
                               else $XDG_DATA_HOME/paced or ~/.local/share/paced
          --version, --help

        Exit status: 0 stopped, 1 failed, 2 wrong option or configuration. pacectl weather and pacectl route ask a running paced-net.

        """
}

/// The directories in use. Precedence: option, systemd's variable, default.
package struct NetDirectories: Equatable {
    /// Nil if systemd passed the socket.
    package internal(set) var runtime: String?
    package internal(set) var cache: String
    package internal(set) var paced: String
    package internal(set) var maps: String
    /// The directory of credentials (`LoadCredential=`); nil without one.
    package internal(set) var credentials: String?

    package init(
        _ options: NetOptions, isSystem: Bool, hasSocket: Bool, environment: (String) -> String?
    ) throws(NetOptions.UsageError) {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        func runtimeBase(_ option: String) throws(NetOptions.UsageError) -> String {
            if isSystem { return "/run" }
            guard let base = variable("XDG_RUNTIME_DIR") else {
                throw NetOptions.UsageError(line: "XDG_RUNTIME_DIR is unset: give \(option) DIR")
            }
            return base
        }
        if hasSocket {
            runtime = nil
        } else if let directory = options.runtimeDirectory ?? variable("RUNTIME_DIRECTORY") {
            runtime = directory
        } else {
            runtime = try runtimeBase("--runtime-dir") + "/paced-net"
        }
        if let directory = options.pacedDirectory {
            paced = directory
        } else {
            paced = try runtimeBase("--paced-dir") + "/paced"
        }
        maps = options.mapsDirectory ?? MapsDirectory.path(environment: variable) ?? MapsDirectory.system
        credentials = variable("CREDENTIALS_DIRECTORY")
        if let cache = options.cacheDirectory ?? variable("CACHE_DIRECTORY") {
            self.cache = cache
        } else if isSystem {
            cache = "/var/cache/paced-net"
        } else if let base = variable("XDG_CACHE_HOME") ?? variable("HOME").map({ $0 + "/.cache" }) {
            cache = base + "/paced-net"
        } else {
            throw NetOptions.UsageError(line: "HOME is unset: give --cache-dir DIR")
        }
    }
}
