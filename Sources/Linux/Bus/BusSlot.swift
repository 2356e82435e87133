import CSystemd
import Domain
import Glibc

/// A pending call, a match or an exported object. Releasing it cancels it and
/// removes a match; its own callback may release it. It may outlive its bus.
@safe
package final class BusSlot {
    var pointer: OpaquePointer?
    /// Receives each message of the slot; returns the value for sd-bus.
    let body: (OpaquePointer) -> Int32
    /// Receives the bus's reply to a match.
    let installed: ((BusError?) -> Void)?
    /// Reports a call that could not be sent in the next iteration of the loop, or after its timeout.
    var failure: TimerSource?

    init(installed: ((BusError?) -> Void)? = nil, _ body: @escaping (OpaquePointer) -> Int32) {
        unsafe self.body = unsafe body
        self.installed = installed
    }

    deinit {
        unsafe sd_bus_slot_unref(pointer)
    }

    /// Return value of a reply callback. After 0, libsystemd would continue with
    /// a bus whose call has timed out, and abort if the callback has released it.
    static let done: Int32 = 1

    var box: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    static let onMessage: sd_bus_message_handler_t = { message, box, _ in
        // Only the body is retained: it may release the slot.
        let body = unsafe Unmanaged<BusSlot>.fromOpaque(box!).takeUnretainedValue().body
        return unsafe body(message!)
    }
}
