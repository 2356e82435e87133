import CLinux
import Domain
import Glibc

/// Wakes a thread or the loop from another thread. Any number of signals before a drain count as one.
///
/// The corresponding C function is `eventfd`.
@safe
package struct EventFD: ~Copyable, Sendable {
    /// Readable while a signal has not been drained; for ``EventLoop``.
    package let descriptor: FileDescriptor

    package init() throws(SystemError) {
        descriptor = FileDescriptor(owning: try check("eventfd") { clinux_eventfd() })
    }

    package func signal() {
        var one: UInt64 = 1
        unsafe write(descriptor.number, &one, 8)
    }

    /// Consumes the signals; false if there were none.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        return unsafe read(descriptor.number, &count, 8) == 8
    }

    /// Waits for a signal, at most for `limit`, and drains it.
    @discardableResult
    package func wait(atMost limit: Duration) -> Bool {
        var ready = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        // Rounded up: after a wait that ends too early, nothing would be due.
        unsafe poll(&ready, 1, Int32(clamping: max(limit.wholeNanoseconds + 999_999, 0) / 1_000_000))
        return drain()
    }
}
