import Domain
import Glibc
import Linux

/// The directories in use. Precedence: option, systemd's variable, default.
struct WebDirectories: Equatable {
    /// Of code.sock and admin.sock; nil if systemd has created them.
    var runtime: String?
    var state: String
    var pages: String
    var places: WebServer.Places

    /// - Parameter variable: the value of an environment variable.
    init(
        _ options: WebOptions, hasSockets: Bool, environment: @escaping (String) -> String?
    ) throws(WebOptions.UsageError) {
        let variable = { (name: String) in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let isSystem =
            geteuid() == 0 || variable("SYSTEMD_EXEC_PID").flatMap { Int32($0) } == getpid()
        func runtimeDirectory(_ option: String, _ name: String) throws(WebOptions.UsageError) -> String {
            if isSystem { return "/run/" + name }
            guard let base = variable("XDG_RUNTIME_DIR") else {
                throw WebOptions.UsageError(line: "XDG_RUNTIME_DIR is unset: give \(option) DIR")
            }
            return base + "/" + name
        }
        if hasSockets {
            runtime = nil
        } else if let directory = options.runtimeDirectory {
            runtime = directory
        } else {
            runtime = try runtimeDirectory("--runtime-dir", "paced-web")
        }
        if let directory = options.stateDirectory ?? variable("STATE_DIRECTORY") {
            state = directory
        } else if isSystem {
            state = "/var/lib/paced-web"
        } else if let base = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" }) {
            state = base + "/paced-web"
        } else {
            throw WebOptions.UsageError(line: "HOME is unset: give --state-dir DIR")
        }
        // With prefix=/usr/local the pages are in /usr/local/share/paced-web.
        pages = options.pageDirectory ?? (Machine.programDirectory ?? "/usr/bin") + "/../share/paced-web"
        let paced: String
        if let directory = options.pacedDirectory {
            paced = directory
        } else {
            paced = try runtimeDirectory("--paced-dir", "paced")
        }
        let net: String
        if let directory = options.netDirectory {
            net = directory
        } else {
            net = try runtimeDirectory("--net-dir", "paced-net")
        }
        let programOptions =
            ["--runtime-dir", paced] + (options.journalDirectory.map { ["--state-dir", $0] } ?? [])
        places = WebServer.Places(
            stateSocket: paced + "/state.sock", controlSocket: paced + "/control.sock",
            networkSocket: net + "/net.sock", temporary: variable("TMPDIR") ?? "/tmp",
            program: Machine.programBeside("pacectl") ?? "/usr/bin/pacectl",
            programOptions: programOptions,
            mapOptions: options.mapsDirectory.map { ["--maps-dir", $0] } ?? [],
            netOptions: options.netDirectory.map { ["--net-dir", $0] } ?? [])
    }
}
