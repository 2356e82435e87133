package import Domain

/// A fault of the current sensor that a person can remedy.
package enum SensorFault: CaseIterable, Hashable, Sendable {
    /// The link was closed because the sensor sent too much.
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
                "the strap exceeds the limit of its data rate; it is disconnected for a minute at a time"
            case .parametersRefused:
                "the host (Linux \(kernel)) refused the strap's connection parameters, and the strap disconnected; "
                    + "it gets wider parameters now"
            case .needsPairing:
                "the strap sends heart rate only to paired hosts; pair with it ('pacectl sensors pair STRAP'), "
                    + "or end its pairings in the maker's app"
            case .supervisionTimeout:
                "the host drops the link after less than half a second without a packet of the strap; "
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
package enum SensorRequestError: Equatable, Sendable {
    /// Another scan or pairing is in progress.
    case busy
    /// The host prevents it: no-bluetooth, no-adapter, adapter-off, adapter-blocked, no-permission or off.
    case unavailable(LinkReason)
}
