/// How a pairing ended.
package enum PairingResult: Equatable, Sendable {
    /// How long it may take, from the wish on: the host lets itself be paired for no longer.
    package static let limit = Duration.seconds(60)

    case paired
    /// The strap was paired before, and stays so.
    case pairedAlready
    /// The strap was not heard.
    case absent
    /// The strap, or the host, did not want to.
    case refused
}
