import CSystemd
import Glibc

// Separate: with `CSystemd` in the socket's file, an optimised build takes its constants from systemd's headers.
extension NotifySocket {
    /// Creates the socket from the environment, and unsets its variables, so
    /// that child processes do not inherit them. Nil if systemd does not listen.
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
