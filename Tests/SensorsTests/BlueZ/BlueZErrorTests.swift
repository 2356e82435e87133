import Sensors
import Testing

struct BlueZErrorTests {
    typealias Row = (name: String, message: String, meaning: BlueZError.Meaning)

    /// Real errors of bluetoothd 5.66 and 5.82 and of the bus.
    static let rows: [Row] = [
        ("org.bluez.Error.Failed", "le-connection-abort-by-local", .unreachable),
        ("org.bluez.Error.Failed", "le-connection-unknown", .unreachable),
        ("org.bluez.Error.Failed", "Host is down", .unreachable),
        ("org.bluez.Error.ConnectionAttemptFailed", "Page Timeout", .unreachable),
        ("org.bluez.Error.Failed", "Operation already in progress", .underWay),
        ("org.bluez.Error.InProgress", "In Progress", .underWay),
        ("org.bluez.Error.Busy", "", .underWay),
        ("org.bluez.Error.AlreadyConnected", "Already Connected", .done),
        ("org.bluez.Error.AlreadyExists", "Already Exists", .done),
        ("org.bluez.Error.Failed", "No discovery started", .done),
        ("org.bluez.Error.NotReady", "Resource Not Ready", .off),
        ("org.bluez.Error.Failed", "le-connection-concurrent-connection-limit", .adapterFull),
        ("org.bluez.Error.Failed", "le-connection-memory-allocation", .adapterFull),
        ("org.bluez.Error.Blocked", "Blocked through rfkill", .blocked),
        ("org.bluez.Error.Failed", "Blocked through rfkill", .blocked),
        ("org.bluez.Error.DoesNotExist", "Does Not Exist", .vanished),
        ("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\" doesn't exist", .vanished),
        ("org.bluez.Error.NotPermitted", "Notify acquired", .held),
        ("org.bluez.Error.NotPermitted", "Not paired", .pairingNeeded),
        ("org.bluez.Error.Failed", "Not paired", .pairingNeeded),
        ("org.bluez.Error.NotPermitted", "", .pairingNeeded),
        ("org.bluez.Error.NotPermitted", "Read not permitted", .unsupported),
        ("org.bluez.Error.NotAuthorized", "Not authorized", .pairingNeeded),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x05", .pairingNeeded),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0f", .pairingNeeded),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80", .attribute(AttributeError(rawValue: 0x80))),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x", .other),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x123", .other),
        ("org.bluez.Error.NotConnected", "Not Connected", .disconnected),
        ("org.bluez.Error.Failed", "Not connected", .disconnected),
        ("org.bluez.Error.Failed", "br-connection-profile-unavailable", .wrongBearer),
        ("org.bluez.Error.NotAvailable", "br-connection-profile-unavailable", .wrongBearer),
        ("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .refused),
        ("org.bluez.Error.AuthenticationRejected", "Authentication Rejected", .refused),
        ("org.bluez.Error.AuthenticationCanceled", "Authentication Canceled", .refused),
        ("org.bluez.Error.AuthenticationTimeout", "Authentication Timeout", .refused),
        ("org.bluez.Error.Rejected", "", .refused),
        ("org.bluez.Error.Canceled", "", .refused),
        ("org.bluez.Error.NotSupported", "Operation is not supported", .unsupported),
        ("org.bluez.Error.NotAvailable", "", .unsupported),
        ("org.bluez.Error.InvalidArguments", "Invalid arguments in method call", .unsupported),
        ("org.freedesktop.DBus.Error.UnknownMethod", "No such method", .unsupported),
        ("org.freedesktop.DBus.Error.UnknownInterface", "", .unsupported),
        ("org.freedesktop.DBus.Error.NotSupported", "", .unsupported),
        ("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message", .forbidden),
        ("org.freedesktop.DBus.Error.ServiceUnknown", "", .absent),
        ("org.freedesktop.DBus.Error.NameHasNoOwner", "", .absent),
        ("org.freedesktop.DBus.Error.Disconnected", "", .absent),
        ("org.freedesktop.DBus.Error.NoReply", "Did not receive a reply", .unanswered),
        ("org.freedesktop.DBus.Error.Timeout", "", .unanswered),
        ("org.freedesktop.DBus.Error.TimedOut", "", .unanswered),
        ("org.bluez.Error.Failed", "", .other),
        ("org.bluez.Error.Nonsense", "le-connection-abort-by-local", .other),
        ("com.example.Error.InProgress", "", .other),
        ("", "", .other),
    ]

    @Test(arguments: rows)
    func errorsOfBluetoothdMapToTheirMeaning(row: Row) {
        #expect(BlueZError(row.name, row.message).meaning == row.meaning)
    }

    @Test func everyRowOfTheErrorTableIsTested() {
        let tried = Set(Self.rows.map { BlueZError($0.name, $0.message).row })
        for index in BlueZError.table.indices { #expect(tried.contains(index), "\(BlueZError.table[index])") }
    }
}
