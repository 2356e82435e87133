import Domain

/// An error reply of bluetoothd or the bus.
package struct BlueZError: Error, Equatable, Sendable {
    /// The name of the error, such as `org.bluez.Error.Failed`.
    package var name: String
    /// The error's text. For most failures of links bluetoothd has no other distinction.
    package var message: String

    package init(_ name: String, _ message: String = "") {
        self.name = name
        self.message = message
    }

    /// The classes of errors.
    package enum Meaning: Equatable, Sendable {
        /// A connection could not be made; bluetoothd uses this for every reason.
        case unreachable
        /// The adapter holds as many connections as it can.
        case adapterFull
        /// The device is being connected, or another operation on it is under way: wait.
        case underWay
        /// The operation was done before.
        case done
        /// The adapter is switched off.
        case off
        /// The adapter is switched off by rfkill.
        case blocked
        /// The object no longer exists: search again.
        case vanished
        /// Another client holds the notifications.
        case held
        /// The device permits this only to paired hosts.
        case pairingNeeded
        /// The device or the host rejected the pairing.
        case refused
        /// The link no longer exists.
        case disconnected
        /// The device answered with an ATT error.
        case attribute(AttributeError)
        /// The device was tried over BR/EDR, which has no GATT services here: remove it and search for Low Energy.
        case wrongBearer
        /// The operation is not supported.
        case unsupported
        /// The bus denied access.
        case forbidden
        /// The name has no owner.
        case absent
        /// The call timed out.
        case unanswered
        /// Any other error.
        case other
    }

    /// The meanings of names and messages; the first matching row counts. A name without dots is one of
    /// `org.bluez.Error`; a row without a message matches any.
    ///
    /// Source: BlueZ 5.66 and 5.82, src/error.c, src/device.c, src/gatt-client.c; D-Bus Specification.
    package static let table: [(name: String, message: String?, meaning: Meaning)] = [
        ("Failed", "le-connection-abort-by-local", .unreachable),
        ("Failed", "le-connection-concurrent-connection-limit", .adapterFull),
        ("Failed", "le-connection-memory-allocation", .adapterFull),
        ("Failed", "already in progress", .underWay),
        ("Failed", "br-connection", .wrongBearer),
        ("Failed", "Not paired", .pairingNeeded),
        ("Failed", "Not connected", .disconnected),
        ("Failed", "No discovery started", .done),
        ("Failed", "Blocked", .blocked),
        ("Failed", "le-connection", .unreachable),
        ("Failed", "Host is down", .unreachable),
        ("NotAvailable", "br-connection", .wrongBearer),
        ("ConnectionAttemptFailed", nil, .unreachable),
        ("InProgress", nil, .underWay),
        ("Busy", nil, .underWay),
        ("AlreadyConnected", nil, .done),
        ("AlreadyExists", nil, .done),
        ("NotReady", nil, .off),
        ("Blocked", nil, .blocked),
        ("DoesNotExist", nil, .vanished),
        ("NotPermitted", "acquired", .held),
        ("NotPermitted", "not permitted", .unsupported),
        ("NotPermitted", nil, .pairingNeeded),
        ("NotAuthorized", nil, .pairingNeeded),
        ("NotConnected", nil, .disconnected),
        ("AuthenticationTimeout", nil, .refused),
        ("AuthenticationFailed", nil, .refused),
        ("AuthenticationRejected", nil, .refused),
        ("AuthenticationCanceled", nil, .refused),
        ("Rejected", nil, .refused),
        ("Canceled", nil, .refused),
        ("NotSupported", nil, .unsupported),
        ("NotAvailable", nil, .unsupported),
        ("InvalidArguments", nil, .unsupported),
        ("org.freedesktop.DBus.Error.UnknownObject", nil, .vanished),
        ("org.freedesktop.DBus.Error.UnknownMethod", nil, .unsupported),
        ("org.freedesktop.DBus.Error.UnknownInterface", nil, .unsupported),
        ("org.freedesktop.DBus.Error.NotSupported", nil, .unsupported),
        ("org.freedesktop.DBus.Error.AccessDenied", nil, .forbidden),
        ("org.freedesktop.DBus.Error.ServiceUnknown", nil, .absent),
        ("org.freedesktop.DBus.Error.NameHasNoOwner", nil, .absent),
        ("org.freedesktop.DBus.Error.Disconnected", nil, .absent),
        ("org.freedesktop.DBus.Error.NoReply", nil, .unanswered),
        ("org.freedesktop.DBus.Error.Timeout", nil, .unanswered),
        ("org.freedesktop.DBus.Error.TimedOut", nil, .unanswered),
    ]

    package var meaning: Meaning {
        if let code = attributeError { return code.asksForPairing ? .pairingNeeded : .attribute(code) }
        return row.map { Self.table[$0].meaning } ?? .other
    }

    /// The index of the matching row of the ``table``.
    package var row: Int? {
        Self.table.firstIndex { row in
            (row.name.contains(".") ? row.name : "org.bluez.Error." + row.name) == name
                && (row.message.map { message.containsText($0) } ?? true)
        }
    }

    /// The number in `Operation failed with ATT error: 0x0e`.
    private var attributeError: AttributeError? {
        guard name == "org.bluez.Error.Failed", message.containsText("ATT error"),
            let digits = message.split(separator: "x").last
        else { return nil }
        return UInt8(digits, radix: 16).map { AttributeError(rawValue: $0) }
    }
}
