import CSystemd
import Domain
import Glibc

/// What passes over the bus.
extension Bus {
    /// Calls a method. `answered` is called once, later, with what came back: arguments, or why there are none. Where the call could
    /// not even leave it says so too.
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
                    pointer, &slot.pointer, message.pointer, BusSlot.told, slot.box, microseconds))
            // libsystemd lets no time run until the bus has taken us.
            if isReady { return slot }
            slot.failure = try loop.timer { answer(.failure(BusError(BusError.noReply, "Not connected in time"))) }
            slot.failure?.arm(at: Clock.now() + timeout)
        } catch {
            slot.failure = try? loop.timer { answer(.failure(BusError(error))) }
            slot.failure?.arm(at: Instant(nanoseconds: 0))
        }
        return slot
    }

    /// Calls a method whose answer nobody waits for.
    package func send(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        guard let message = try? method(destination, path, interface, member, arguments) else { return }
        unsafe sd_bus_message_set_expect_reply(message.pointer, 0)
        unsafe sd_bus_send(pointer, message.pointer, nil)
    }

    /// Takes the signals that a rule means, as the D-Bus Specification has it under "Match Rules". `installed` is told once, with the
    /// error if the bus refuses the rule.
    ///
    /// A rule whose sender is a well-known name lets pass what any peer sends straight to us: name the owner's unique name, or
    /// compare ``BusMessage/sender``. A signal that cannot be read is dropped.
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
                pointer, &slot.pointer, rule, BusSlot.told,
                { message, box, _ in
                    let installed = unsafe Unmanaged<BusSlot>.fromOpaque(box!).takeUnretainedValue().installed
                    installed?(unsafe BusError(message!))
                    return BusSlot.done
                }, slot.box))
        return slot
    }

    /// Serves one object: takes every call of its methods. One that cannot be read is refused before.
    ///
    /// The corresponding C function is `sd_bus_add_object`.
    package func serve(_ path: String, called: @escaping (BusRequest) -> Void) throws(SystemError) -> BusSlot {
        let slot = unsafe BusSlot { message in
            unsafe BusRequest.handle(message, called)
            return 1
        }
        try checkSystemd(
            "sd_bus_add_object", unsafe sd_bus_add_object(pointer, &slot.pointer, path, BusSlot.told, slot.box))
        return slot
    }

    /// Sends a signal, to everybody or to one peer.
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

    /// libsystemd would keep 384 Ki messages for a bus that takes none.
    private func checkRoom() throws(SystemError) {
        var count: UInt64 = 0
        try checkSystemd("sd_bus_get_n_queued_write", unsafe sd_bus_get_n_queued_write(pointer, &count))
        if count >= Bus.waitingLimit { throw SystemError("sd_bus_send", code: ENOBUFS) }
    }
}
