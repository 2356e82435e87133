package import Domain

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
