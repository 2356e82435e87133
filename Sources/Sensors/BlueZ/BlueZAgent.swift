/// The pairing agent for one device: without display and keys, it accepts that device and rejects all other devices.
///
/// Source: BlueZ, doc/agent-api.txt.
package struct BlueZAgent: Equatable, Sendable {
    /// The agent's object path on the bus.
    package static let path = "/paced/agent"

    package static let capability = "NoInputNoOutput"

    /// The path of the device to pair.
    package let device: String

    package init(device: String) {
        self.device = device
    }

    package enum Answer: Equatable, Sendable {
        case agreed
        /// Rejected with `org.bluez.Error.Rejected`.
        case rejected
        /// The method is unknown.
        case unknown
    }

    /// Returns the answer to a call.
    ///
    /// - Parameter device: the call's first argument if it is an object path.
    package func respond(_ member: String, device: String?) -> Answer {
        switch member {
        case "RequestAuthorization", "RequestConfirmation": device == self.device ? .agreed : .rejected
        // These are notifications, not questions.
        case "Release", "Cancel": .agreed
        case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey", "AuthorizeService": .rejected
        default: .unknown
        }
    }
}
