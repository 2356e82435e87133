import CSystemd
import Domain
import Glibc

/// Why a call on the bus came to nothing: what the other side, the bus or this one says.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of error it is, as `org.bluez.Error.Failed`. Shortened to what ``SanitizedText`` keeps, as the message is.
    package var name: String
    /// What the other side says of it, for people; may be empty.
    package var message: String

    package init(_ name: String, _ message: String = "") {
        self.name = SanitizedText(name)?.text ?? ""
        self.message = SanitizedText(message)?.text ?? ""
    }

    package var description: String {
        message.isEmpty ? name : "\(name): \(message)"
    }

    /// There was no answer in time, or there will be none since the connection has ended.
    package static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// Nobody owns the name that was called.
    package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    /// The name that was asked about has no owner.
    package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    /// The bus does not let us.
    package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The arguments are not what is taken.
    package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// There is no such method.
    package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// The message is larger than what is read, see ``BusMessageReader``.
    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The message does not hold what its signature says.
    package static let inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"

    /// What `sd_bus_call_async` and its like say of a message that did not even leave.
    init(_ error: SystemError) {
        switch error.code {
        case ENOTCONN, ECONNRESET: self.init("org.freedesktop.DBus.Error.Disconnected", error.description)
        case ENOBUFS: self.init(Self.limitsExceeded, error.description)
        default: self.init("org.freedesktop.DBus.Error.Failed", error.description)
        }
    }

    /// The error that a message is; nil when it is none.
    init?(_ message: OpaquePointer) {
        guard let error = unsafe sd_bus_message_get_error(message), let name = unsafe error.pointee.name else {
            return nil
        }
        self.init(unsafe String(cString: name), unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "")
    }
}
