package import Sensors

extension PairingResult {
    /// The result of the request for the client.
    package var answer: Result<ControlResult, RPCError> {
        switch self {
        case .paired, .pairedAlready: .success(.done)
        case .absent:
            .failure(
                .notFound(
                    "strap",
                    "no such strap was found: put it on, keep it away from phones and watches, and try again"))
        case .refused:
            .failure(
                .unavailable(
                    "the strap rejected the pairing: some straps pair only in the first minute after they are put on, or "
                        + "have their maximum of paired devices; remove one in the maker's app, and try again"))
        }
    }
}
