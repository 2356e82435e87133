/// Why a connection ended or could not be made.
package enum DisconnectCause: Equatable, Sendable {
    /// The connection could not be made.
    case unreachable
    /// The device did not advertise while the kernel waited for it.
    case notFound
    /// Another program on this host uses the device.
    case inUse
    /// The adapter holds as many connections as it can.
    case adapterFull
    /// The connection ended for an unknown reason.
    case ended
    /// The host received nothing from the device for the supervision timeout.
    case supervisionTimeout
    /// The device disconnected.
    case remoteTerminated
    /// The device disconnected because it did not get its connection parameters.
    case parametersRefused
    /// An ATT request got no response.
    case attTimeout
    /// The device lacks the service, or its responses were malformed.
    case unsupported
    /// The device sends values only to paired hosts.
    case pairingNeeded
    /// The device exceeded the limits of its data rate.
    case flooded

    /// Translates the reason of an HCI Disconnection Complete event.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 1, part F, section 1.3.
    package init(disconnectReason reason: UInt8) {
        self =
            switch reason {
            // 0x3D: the message integrity check failed, so the keys of the two ends differ.
            case 0x05, 0x06, 0x0E, 0x0F, 0x18, 0x29, 0x2F, 0x3D: .pairingNeeded
            case 0x07, 0x09, 0x0D: .adapterFull
            case 0x08, 0x22: .supervisionTimeout
            case 0x13, 0x14, 0x15: .remoteTerminated
            case 0x3B: .parametersRefused
            case 0x3E: .unreachable
            default: .ended
            }
    }
}

/// The result of a pairing.
package enum PairingResult: Equatable, Sendable {
    /// The time limit from the request on; the host is pairable for no longer.
    package static let limit = Duration.seconds(60)

    case paired
    /// The device was paired before and still is.
    case pairedAlready
    /// The device was not reached.
    case absent
    /// The device or the host rejected the pairing.
    case refused
}
