import CLinux
import Domain
import Glibc

/// Lets one thread wake another, or the loop. Any number of calls before it is heard are one.
///
/// The corresponding C function is `eventfd`.
@safe
package struct EventFD: ~Copyable, Sendable {
    /// Ready for reading while a call has not been heard; for ``EventLoop``.
    package let descriptor: FileDescriptor

    package init() throws(SystemError) {
        descriptor = FileDescriptor(owning: try check("eventfd") { clinux_eventfd() })
    }

    package func signal() {
        var one: UInt64 = 1
        unsafe write(descriptor.number, &one, 8)
    }

    /// Hears what was called, and says whether anything was.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        return unsafe read(descriptor.number, &count, 8) == 8
    }

    /// Waits for a call, at most so long; hears it.
    @discardableResult
    package func wait(atMost limit: Duration) -> Bool {
        var ready = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        // Rounded up: a wait that ends before its moment finds nothing due.
        unsafe poll(&ready, 1, Int32(clamping: max(limit.wholeNanoseconds + 999_999, 0) / 1_000_000))
        return drain()
    }
}
