import CLinux
package import Domain
import Glibc

/// The clocks of the machine.
package enum Clock {
    /// `CLOCK_BOOTTIME`.
    package static func now() -> Instant {
        Instant(nanoseconds: read(CLOCK_BOOTTIME))
    }

    /// `CLOCK_REALTIME`, synchronised or not.
    package static func systemTime() -> UTC {
        UTC(milliseconds: read(CLOCK_REALTIME).flooredDivision(by: 1_000_000))
    }

    /// `CLOCK_MONOTONIC`, in microseconds: the clock of systemd's messages. It stops while the machine sleeps.
    package static func monotonicMicroseconds() -> Int64 {
        read(CLOCK_MONOTONIC) / 1000
    }

    /// Whether the kernel reports `CLOCK_REALTIME` as synchronised. If this process
    /// may not ask it, the last value of ``setSynchronised(isSynchronised:)``.
    package static func isSynchronised() -> Bool {
        isSynchronised(kernel: clinux_clock_is_synchronised())
    }

    /// - Parameter answer: the kernel's: 1 or 0; negative if this process may not ask it.
    package static func isSynchronised(kernel answer: Int32) -> Bool {
        answer < 0 ? reportedSynchronised.withLock { $0 } : answer == 1
    }

    /// The time of the machine's first real-time clock that is not before `earliest`, in whole seconds. A clock
    /// without a battery is before it. Nil if there is none.
    ///
    /// - Parameter directory: that of the kernel's class `rtc`; its attribute `since_epoch` has seconds.
    package static func realTimeClock(notBefore earliest: UTC, in directory: String = "/sys/class/rtc") -> UTC? {
        for name in (try? names(in: directory, limit: 16)) ?? [] {
            guard let file = try? FileDescriptor.open("\(directory)/\(name)/since_epoch", O_RDONLY),
                let seconds = Int64(file.readText(limit: 32).prefix { $0.isNumber }),
                (0...Int64.max / 1000).contains(seconds)
            else { continue }
            let time = UTC(milliseconds: seconds * 1000)
            if time >= earliest { return time }
        }
        return nil
    }

    /// Whether this process may ask the kernel; systemd's `ProtectClock=` forbids it.
    package static var canQuerySynchronisation: Bool {
        clinux_clock_is_synchronised() >= 0
    }

    /// Sets the answer of a service that may ask the kernel (``TimedatedMonitor``).
    package static func setSynchronised(isSynchronised: Bool) {
        reportedSynchronised.withLock { $0 = isSynchronised }
    }

    private static let reportedSynchronised = Locked(false)

    /// The random id of this boot, the scope of instants; empty without `/proc`.
    package static func bootID() -> String {
        guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY) else { return "" }
        return String(file.readText(limit: 64).prefix { $0.isHexDigit || $0 == "-" })
    }

    /// Blocks until `moment`.
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
