import CMosquitto
import Domain
import Glibc

/// Why there is no connection to a broker, and when the next attempt may start.
///
/// Source: libmosquitto(3); MQTT 5.0, section 2.4 "Reason Code".
package struct MQTTFailure: Error, Equatable, Sendable {
    /// What happens next.
    package enum Reaction: Equatable, Sendable {
        /// Retried after a delay that grows from some seconds.
        case retried
        /// Retried after a minute at the earliest: the broker is busy.
        case retriedLater
        /// Nothing of this side changes by itself: retried each quarter of an hour, and the user is told.
        case fault(Fault)
    }

    package enum Fault: String, Sendable {
        case tls, refused
        case clientID = "client-id"
    }

    package let text: String
    package let reaction: Reaction

    package init(_ text: String, _ reaction: Reaction) {
        self.text = text
        self.reaction = reaction
    }

    /// Connections end at once, again and again.
    package static let clientID = MQTTFailure(
        "another client has the ID of this board: a copied card? pacectl device new makes a new one", .fault(.clientID))
    /// No acknowledgement of the connection came in time.
    static let silent = MQTTFailure("the broker does not answer", .retried)

    /// The failure of a call of libmosquitto.
    ///
    /// - Parameters:
    ///   - log: the last error that libmosquitto wrote to its log.
    ///   - isAccepted: whether the broker has accepted the connection.
    ///   - lacksCertificate: whether the broker has asked for a certificate and there is none.
    static func library(
        _ error: Int32, system: Int32, log: String, isAccepted: Bool, lacksCertificate: Bool
    ) -> MQTTFailure {
        let library = unsafe String(cString: cmosquitto_text(error))
        switch error {
        case 15: return MQTTFailure("cannot resolve the name of the broker: is there a network?", .retried)
        case 14 where system == EPROTO:
            return MQTTFailure("the broker wants a client certificate: set Certificate=", .fault(.tls))
        case 14 where system == EPIPE || system == ECONNRESET: return closed(isAccepted, lacksCertificate)
        case 14 where system == 0: return MQTTFailure("the connection was lost", .retried)
        case 14: return MQTTFailure(unsafe String(cString: strerror(system)), .retried)
        case 19: return MQTTFailure("the broker is silent", .retried)
        // MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE
        case 8, 23:
            let reason = reasonOfTLS(log)
            return MQTTFailure("TLS failed: \(reason)", .fault(.tls))
        // MOSQ_ERR_PROTOCOL, MOSQ_ERR_CONN_LOST
        case 2, 7: return closed(isAccepted, lacksCertificate)
        default: return MQTTFailure(library, .retried)
        }
    }

    private static func closed(_ isAccepted: Bool, _ lacksCertificate: Bool) -> MQTTFailure {
        if isAccepted { return MQTTFailure("the broker has closed the connection", .retried) }
        // A broker that closes before it has read all resets the connection, and the reset may overtake its reason.
        // It may not need what it asked for, so this is no fault.
        return MQTTFailure(
            lacksCertificate
                ? "the broker asks for a client certificate and closes the connection: set Certificate="
                : "the broker closes the connection at once", .retried)
    }

    /// OpenSSL's words for a certificate, such as "certificate verify failed".
    private static func reasonOfTLS(_ log: String) -> String {
        let last = log.split(separator: ":").last.map { $0.drop { $0 == " " } } ?? ""
        let text = SanitizedText.line(String(last), limit: 80) ?? ""
        if text.isEmpty { return "the broker's certificate or its name is not valid" }
        return text == "certificate verify failed"
            ? "the broker's certificate is unknown, not valid now, or of another name" : text
    }

    /// The reason code of a CONNACK or a DISCONNECT of the broker.
    ///
    /// - Parameter server: another server that the broker refers to.
    static func reason(_ code: Int32, server: String?) -> MQTTFailure {
        let words = unsafe String(cString: cmosquitto_reason_text(code))
        let text = "the broker refuses: \(words)"
        switch code {
        case 0x86, 0x87:
            return MQTTFailure("the broker refuses the user or the password (0x\(hex(code)))", .fault(.refused))
        case 0x84: return MQTTFailure("the broker does not speak MQTT 5", .fault(.refused))
        case 0x85: return MQTTFailure("the broker refuses the client ID", .fault(.clientID))
        case 0x88, 0x89, 0x97, 0x9F: return MQTTFailure("\(text) (0x\(hex(code)))", .retriedLater)
        case 0x8A: return MQTTFailure("the broker has banned this client", .fault(.refused))
        case 0x8E: return MQTTFailure("another client has the ID of this board", .retried)
        case 0x9C, 0x9D:
            let name = server.flatMap { SanitizedText.line($0, limit: 128) } ?? "another server"
            return MQTTFailure("the broker has moved to \(name): set Host=", .fault(.refused))
        default: return MQTTFailure("\(text) (0x\(hex(code)))", .retried)
        }
    }

    private static func hex(_ code: Int32) -> String { String(code, radix: 16) }
}
