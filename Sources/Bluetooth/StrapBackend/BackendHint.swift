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

    /// - Parameter isFree: whether the backend was selected automatically, because bluetoothd does not run.
    func message(isFree: Bool) -> String {
        switch (self, isFree) {
        case (.inUse, true):
            "another program on this machine holds the strap, and it is not bluetoothd; end that program"
        case (.inUse, false):
            "another program on this machine holds the strap; if that is bluetoothd, start paced with "
                + "--bluetooth auto, else end that program"
        case (.noPermission, true):
            "bluetoothd does not run, and paced may not command the adapter itself; start bluetoothd "
                + "('systemctl start bluetooth'), or give paced CAP_NET_ADMIN"
        case (.noPermission, false):
            "paced may not command the adapter; give it CAP_NET_ADMIN, or start bluetoothd and paced with "
                + "--bluetooth auto"
        }
    }
}
