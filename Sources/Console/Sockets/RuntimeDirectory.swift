import Glibc

/// The directory with the daemon's sockets.
struct RuntimeDirectory: Equatable {
    var path: String

    /// The option's directory, else that of the daemon that a user means who names none.
    init(_ option: String?) {
        path =
            option ?? (DaemonChoice.here.daemon == .user ? DaemonChoice.userRuntime : nil)
            ?? DaemonChoice.serviceRuntime
    }

    /// The socket of paced-net: in the option's directory, else in `/run/paced-net` if it is there, else in
    /// `$XDG_RUNTIME_DIR/paced-net`.
    static func netSocket(_ option: String?) -> String {
        path(option, of: "paced-net", with: ["net.sock"]) + "/net.sock"
    }

    /// The socket of paced-link, which is found by the same rule.
    static func linkSocket(_ option: String?) -> String {
        path(option, of: "paced-link", with: ["link.sock"]) + "/link.sock"
    }

    /// The directory of the sockets of paced-web, which is found by the same rule.
    static func webDirectory(_ option: String?) -> String {
        path(option, of: "paced-web", with: ["code.sock", "admin.sock"])
    }

    private static func path(_ option: String?, of program: String, with sockets: [String]) -> String {
        if let option { return option }
        let system = "/run/" + program
        if sockets.contains(where: { access(system + "/" + $0, F_OK) == 0 }) { return system }
        return environment("XDG_RUNTIME_DIR").map { $0 + "/" + program } ?? system
    }

    var stateSocket: String { path + "/state.sock" }
    var controlSocket: String { path + "/control.sock" }
    var publishSocket: String { path + "/publish.sock" }
    var sensorSocket: String { path + "/sensor.sock" }
}

/// An environment variable; nil if it is empty.
func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
