import Glibc

/// The directory with the daemon's sockets.
struct RuntimeDirectory: Equatable {
    var path: String

    /// The option's directory, else `/run/paced` if it has a socket, else `$XDG_RUNTIME_DIR/paced`.
    init(_ option: String?) {
        let system = "/run/paced"
        if let option {
            path = option
        } else if access(system + "/state.sock", F_OK) == 0 || access(system + "/control.sock", F_OK) == 0 {
            path = system
        } else if let own = environment("XDG_RUNTIME_DIR") {
            path = own + "/paced"
        } else {
            path = system
        }
    }

    var stateSocket: String { path + "/state.sock" }
    var controlSocket: String { path + "/control.sock" }
    var publishSocket: String { path + "/publish.sock" }
}

/// An environment variable; nil if it is empty.
func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
