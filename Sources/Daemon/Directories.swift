import Domain
import Glibc
import Linux

/// The directories of the daemon's sockets and files.
///
/// Precedence: option, directory made by systemd (`RUNTIME_DIRECTORY`, `STATE_DIRECTORY`), default (man/paced.8).
package struct Directories: Equatable, Sendable {
    /// Nil if systemd passed both sockets.
    package var runtime: String?
    package var state: String

    /// No default directory is known. `line` names the option to give.
    package struct Unknown: Error, Equatable, Sendable {
        package var line: String

        package init(line: String) {
            self.line = line
        }
    }

    /// The directories of a replay, in a private one; `--runtime-dir` names another for the sockets.
    package init(_ options: Options, replayIn directory: String) {
        runtime = options.runtimeDirectory ?? directory + "/run"
        state = directory + "/state"
    }

    /// - Parameters:
    ///   - hasSockets: true if systemd passed both sockets; then ``runtime`` is nil.
    ///   - environment: the value of a variable; nil or empty is unset.
    package init(
        _ options: Options, isSystem: Bool, hasSockets: Bool = false, environment: (String) -> String?
    ) throws(Unknown) {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        func first(of list: String?) -> String? {
            list?.split(separator: ":").first.map(String.init)
        }
        if hasSockets {
            runtime = nil
        } else if let runtime = options.runtimeDirectory ?? first(of: variable("RUNTIME_DIRECTORY")) {
            self.runtime = runtime
        } else if isSystem {
            runtime = "/run/paced"
        } else if let base = variable("XDG_RUNTIME_DIR") {
            runtime = base + "/paced"
        } else {
            throw Unknown(line: "XDG_RUNTIME_DIR is unset: give --runtime-dir DIR")
        }
        // A demo records beside the journal of real runs, and not in it.
        let name = options.isDemo ? "paced-demo" : "paced"
        if let state = options.stateDirectory ?? first(of: variable("STATE_DIRECTORY")) {
            self.state = state
        } else if isSystem {
            state = "/var/lib/" + name
        } else if let base = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" }) {
            state = base + "/" + name
        } else {
            throw Unknown(line: "HOME is unset: give --state-dir DIR")
        }
    }
}
