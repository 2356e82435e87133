/// Who answers bluetoothd's questions while one strap is paired: it can neither show nor take a number, agrees to that strap alone, and
/// refuses everybody else.
///
/// Source: BlueZ, doc/agent-api.txt.
package struct BlueZAgent: Equatable, Sendable {
    /// Where it stands on the bus.
    package static let path = "/paced/agent"

    package static let capability = "NoInputNoOutput"

    /// The strap that is paired.
    package let device: String

    package init(device: String) {
        self.device = device
    }

    package enum Answer: Equatable, Sendable {
        case agreed
        /// With `org.bluez.Error.Rejected`.
        case rejected
        /// There is no such method.
        case unknown
    }

    /// What is answered to a call.
    ///
    /// - Parameter device: what the call says first, where that is an object.
    package func respond(_ member: String, device: String?) -> Answer {
        switch member {
        case "RequestAuthorization", "RequestConfirmation": device == self.device ? .agreed : .rejected
        // To be told that it is over is no question.
        case "Release", "Cancel": .agreed
        case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey", "AuthorizeService": .rejected
        default: .unknown
        }
    }
}
