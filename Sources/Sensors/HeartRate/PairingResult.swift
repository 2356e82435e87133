/// The result of a pairing.
package enum PairingResult: Equatable, Sendable {
    /// The time limit from the request on; the host is pairable for no longer.
    package static let limit = Duration.seconds(60)

    case paired
    /// The strap was paired before and still is.
    case pairedAlready
    /// The strap was not reached.
    case absent
    /// The strap or the host rejected the pairing.
    case refused
}
