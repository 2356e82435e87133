import CSystemd
import Domain
import Glibc

/// A call under way, a match or an object of ours on the bus: nothing comes of it any more once this is released, which it may be in its
/// own callback. A match is then taken back, too. It may outlive its bus.
@safe
package final class BusSlot {
    var pointer: OpaquePointer?
    /// Takes each message that belongs to it; what it returns is sd-bus's.
    let body: (OpaquePointer) -> Int32
    /// Takes what the bus says to a match.
    let installed: ((BusError?) -> Void)?
    /// Tells of a call that could not leave, once the loop turns again, or in its time.
    var failure: TimerSource?

    init(installed: ((BusError?) -> Void)? = nil, _ body: @escaping (OpaquePointer) -> Int32) {
        unsafe self.body = unsafe body
        self.installed = installed
    }

    deinit {
        unsafe sd_bus_slot_unref(pointer)
    }

    /// What is answered to libsystemd about an answer that came, or did not. After 0 it would go on with a bus whose time had run out, and
    /// abort if the callback has released that.
    static let done: Int32 = 1

    var box: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    static let told: sd_bus_message_handler_t = { message, box, _ in
        // Only what is called is kept alive: it may release the slot.
        let body = unsafe Unmanaged<BusSlot>.fromOpaque(box!).takeUnretainedValue().body
        return unsafe body(message!)
    }
}
