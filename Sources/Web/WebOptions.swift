import Domain
import Linux
import Program

/// The command line of `paced-web`.
///
/// Source: man/paced-web.8.
struct WebOptions: Equatable {
    /// Nil means the default one, if that exists.
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
    /// The directory of link.sock, for the metrics.
    var linkDirectory: String?

    static let description = ProgramDescription(
        name: "paced-web",
        summary: """
            Serves the web page of paced, for the phone on the handlebar, the kiosk and the desk.
            pacectl reads the recordings for it. pacectl web code prints the address and the code that signs a browser in.
            """,
        column: 25,
        options: [
            ProgramOption(
                "--listen", .required("ADDRESS:PORT"),
                "a numeric address; several are possible; default: 127.0.0.1:8080"
            ) { options, value in
                guard let address = ListenAddress(value) else {
                    throw UsageError(
                        line: "--listen needs a numeric address and a port, such as 127.0.0.1:8080 or [::1]:8080")
                }
                options.addresses.append(address)
            },
            ProgramOption(
                "--config", .required("FILE"),
                "the configuration file; default: /etc/paced/paced-web.conf, if it exists"
            ) { $0.configuration = $1 },
            ProgramOption(
                "--runtime-dir", .required("DIR"),
                """
                the directory of code.sock and admin.sock; default: /run/paced-web as root,
                else $XDG_RUNTIME_DIR/paced-web
                """
            ) { $0.runtimeDirectory = $1 },
            ProgramOption(
                "--state-dir", .required("DIR"),
                """
                the directory of the tokens; default: /var/lib/paced-web as root,
                else $XDG_STATE_HOME/paced-web or ~/.local/state/paced-web
                """
            ) { $0.stateDirectory = $1 },
            ProgramOption(
                "--page-dir", .required("DIR"),
                """
                the directory of the pages; default: share/paced-web beside the
                directory of this program, such as /usr/share/paced-web
                """
            ) { $0.pageDirectory = $1 },
            .pacedDirectory { $0.pacedDirectory = $1 },
            ProgramOption(
                "--net-dir", .required("DIR"), "the directory of net.sock of paced-net, as of pacectl"
            ) { $0.netDirectory = $1 },
            ProgramOption(
                "--link-dir", .required("DIR"), "the directory of link.sock of paced-link, as of pacectl"
            ) { $0.linkDirectory = $1 },
            ProgramOption(
                "--journal-dir", .required("DIR"),
                "the directory of the journal, as --state-dir of pacectl"
            ) { $0.journalDirectory = $1 },
            ProgramOption(
                "--maps-dir", .required("DIR"), "the directory of places and timetable, as of pacectl"
            ) { $0.mapsDirectory = $1 },
        ],
        end: "Exit status: 0 stopped, 1 failed, 2 wrong option or configuration.",
        initial: WebOptions())
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
