package import Domain

extension StrapLink {
    /// Why a connection ended or could not be made.
    package enum DisconnectCause: Equatable, Sendable {
        /// The connection could not be made.
        case unreachable
        /// The strap did not advertise while the kernel waited for it.
        case notFound
        /// Another program on this host uses the strap.
        case inUse
        /// The connection ended for an unknown reason.
        case ended
        /// The host received nothing from the strap for the supervision timeout.
        case supervisionTimeout
        /// The strap disconnected.
        case remoteTerminated
        /// The strap disconnected because it did not get its connection parameters.
        case parametersRefused
        /// An ATT request got no response.
        case attTimeout
        /// The device has no heart rate, or its responses were malformed.
        case unsupported
        /// The strap sends heart rate only to paired hosts.
        case pairingNeeded
        /// The strap exceeded the limits of its data rate.
        case flooded

        /// Translates the reason of an HCI Disconnection Complete event.
        ///
        /// Source: Bluetooth Core Specification 5.4, volume 1, part F, section 1.3.
        package init(disconnectReason reason: UInt8) {
            self =
                switch reason {
                // 0x3D: the message integrity check failed, so the keys of the two ends differ.
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

/// A fault of the current strap that a person should know and can mend.
package enum StrapFault: CaseIterable, Hashable, Sendable {
    /// The link was closed because the strap sent too much.
    case flood
    case parametersRefused
    case needsPairing
    /// The supervision timeout ends the link again and again, and this process may not raise it.
    case supervisionTimeout

    package var name: FaultName {
        switch self {
        case .flood: .strapFlood
        case .parametersRefused: .parametersRefused
        case .needsPairing: .needsPairing
        case .supervisionTimeout: .supervisionTimeout
        }
    }

    /// The input that raises the fault.
    ///
    /// - Parameter kernel: the kernel's release, as in `uname -r`.
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

    /// The input that clears the fault.
    package var cleared: Input {
        .clear(name)
    }
}

/// Why a scan or a pairing is rejected.
package enum StrapRequestError: Equatable, Sendable {
    /// Another scan or pairing is in progress.
    case busy
    /// The host prevents it: no-bluetooth, no-adapter, adapter-off, adapter-blocked, no-permission or off.
    case hindered(LinkReason)
}
