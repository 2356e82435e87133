import CSystemd
import Domain
import Glibc

/// A private connection to the system bus, in the event loop. No call blocks, and no call starts a service.
///
/// Messages that are sent before the connection is ready leave once it is.
/// Releasing this closes the connection at once: queued messages are dropped, and
/// no callback is called any more, not even if the release happens in a callback.
///
/// Source: sd-bus(3), D-Bus Specification.
@safe
package final class Bus {
    /// A change of the connection.
    package enum Event: Equatable, Sendable {
        /// The bus has accepted the connection.
        case ready
        /// The connection was lost or rejected; pending calls got ``BusError/noReply`` before. No event follows.
        case ended
    }

    /// Maximum number of messages queued for a bus that does not read.
    package static let waitingLimit = 1024

    let pointer: OpaquePointer
    let loop: EventLoop
    private let happened: (Event) -> Void
    /// Whether the bus has accepted the connection.
    private(set) var isReady = false

    /// Address of the system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, else the default.
    package static var systemAddress: String {
        if let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") { return unsafe String(cString: address) }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    /// Starts to connect.
    ///
    /// The corresponding C functions are `sd_bus_new` and `sd_bus_start`.
    ///
    /// - Throws: `ENOENT` or `ECONNREFUSED` if there is no bus; `EINVAL` for an address
    ///   other than a Unix socket's, which could look up a host name or run a program.
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
        // From here on deinit closes the bus, even if the rest fails.
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
        // Otherwise libsystemd would flush queued messages, and block, when the loop ends.
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

    /// Receives libsystemd's local signals about the connection; they do not come from the bus.
    private func listen(for member: String, _ handler: sd_bus_message_handler_t) throws(SystemError) {
        try checkSystemd(
            "sd_bus_match_signal_async",
            unsafe sd_bus_match_signal_async(
                pointer, nil, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
                member, handler, nil, Unmanaged.passUnretained(self).toOpaque()))
    }
}
