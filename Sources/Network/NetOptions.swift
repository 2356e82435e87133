import MapStorage
package import Program
import Tiles

/// The command line of `paced-net`.
///
/// Source: man/paced-net.8.
package struct NetOptions: Equatable, Sendable {
    /// Nil means the default one, if that exists.
    package var configuration: String?
    /// The directory of net.sock.
    package var runtimeDirectory: String?
    package var cacheDirectory: String?
    /// The directory of the sockets of paced.
    package var pacedDirectory: String?
    /// The directory of places.db.
    package var mapsDirectory: String?

    package init() {}

    package static let description = ProgramDescription(
        name: "paced-net",
        summary: """
            Fetches the weather for paced while a program uses it, publishes the places around the position,
            and asks a route engine for pacectl route.
            """,
        column: 23,
        options: [
            ProgramOption(
                "--config", .required("FILE"),
                "the configuration file; default: /etc/paced/paced-net.conf, if it exists"
            ) { $0.configuration = $1 },
            ProgramOption(
                "--runtime-dir", .required("DIR"),
                """
                the directory of net.sock; default: /run/paced-net as root,
                else $XDG_RUNTIME_DIR/paced-net
                """
            ) { $0.runtimeDirectory = $1 },
            ProgramOption(
                "--cache-dir", .required("DIR"),
                """
                the directory of stored responses; default: /var/cache/paced-net as root,
                else $XDG_CACHE_HOME/paced-net or ~/.cache/paced-net
                """
            ) { $0.cacheDirectory = $1 },
            .pacedDirectory { $0.pacedDirectory = $1 },
            ProgramOption(
                "--maps-dir", .required("DIR"),
                """
                the directory of the imported places; default: /var/lib/paced-maps if it exists,
                else $XDG_DATA_HOME/paced or ~/.local/share/paced
                """
            ) { $0.mapsDirectory = $1 },
        ],
        end: """
            Exit status: 0 stopped, 1 failed, 2 wrong option or configuration. pacectl weather and pacectl route ask a running paced-net.
            """,
        initial: NetOptions())
}

/// The directories in use.
package struct NetDirectories: Equatable {
    /// Nil if systemd passed the socket.
    package internal(set) var runtime: String?
    package internal(set) var cache: String
    package internal(set) var paced: String
    package internal(set) var maps: String

    package init(
        _ options: NetOptions, hasSocket: Bool, _ environment: ProgramEnvironment
    ) throws(UsageError) {
        if !hasSocket {
            runtime = try environment.directory(.runtime, "paced-net", ("--runtime-dir", options.runtimeDirectory))
        }
        paced = try environment.runtimeDirectory(of: "paced", ("--paced-dir", options.pacedDirectory))
        maps = options.mapsDirectory ?? MapsDirectory.path(environment: environment.variable) ?? MapsDirectory.system
        cache = try environment.directory(.cache, "paced-net", ("--cache-dir", options.cacheDirectory))
    }
}
