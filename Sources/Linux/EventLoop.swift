import CSystemd
package import Domain
import Glibc

/// The event loop. Callbacks run one at a time, on the thread that runs the loop.
///
/// Source: sd-event(3).
@safe
package final class EventLoop {
    let event: OpaquePointer

    package init() throws(SystemError) {
        var event: OpaquePointer?
        try checkSystemd("sd_event_new", unsafe sd_event_new(&event))
        guard let event = unsafe event else { throw SystemError("sd_event_new", code: ENOMEM) }
        unsafe self.event = unsafe event
    }

    deinit {
        unsafe sd_event_unref(event)
    }

    /// Runs until ``stop(_:)``, and returns its status.
    package func run() throws(SystemError) -> Int32 {
        try checkSystemd("sd_event_loop", unsafe sd_event_loop(event))
    }

    /// Runs one iteration, which waits at most for `timeout`: for tests and measurements.
    package func runOnce(waiting timeout: Duration) throws(SystemError) {
        let microseconds = UInt64(max(timeout.wholeNanoseconds, 0) / 1000)
        try checkSystemd("sd_event_run", unsafe sd_event_run(event, microseconds))
    }

    /// Ends ``run()`` after the current callback.
    package func stop(_ status: Int32) {
        unsafe sd_event_exit(event, status)
    }

    /// Calls `body` whenever the descriptor is ready, until the source is released. The descriptor must outlive it.
    package func watch(
        _ descriptor: borrowing FileDescriptor, for readiness: Readiness, _ body: @escaping (Readiness) -> Void
    ) throws(SystemError) -> DescriptorSource {
        try watch(number: descriptor.number, for: readiness, body)
    }

    /// Watches a descriptor that a C library owns, by its number.
    package func watch(
        number: Int32, for readiness: Readiness, _ body: @escaping (Readiness) -> Void
    ) throws(SystemError) -> DescriptorSource {
        let source = DescriptorSource(body)
        try checkSystemd(
            "sd_event_add_io",
            unsafe sd_event_add_io(
                event, &source.source, number, readiness.rawValue,
                { _, _, events, box in
                    // The body may release its own source, which must leave the loop at once,
                    // before its owner closes the descriptor: only the body is retained.
                    let body = unsafe Unmanaged<DescriptorSource>.fromOpaque(box!).takeUnretainedValue().body
                    body(Readiness(rawValue: events))
                    return 0
                }, Unmanaged.passUnretained(source).toOpaque()))
        return source
    }

    /// Creates a disarmed timer. If both are due, timers run before descriptors.
    package func timer(_ body: @escaping () -> Void) throws(SystemError) -> TimerSource {
        let source = TimerSource(body)
        try checkSystemd(
            "sd_event_add_time",
            unsafe sd_event_add_time(
                event, &source.source, CLOCK_BOOTTIME, UInt64.max, TimerSource.accuracy,
                { _, _, box in
                    let body = unsafe Unmanaged<TimerSource>.fromOpaque(box!).takeUnretainedValue().body
                    body()
                    return 0
                }, Unmanaged.passUnretained(source).toOpaque()))
        try checkSystemd(
            "sd_event_source_set_enabled", unsafe sd_event_source_set_enabled(source.source, Int32(SD_EVENT_OFF)))
        try checkSystemd(
            "sd_event_source_set_priority",
            unsafe sd_event_source_set_priority(source.source, Int64(SD_EVENT_PRIORITY_IMPORTANT)))
        return source
    }

    /// Calls `body` after each callback of another source, before the next one.
    package func afterEach(_ body: @escaping () -> Void) throws(SystemError) -> CallbackSource {
        let source = CallbackSource(body)
        try checkSystemd(
            "sd_event_add_post",
            unsafe sd_event_add_post(
                event, &source.source,
                { _, box in
                    let body = unsafe Unmanaged<CallbackSource>.fromOpaque(box!).takeUnretainedValue().body
                    body()
                    return 0
                }, Unmanaged.passUnretained(source).toOpaque()))
        // Before timers, so that it is next.
        try checkSystemd(
            "sd_event_source_set_priority",
            unsafe sd_event_source_set_priority(source.source, Int64(SD_EVENT_PRIORITY_IMPORTANT) - 1))
        return source
    }

    /// Calls `body` when a signal arrives. The signal must be blocked (``blockSignals(_:)``).
    package func onSignal(_ signal: Int32, _ body: @escaping () -> Void) throws(SystemError) -> CallbackSource {
        let source = CallbackSource(body)
        try checkSystemd(
            "sd_event_add_signal",
            unsafe sd_event_add_signal(
                event, &source.source, signal,
                { _, _, box in
                    let body = unsafe Unmanaged<CallbackSource>.fromOpaque(box!).takeUnretainedValue().body
                    body()
                    return 0
                }, Unmanaged.passUnretained(source).toOpaque()))
        return source
    }
}

/// The readiness of a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let reading = Readiness(rawValue: 0x001)
    package static let writing = Readiness(rawValue: 0x004)
    /// Reported even if not requested.
    package static let failed = Readiness(rawValue: 0x008)
    /// The peer has closed; reported even if not requested.
    package static let hungUp = Readiness(rawValue: 0x010)
    /// The peer has closed, or sends no more (`EPOLLRDHUP`).
    package static let peerClosed = Readiness(rawValue: 0x2000)
}

/// A watched descriptor; it leaves the loop when this is released.
@safe
package final class DescriptorSource {
    fileprivate var source: OpaquePointer?
    fileprivate let body: (Readiness) -> Void

    fileprivate init(_ body: @escaping (Readiness) -> Void) {
        self.body = body
    }

    deinit {
        unsafe sd_event_source_disable_unref(source)
    }

    /// Changes the awaited readiness.
    package func watch(for readiness: Readiness) {
        unsafe sd_event_source_set_io_events(source, readiness.rawValue)
    }
}

/// A timer on `CLOCK_BOOTTIME` with an absolute deadline; fires once each time it is armed.
@safe
package final class TimerSource {
    /// In microseconds; 0 would select sd-event's default of 250 ms.
    fileprivate static let accuracy: UInt64 = 1

    fileprivate var source: OpaquePointer?
    fileprivate let body: () -> Void

    fileprivate init(_ body: @escaping () -> Void) {
        self.body = body
    }

    deinit {
        unsafe sd_event_source_disable_unref(source)
    }

    /// Arms the timer; it fires at once if `deadline` is past. Nil disarms it.
    package func arm(at deadline: Instant?) {
        guard let deadline else {
            unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
            return
        }
        // Rounded up: at a timer that fires too early, nothing would be due.
        unsafe sd_event_source_set_time(source, UInt64(max(deadline.nanoseconds + 999, 0) / 1000))
        unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    }
}

/// A callback without a setting, of a signal or after each other one; it leaves the loop when this is released.
@safe
package final class CallbackSource {
    fileprivate var source: OpaquePointer?
    fileprivate let body: () -> Void

    fileprivate init(_ body: @escaping () -> Void) {
        self.body = body
    }

    deinit {
        unsafe sd_event_source_disable_unref(source)
    }
}

/// Blocks signals for the loop to receive, and ignores SIGPIPE. Call it before threads start: they inherit the mask.
package func blockSignals(_ signals: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe sigprocmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
}
