import CLinux
package import Domain
import Glibc

/// The clocks of the machine, read in the shell only.
package enum Clock {
    /// `CLOCK_BOOTTIME`.
    package static func now() -> Instant {
        Instant(nanoseconds: read(CLOCK_BOOTTIME))
    }

    /// `CLOCK_REALTIME`, right or wrong.
    package static func systemTime() -> UTC {
        UTC(milliseconds: read(CLOCK_REALTIME).flooredDivision(by: 1_000_000))
    }

    /// `CLOCK_MONOTONIC`, in microseconds: systemd's own clock, which stands still while the machine sleeps.
    package static func monotonicMicroseconds() -> Int64 {
        read(CLOCK_MONOTONIC) / 1000
    }

    /// Whether the kernel calls `CLOCK_REALTIME` synchronised; where it may not be asked, what ``heard(isSynchronised:)`` took last.
    package static func isSynchronised() -> Bool {
        let answer = clinux_clock_is_synchronised()
        return answer < 0 ? hearsay.withLock { $0 } : answer == 1
    }

    /// Whether the kernel may be asked if the clock is synchronised. It may not under systemd's `ProtectClock=`.
    package static var mayBeAsked: Bool {
        clinux_clock_is_synchronised() >= 0
    }

    /// Takes what somebody says who may ask the kernel.
    package static func setSynchronised(isSynchronised: Bool) {
        hearsay.withLock { $0 = isSynchronised }
    }

    private static let hearsay = Locked(false)

    /// The random name of this boot, which instants belong to; empty where `/proc` is missing.
    package static func bootID() -> String {
        guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY) else { return "" }
        return String(file.readText(limit: 64).prefix { $0.isHexDigit || $0 == "-" })
    }

    /// Waits until a moment has come.
    ///
    /// The corresponding C function is `clock_nanosleep`.
    package static func sleep(until moment: Instant) {
        var time = timespec()
        time.tv_sec = time_t(moment.nanoseconds / 1_000_000_000)
        time.tv_nsec = Int(moment.nanoseconds % 1_000_000_000)
        while unsafe clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
