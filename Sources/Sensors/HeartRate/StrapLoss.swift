package import Domain

extension StrapLink {
    /// How a connection ended by itself, or why there is none.
    package enum DisconnectCause: Equatable, Sendable {
        /// It could not be made.
        case unreachable
        /// The strap was not heard for as long as the kernel waited for it.
        case notFound
        /// Somebody else on this host has the strap.
        case inUse
        /// It ended, and nobody knows why.
        case ended
        /// The air ended it: nothing was heard of the strap for the supervision timeout.
        case supervisionTimeout
        /// The strap ended it.
        case remoteTerminated
        /// The strap ended it because it did not get the connection parameters that it wants.
        case parametersRefused
        /// What must be answered was not.
        case attTimeout
        /// There is no heart rate to be had, or the answers were nonsense.
        case unsupported
        /// The strap gives heart rate only to those that are paired with it.
        case pairingNeeded
        /// The strap said far more than a strap says.
        case flooded

        /// What the reason of an HCI Disconnection Complete event means.
        ///
        /// Source: Bluetooth Core Specification 5.4, volume 1, part F, section 1.3.
        package init(disconnectReason reason: UInt8) {
            self =
                switch reason {
                // With another key than the strap's nothing that is heard can be right (0x3D).
                case 0x05, 0x06, 0x0E, 0x0F, 0x18, 0x29, 0x2F, 0x3D: .pairingNeeded
                case 0x08, 0x22: .supervisionTimeout
                case 0x13, 0x14, 0x15: .remoteTerminated
                case 0x3B: .parametersRefused
                case 0x3E: .unreachable
                default: .ended
                }
        }
    }
}

/// Something wrong with the strap at hand that a person should know and can do something about.
package enum StrapFault: CaseIterable, Hashable, Sendable {
    /// It was cut for saying far too much.
    case flood
    case parametersRefused
    case needsPairing
    /// The air cuts it again and again, and we may not tell the kernel to be more patient.
    case supervisionTimeout

    package var name: FaultName {
        switch self {
        case .flood: .strapFlood
        case .parametersRefused: .parametersRefused
        case .needsPairing: .needsPairing
        case .supervisionTimeout: .supervisionTimeout
        }
    }

    /// What the pipeline is told when the fault begins.
    ///
    /// - Parameter kernel: the kernel's release, as `uname -r` says it.
    package func raised(kernel: String) -> Input {
        let message =
            switch self {
            case .flood:
                "the strap sends far more than a strap sends; it is left alone for a minute at a time"
            case .parametersRefused:
                "the host (Linux \(kernel)) refused the strap's connection parameters and the strap left; "
                    + "it gets wider ones now"
            case .needsPairing:
                "the strap gives heart rate only to hosts it is paired with; 'pacectl strap pair STRAP' pairs with it, "
                    + "or undo that in its maker's app"
            case .supervisionTimeout:
                "the host gives the strap up after less than half a second without a word; "
                    + "write [LE] and below it ConnectionSupervisionTimeout=600 into /etc/bluetooth/main.conf, "
                    + "and restart bluetoothd"
            }
        return .raise(name, message: message)
    }

    /// What the pipeline is told when the fault is over.
    package var cleared: Input {
        .clear(name)
    }
}
