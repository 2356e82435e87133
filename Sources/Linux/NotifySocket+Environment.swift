import CSystemd
import Glibc

// Apart from the socket: in an optimised build its constants would be those of systemd's headers in every file.
extension NotifySocket {
    /// Takes from the environment where systemd listens, and what it watches; nil where it does not listen. The variables are unset:
    /// what this process starts is not meant.
    ///
    /// Source: sd_watchdog_enabled(3).
    package static func fromEnvironment() -> NotifySocket? {
        var microseconds: UInt64 = 0
        let isWatched = unsafe sd_watchdog_enabled(1, &microseconds) > 0
        let path = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
        unsafe unsetenv("NOTIFY_SOCKET")
        guard let path else { return nil }
        let watchdog = isWatched ? Duration.microseconds(Int64(clamping: microseconds)) : nil
        return try? NotifySocket(path, watchdog: watchdog)
    }
}
