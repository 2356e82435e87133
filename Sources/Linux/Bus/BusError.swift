import CSystemd
import Domain
import Glibc

/// The error of a bus call: from the peer, the bus or this side.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Error name, such as `org.bluez.Error.Failed`; truncated like the message (``SanitizedText``).
    package var name: String
    /// The peer's description for people; may be empty.
    package var message: String

    package init(_ name: String, _ message: String = "") {
        self.name = SanitizedText(name)?.text ?? ""
        self.message = SanitizedText(message)?.text ?? ""
    }

    package var description: String {
        message.isEmpty ? name : "\(name): \(message)"
    }

    /// The reply did not arrive in time, or the connection was lost.
    package static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// The destination name has no owner.
    package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// The queried name has no owner.
    package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// The bus policy forbids the call.
    package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The arguments are invalid.
    package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// The method does not exist.
    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// The message exceeds the limits of ``BusMessageReader``.
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The message does not match its signature.
    package static let inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"

    /// Error of a message that could not be sent.
    init(_ error: SystemError) {
        switch error.code {
        case ENOTCONN, ECONNRESET: self.init("org.freedesktop.DBus.Error.Disconnected", error.description)
        case ENOBUFS: self.init(Self.limitsExceeded, error.description)
        default: self.init("org.freedesktop.DBus.Error.Failed", error.description)
        }
    }

    /// The error of an error message; nil for other messages.
    init?(_ message: OpaquePointer) {
        guard let error = unsafe sd_bus_message_get_error(message), let name = unsafe error.pointee.name else {
            return nil
        }
        self.init(unsafe String(cString: name), unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "")
    }
}
