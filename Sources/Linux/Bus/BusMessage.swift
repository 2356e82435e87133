import CSystemd
import Domain
import Glibc

/// A signal or a method call that came.
package struct BusMessage: Equatable {
    /// The unique name of who sent it, as the bus says; the bus itself is `org.freedesktop.DBus`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    /// - Throws: what ``BusMessageReader`` throws.
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

/// A call of a method of ours, to be answered now or later. Released without an answer it is refused, so that nobody waits for nothing.
@safe
package final class BusRequest {
    package let message: BusMessage

    private let call: OpaquePointer
    private var isAnswered = false

    private init(_ call: OpaquePointer) throws(BusError) {
        message = unsafe try BusMessage(call)
        unsafe self.call = unsafe sd_bus_message_ref(call)
    }

    deinit {
        if !isAnswered { refuse(BusError("org.freedesktop.DBus.Error.Failed", "Not answered")) }
        unsafe sd_bus_message_unref(call)
    }

    static func handle(_ call: OpaquePointer, _ called: (BusRequest) -> Void) {
        do throws(BusError) {
            called(unsafe try BusRequest(call))
        } catch {
            unsafe Self.refuse(call, error)
        }
    }

    /// Answers, unless that is done already.
    ///
    /// The corresponding C function is `sd_bus_message_new_method_return`.
    ///
    /// - Throws: as ``append(_:to:)``; the caller can still be answered otherwise.
    package func reply(_ arguments: [BusValue] = []) throws(SystemError) {
        guard !isAnswered else { return }
        var reply: OpaquePointer?
        try checkSystemd(
            "sd_bus_message_new_method_return", unsafe sd_bus_message_new_method_return(call, &reply))
        let message = unsafe BusMessageWriter(reply!)
        unsafe try append(arguments, to: message.pointer)
        try checkSystemd("sd_bus_send", unsafe sd_bus_send(nil, message.pointer, nil))
        isAnswered = true
    }

    /// Answers with an error, unless an answer was given already.
    ///
    /// The corresponding C function is `sd_bus_reply_method_error`.
    package func refuse(_ error: BusError) {
        guard !isAnswered else { return }
        isAnswered = true
        unsafe Self.refuse(call, error)
    }

    private static func refuse(_ call: OpaquePointer, _ error: BusError) {
        unsafe error.name.withCString { name in
            unsafe error.message.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                // A caller that wants no answer, or is gone, gets none.
                unsafe sd_bus_reply_method_error(call, &error)
            }
        }
    }
}
