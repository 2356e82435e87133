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

/// Calls, signals and objects.
extension Bus {
    /// Calls a method. `answered` is called once, later, with the reply's arguments or an error, also if sending fails.
    ///
    /// The corresponding C function is `sd_bus_call_async`.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration, answered: @escaping (Result<[BusValue], BusError>) -> Void
    ) -> BusSlot {
        var isAnswered = false
        let answer = { (result: Result<[BusValue], BusError>) in
            if isAnswered { return }
            isAnswered = true
            answered(result)
        }
        let slot = unsafe BusSlot { message in
            answer(
                Result { () throws(BusError) in
                    if let error = unsafe BusError(message) { throw error }
                    return unsafe try BusMessageReader.arguments(of: message)
                })
            return BusSlot.done
        }
        do throws(SystemError) {
            let message = try method(destination, path, interface, member, arguments)
            let microseconds = UInt64(max(timeout.wholeNanoseconds / 1000, 1))
            try checkSystemd(
                "sd_bus_call_async",
                unsafe sd_bus_call_async(
                    pointer, &slot.pointer, message.pointer, BusSlot.onMessage, slot.box, microseconds))
            // libsystemd does not start the timeout before the connection is ready.
            if isReady { return slot }
            slot.failure = try loop.timer { answer(.failure(BusError(BusError.noReply, "Not connected in time"))) }
            slot.failure?.arm(at: Clock.now() + timeout)
        } catch {
            slot.failure = try? loop.timer { answer(.failure(BusError(error))) }
            slot.failure?.arm(at: Instant(nanoseconds: 0))
        }
        return slot
    }

    /// Calls a method without a reply.
    package func send(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        guard let message = try? method(destination, path, interface, member, arguments) else { return }
        unsafe sd_bus_message_set_expect_reply(message.pointer, 0)
        unsafe sd_bus_send(pointer, message.pointer, nil)
    }

    /// Receives the signals that match a rule (D-Bus Specification, "Match Rules").
    /// `installed` is called once, with an error if the bus rejects the rule.
    ///
    /// A rule with a well-known name as sender also matches signals that any peer sends directly to this connection:
    /// use the owner's unique name, or compare ``BusMessage/sender``. A signal that cannot be parsed is dropped.
    ///
    /// The corresponding C function is `sd_bus_add_match_async`.
    package func match(
        _ rule: String, installed: @escaping (BusError?) -> Void = { _ in }, received: @escaping (BusMessage) -> Void
    ) throws(SystemError) -> BusSlot {
        let slot = unsafe BusSlot(installed: installed) { message in
            if let signal = unsafe try? BusMessage(message) { received(signal) }
            return 0
        }
        try checkQueue()
        try checkSystemd(
            "sd_bus_add_match_async",
            unsafe sd_bus_add_match_async(
                pointer, &slot.pointer, rule, BusSlot.onMessage,
                { message, box, _ in
                    let installed = unsafe Unmanaged<BusSlot>.fromOpaque(box!).takeUnretainedValue().installed
                    installed?(unsafe BusError(message!))
                    return BusSlot.done
                }, slot.box))
        return slot
    }

    /// Exports one object: `called` receives each call of its
    /// methods. A call that cannot be parsed gets an error reply.
    ///
    /// The corresponding C function is `sd_bus_add_object`.
    package func serve(_ path: String, called: @escaping (BusRequest) -> Void) throws(SystemError) -> BusSlot {
        let slot = unsafe BusSlot { message in
            unsafe BusRequest.handle(message, called)
            return 1
        }
        try checkSystemd(
            "sd_bus_add_object", unsafe sd_bus_add_object(pointer, &slot.pointer, path, BusSlot.onMessage, slot.box))
        return slot
    }

    /// Sends a signal, to one peer or to all.
    package func emit(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [], to peer: String? = nil
    ) throws(SystemError) {
        try checkQueue()
        var signal: OpaquePointer?
        try checkSystemd(
            "sd_bus_message_new_signal",
            unsafe sd_bus_message_new_signal(pointer, &signal, path, interface, member))
        let message = unsafe BusMessageWriter(signal!)
        unsafe try append(arguments, to: message.pointer)
        try checkSystemd("sd_bus_send_to", unsafe sd_bus_send_to(pointer, message.pointer, peer, nil))
    }

    private func method(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) throws(SystemError) -> BusMessageWriter {
        try checkQueue()
        var call: OpaquePointer?
        try checkSystemd(
            "sd_bus_message_new_method_call",
            unsafe sd_bus_message_new_method_call(pointer, &call, destination, path, interface, member))
        let message = unsafe BusMessageWriter(call!)
        try checkSystemd(
            "sd_bus_message_set_auto_start", unsafe sd_bus_message_set_auto_start(message.pointer, 0))
        unsafe try append(arguments, to: message.pointer)
        return message
    }

    /// libsystemd would queue 384 Ki messages for a bus that does not read.
    private func checkQueue() throws(SystemError) {
        var count: UInt64 = 0
        try checkSystemd("sd_bus_get_n_queued_write", unsafe sd_bus_get_n_queued_write(pointer, &count))
        if count >= Bus.waitingLimit { throw SystemError("sd_bus_send", code: ENOBUFS) }
    }
}

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
