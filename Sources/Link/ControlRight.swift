import Glibc

/// Whether this program may command paced: a drop-in of its unit gives it the group.
enum ControlRight {
    /// Why it may not; nil if it may, or if paced does not run.
    static func obstacle(at socket: String) -> String? {
        if access(socket, W_OK) == 0 || errno != EACCES { return nil }
        return "paced-link may not command: see paced-link-control.conf in man paced-link"
    }
}
