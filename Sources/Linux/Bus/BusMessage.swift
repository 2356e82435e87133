import CSystemd
import Domain
import Glibc

/// A received signal or method call.
package struct BusMessage: Equatable {
    /// The sender's unique name, guaranteed by the bus; that of the bus itself is `org.freedesktop.DBus`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    /// - Throws: The errors of ``BusMessageReader``.
    init(_ message: OpaquePointer) throws(BusError) {
        sender = unsafe Self.text(sd_bus_message_get_sender(message))
        path = unsafe Self.text(sd_bus_message_get_path(message))
        interface = unsafe Self.text(sd_bus_message_get_interface(message))
        member = unsafe Self.text(sd_bus_message_get_member(message))
        arguments = unsafe try BusMessageReader.arguments(of: message)
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}

/// A call of an exported object, to be answered now or later. Released unanswered, it replies with an error.
@safe
package final class BusRequest {
    package let message: BusMessage

    private let call: OpaquePointer
    private var hasReplied = false

    private init(_ call: OpaquePointer) throws(BusError) {
        message = unsafe try BusMessage(call)
        unsafe self.call = unsafe sd_bus_message_ref(call)
    }

    deinit {
        if !hasReplied { fail(BusError("org.freedesktop.DBus.Error.Failed", "Not answered")) }
        unsafe sd_bus_message_unref(call)
    }

    static func handle(_ call: OpaquePointer, _ called: (BusRequest) -> Void) {
        do throws(BusError) {
            called(unsafe try BusRequest(call))
        } catch {
            unsafe Self.fail(call, error)
        }
    }

    /// Sends the reply; has no effect after an answer.
    ///
    /// The corresponding C function is `sd_bus_message_new_method_return`.
    ///
    /// - Throws: The errors of ``append(_:to:)``; the call can still be answered.
    package func reply(_ arguments: [BusValue] = []) throws(SystemError) {
        guard !hasReplied else { return }
        var reply: OpaquePointer?
        try checkSystemd(
            "sd_bus_message_new_method_return", unsafe sd_bus_message_new_method_return(call, &reply))
        let message = unsafe BusMessageWriter(reply!)
        unsafe try append(arguments, to: message.pointer)
        try checkSystemd("sd_bus_send", unsafe sd_bus_send(nil, message.pointer, nil))
        hasReplied = true
    }

    /// Sends an error reply; has no effect after an answer.
    ///
    /// The corresponding C function is `sd_bus_reply_method_error`.
    package func fail(_ error: BusError) {
        guard !hasReplied else { return }
        hasReplied = true
        unsafe Self.fail(call, error)
    }

    private static func fail(_ call: OpaquePointer, _ error: BusError) {
        unsafe error.name.withCString { name in
            unsafe error.message.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                // A caller that expects no reply, or is gone, gets none.
                unsafe sd_bus_reply_method_error(call, &error)
            }
        }
    }
}
