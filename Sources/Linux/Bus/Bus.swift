import CSystemd
import Domain
import Glibc

/// A connection of its own to the system bus, in the event loop. Nothing waits for an answer, and no call starts a service.
///
/// What is done before the connection is ready leaves when it is. Released, the connection is closed at once: what has not left by then is
/// dropped, and nothing is told any more, not even within a callback.
///
/// Source: sd-bus(3), D-Bus Specification.
@safe
package final class Bus {
    /// What becomes of a connection.
    package enum Event: Equatable, Sendable {
        /// The bus has taken us.
        case ready
        /// The bus is gone, or did not take us. Calls under way were answered with ``BusError/noReply`` before; nothing follows.
        case ended
    }

    /// The most messages that wait for a bus that takes none.
    package static let waitingLimit = 1024

    let pointer: OpaquePointer
    let loop: EventLoop
    private let happened: (Event) -> Void
    /// Whether the bus has taken us.
    private(set) var isReady = false

    /// Where the system bus is: what `DBUS_SYSTEM_BUS_ADDRESS` says, else its usual place.
    package static var systemAddress: String {
        if let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") { return unsafe String(cString: address) }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    /// Begins to connect.
    ///
    /// The corresponding C functions are `sd_bus_new` and `sd_bus_start`.
    ///
    /// - Throws: `ENOENT` or `ECONNREFUSED` where there is no bus; `EINVAL` for an address other than of Unix sockets: those of hosts
    ///   would be looked up, those of programs run.
    package init(
        at address: String = Bus.systemAddress, loop: EventLoop, happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }) else {
            throw SystemError("sd_bus_set_address", code: EINVAL)
        }
        var bus: OpaquePointer?
        try checkSystemd("sd_bus_new", unsafe sd_bus_new(&bus))
        guard let bus = unsafe bus else { throw SystemError("sd_bus_new", code: ENOMEM) }
        self.loop = loop
        self.happened = happened
        unsafe pointer = unsafe bus
        // From here on deinit closes it, however the rest ends.
        try start(at: address)
    }

    deinit {
        unsafe sd_bus_close_unref(pointer)
    }

    private func start(at address: String) throws(SystemError) {
        try checkSystemd("sd_bus_set_address", unsafe sd_bus_set_address(pointer, address))
        try checkSystemd("sd_bus_set_bus_client", unsafe sd_bus_set_bus_client(pointer, 1))
        try checkSystemd("sd_bus_set_connected_signal", unsafe sd_bus_set_connected_signal(pointer, 1))
        try checkSystemd("sd_bus_set_exit_on_disconnect", unsafe sd_bus_set_exit_on_disconnect(pointer, 0))
        // Otherwise what waits would be written, and waited for, when the loop ends.
        try checkSystemd("sd_bus_set_close_on_exit", unsafe sd_bus_set_close_on_exit(pointer, 0))
        unsafe try listen(for: "Connected") { _, box, _ in
            let bus = unsafe Unmanaged<Bus>.fromOpaque(box!).takeUnretainedValue()
            bus.isReady = true
            bus.happened(.ready)
            return 0
        }
        unsafe try listen(for: "Disconnected") { _, box, _ in
            let bus = unsafe Unmanaged<Bus>.fromOpaque(box!).takeUnretainedValue()
            bus.isReady = false
            bus.happened(.ended)
            return 0
        }
        try checkSystemd("sd_bus_start", unsafe sd_bus_start(pointer))
        try checkSystemd(
            "sd_bus_attach_event",
            unsafe sd_bus_attach_event(pointer, loop.event, Int32(SD_EVENT_PRIORITY_NORMAL)))
    }

    /// Takes what libsystemd itself says of the connection; the bus is not asked for it.
    private func listen(for member: String, _ told: sd_bus_message_handler_t) throws(SystemError) {
        try checkSystemd(
            "sd_bus_match_signal_async",
            unsafe sd_bus_match_signal_async(
                pointer, nil, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
                member, told, nil, Unmanaged.passUnretained(self).toOpaque()))
    }
}
