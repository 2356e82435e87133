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
                    "no such strap was heard: put it on, keep it away from telephones and watches, and try again"))
        case .refused:
            .failure(
                .unavailable(
                    "the strap did not pair: some do so only for a minute after they were put on, or are paired with as "
                        + "many as they can; undo that in its maker's app, and try again"))
        }
    }
}
