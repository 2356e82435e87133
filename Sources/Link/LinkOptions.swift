package import Program

/// The command line of `paced-link`.
///
/// Source: man/paced-link.8.
package struct LinkOptions: Equatable, Sendable {
    /// Nil means the default one, if that exists.
    package var configuration: String?
    /// The directory of link.sock.
    package var runtimeDirectory: String?
    /// The directory of link.sqlite.
    package var stateDirectory: String?
    /// The directory of the sockets of paced.
    package var pacedDirectory: String?
    /// The directory of the journal.
    package var journalDirectory: String?
    /// Whether to print examples of all messages, and to send nothing.
    package var checks = false

    package init() {}

    package static let description = ProgramDescription(
        name: "paced-link",
        summary: """
            Sends what paced measures and records off the board: live values and recorded rows to an MQTT broker.
            Without a broker in its configuration file it sends nothing.
            """,
        column: 23,
        options: [
            ProgramOption(
                "--config", .required("FILE"),
                "the configuration file; default: /etc/paced/paced-link.conf, if it exists"
            ) { $0.configuration = $1 },
            ProgramOption(
                "--check", .none,
                "print an example of every message that would be sent, and exit"
            ) { options, _ in options.checks = true },
            ProgramOption(
                "--runtime-dir", .required("DIR"),
                """
                the directory of link.sock; default: /run/paced-link as root,
                else $XDG_RUNTIME_DIR/paced-link
                """
            ) { $0.runtimeDirectory = $1 },
            ProgramOption(
                "--state-dir", .required("DIR"),
                """
                the directory of what was delivered; default: /var/lib/paced-link as root,
                else $XDG_STATE_HOME/paced-link or ~/.local/state/paced-link
                """
            ) { $0.stateDirectory = $1 },
            .pacedDirectory { $0.pacedDirectory = $1 },
            ProgramOption(
                "--journal-dir", .required("DIR"),
                """
                the directory with the journal of paced; default: /var/lib/paced as root,
                else $XDG_STATE_HOME/paced or ~/.local/state/paced
                """
            ) { $0.journalDirectory = $1 },
        ],
        end: """
            Exit status: 0 stopped, 1 failed, 2 wrong option or configuration. pacectl link status asks a running paced-link.
            """,
        initial: LinkOptions())
}

/// The directories in use.
struct LinkDirectories: Equatable {
    /// Nil if systemd passed the socket.
    var runtime: String?
    var state: String
    var paced: String
    var journal: String

    init(_ options: LinkOptions, hasSocket: Bool, _ environment: ProgramEnvironment) throws(UsageError) {
        if !hasSocket {
            runtime = try environment.directory(.runtime, "paced-link", ("--runtime-dir", options.runtimeDirectory))
        }
        state = try environment.directory(.state, "paced-link", ("--state-dir", options.stateDirectory))
        paced = try environment.runtimeDirectory(of: "paced", ("--paced-dir", options.pacedDirectory))
        journal = try environment.stateDirectory(of: "paced", ("--journal-dir", options.journalDirectory))
    }
}
