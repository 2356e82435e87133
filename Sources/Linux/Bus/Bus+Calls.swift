import CSystemd
import Domain
import Glibc

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
        _ rule: String, installed: @escaping (BusError?) -> Void = { _ in }, heard: @escaping (BusMessage) -> Void
    ) throws(SystemError) -> BusSlot {
        let slot = unsafe BusSlot(installed: installed) { message in
            if let signal = unsafe try? BusMessage(message) { heard(signal) }
            return 0
        }
        try checkRoom()
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
        try checkRoom()
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
        try checkRoom()
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
    private func checkRoom() throws(SystemError) {
        var count: UInt64 = 0
        try checkSystemd("sd_bus_get_n_queued_write", unsafe sd_bus_get_n_queued_write(pointer, &count))
        if count >= Bus.waitingLimit { throw SystemError("sd_bus_send", code: ENOBUFS) }
    }
}
