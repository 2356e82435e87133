/// A request on link.sock.
package enum LinkRequest: Equatable, Sendable {
    /// What each sink does.
    case status
    /// Rows are sent now, also on a metered interface.
    case flush

    /// The methods of link.sock.
    package static let table = RPCTable<LinkRequest>(
        "paced-link socket",
        [
            RPCMethod(
                "link.status", "Returns what leaves the board, and how far each sink is.", [], "status",
                .object(
                    required: ["device", "level", "sinks"],
                    [
                        "device": .string, "level": .oneOf(["none", "health", "coarse", "position", "full"]),
                        "sinks": .array(
                            of: .object(
                                required: ["name", "state"],
                                [
                                    "name": .string,
                                    "state": .oneOf(SinkState.allCases.map(\.rawValue)), "reason": .string,
                                    "warning": .string, "last_success_ms": .integer, "next_try_ms": .integer,
                                    "rows": .integer, "bytes": .integer, "rejected": .integer,
                                ])),
                    ]), [], .read
            ) { _ in .status },
            RPCMethod(
                "link.flush", "Sends rows now, also on a metered interface, until the connection ends.", [], "nothing",
                .null, [], .change
            ) { _ in .flush },
        ])

    /// What a sink does.
    package enum SinkState: String, CaseIterable, Sendable {
        /// The configuration has none.
        case off
        case connecting, connected
        /// For the next attempt.
        case waiting
        /// Nobody takes what is sent, or it waits for another network.
        case paused
    }
}
