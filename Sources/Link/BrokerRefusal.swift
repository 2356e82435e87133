import MQTT

/// What a user reads about a broker that refuses, and about a disk that does.
enum BrokerRefusal {
    /// - Parameter reason: the reason code of an acknowledgement, 0x80 or more.
    static func text(_ reason: Int32) -> String {
        switch reason {
        case 0x87: "the broker does not allow this board to write a topic (0x87): see its ACL"
        case 0x95: "the broker takes no message of this size (0x95)"
        case 0x97: "the quota of the broker is full (0x97)"
        default: "the broker refuses a message (0x\(String(reason, radix: 16)))"
        }
    }

    /// The key of a refused message.
    static let key = MQTTFailure.Fault.refused.rawValue

    /// The key of what this board cannot store.
    static let storage = "storage"

    /// The notices of faults, each of 64 characters at most with the name of the program.
    static let notices = [
        MQTTFailure.Fault.tls.rawValue: "TLS fails: see pacectl link status",
        MQTTFailure.Fault.refused.rawValue: "the broker refuses: see pacectl link status",
        MQTTFailure.Fault.clientID.rawValue: "its ID is used twice: see pacectl link status",
        storage: "its disk fails: see pacectl link status",
    ]
}
