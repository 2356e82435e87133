package import Program

/// The directories of the daemon's sockets and files.
///
/// Source: man/paced.8.
package struct Directories: Equatable, Sendable {
    /// Nil if systemd passed both sockets.
    package var runtime: String?
    package var state: String

    /// The directories of a replay, in a private one; `--runtime-dir` names another for the sockets.
    package init(_ options: Options, replayIn directory: String) {
        runtime = options.runtimeDirectory ?? directory + "/run"
        state = directory + "/state"
    }

    /// - Parameter hasSockets: true if systemd passed both sockets; then ``runtime`` is nil.
    package init(
        _ options: Options, hasSockets: Bool = false, _ environment: ProgramEnvironment
    ) throws(UsageError) {
        if !hasSockets {
            runtime = try environment.directory(.runtime, "paced", ("--runtime-dir", options.runtimeDirectory))
        }
        // A demo records beside the journal of real runs, and not in it.
        let name = options.isDemo ? "paced-demo" : "paced"
        state = try environment.directory(.state, name, ("--state-dir", options.stateDirectory))
    }
}
