import Domain

/// Advice for the user if this host blocks the strap while the kernel backend is in use.
enum BackendHint: Equatable {
    /// Another program holds the link to the strap.
    case inUse
    /// paced may not control the adapter.
    case noPermission

    /// Nil if no advice applies.
    init?(_ status: LinkStatus) {
        switch status.reason {
        case .inUse: self = .inUse
        case .noPermission: self = .noPermission
        default: return nil
        }
    }

    var fault: FaultName {
        switch self {
        case .inUse: .inUse
        case .noPermission: .noPermission
        }
    }

    /// - Parameter isAutomatic: whether the backend was selected automatically, because bluetoothd does not run.
    func message(isAutomatic: Bool) -> String {
        switch (self, isAutomatic) {
        case (.inUse, true):
            "another program on this machine uses the strap, and it is not bluetoothd; stop that program"
        case (.inUse, false):
            "another program on this machine uses the strap; if it is bluetoothd, start paced with --bluetooth auto, "
                + "else stop that program"
        case (.noPermission, true):
            "bluetoothd does not run, and paced lacks the permission to control the adapter; start bluetoothd "
                + "('systemctl start bluetooth'), or give paced CAP_NET_ADMIN"
        case (.noPermission, false):
            "paced lacks the permission to control the adapter; give it CAP_NET_ADMIN, or start bluetoothd, and paced "
                + "with --bluetooth auto"
        }
    }
}
