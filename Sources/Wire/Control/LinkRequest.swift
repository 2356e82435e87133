package import Domain
import JSONCoding

/// A request on link.sock.
package enum LinkRequest: Equatable, Sendable {
    /// What each sink does.
    case status
    /// Rows are sent now, also on a metered interface.
    case flush
    /// Uploads activities.
    ///
    /// - Parameters:
    ///   - activities: 1 to 100.
    ///   - service: the name of a service; nil for all.
    case upload([UUID], service: String?)
    /// Where activities are; nil for the newest uploads.
    case uploads(UUID?)
    /// Begins a login at a service, or ends it with the address that the browser was sent to.
    case login(service: String, answer: String?)
    /// What is planned.
    case plan
    /// Fetches what is planned, now.
    case fetch
    /// A workout with its file, by its number in the list.
    case workout(Int)

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
                                    "rows": .integer, "bytes": .integer, "activities": .integer,
                                    "rejected": .integer,
                                ])),
                    ]), [], .read
            ) { _ in .status },
            RPCMethod(
                "link.flush", "Sends rows and activities now, also on a metered interface, until the connection ends.",
                [], "nothing",
                .null, [], .change
            ) { _ in .flush },
            RPCMethod(
                "link.upload", "Uploads activities to services, those that are not there.",
                [activities.required, service.optional], "uploads", uploads, [.notFound, .refused, .invalid], .change
            ) { .upload(try $0.value(of: activities), service: try $0[service]) },
            RPCMethod(
                "link.uploads", "Lists where an activity is, at each service; without one the newest uploads.",
                [activity.optional], "uploads", uploads, [.invalid], .read
            ) { .uploads(try $0[activity]) },
            RPCMethod(
                "link.login",
                "Authorises paced-link at a service: returns the address to open, or ends with its answer.",
                [login.required, answer.optional], "login",
                .object(required: [], ["url": .string, "done": .boolean]),
                [.notFound, .refused, .failed, .invalid], .change
            ) { .login(service: try $0.value(of: login), answer: try $0[answer]) },
            RPCMethod(
                "link.plan", "Lists the planned workouts and courses of the last fetch.", [], "plans", plans, [], .read
            ) { _ in .plan },
            RPCMethod(
                "link.fetch", "Fetches planned workouts and courses now.", [], "plans", plans, [.refused], .change
            ) { _ in .fetch },
            RPCMethod(
                "link.workout", "Returns a planned workout with its FIT file.", [planNumber.required], "workout",
                .object(required: ["plan", "data"], ["plan": planned, "data": .string]),
                [.refused, .notFound, .invalid], .read
            ) { .workout(try $0.value(of: planNumber)) },
        ])

    private static let uploads = JSONSchema.object(
        required: ["uploads"],
        [
            "uploads": .array(
                of: .object(
                    required: ["activity", "to", "service", "state"],
                    [
                        "activity": .string, "to": .string, "service": .string,
                        "state": .oneOf(UploadState.allCases.map(\.rawValue)), "reason": .string,
                        "next_try_ms": .integer, "url": .string, "remote": .string,
                    ]))
        ])
    private static let planned = JSONSchema.object(
        required: ["plan", "from", "kind", "name", "state"],
        [
            "plan": .integer, "from": .string, "kind": .oneOf(["workout", "course"]), "day": .string, "name": .string,
            "state": .oneOf(["stored", "loaded", "imported", "failed"]), "reason": .string,
        ])
    private static let plans = JSONSchema.object(
        required: ["fetching", "plans"], ["fetching": .boolean, "plans": .array(of: planned)])
    private static let planNumber = RPCParameter.id("plan", "The number of a workout in the list of link.plan.")
    private static let activities = RPCParameter<[UUID]>(
        "activities", .array(of: .string(36...36), #""minItems":1,"maxItems":100"#), "The uuids of 1 to 100 activities."
    ) { value, name in
        let uuids = value.array?.compactMap { $0.string.flatMap { UUID($0) } } ?? []
        guard (1...100).contains(uuids.count), uuids.count == value.array?.count else {
            throw RPCError.invalidValue(name, "\(name) must be a list of 1 to 100 uuids")
        }
        return uuids
    }
    private static let activity = RPCParameter<UUID>(
        "activity", .string(36...36), "The uuid of an activity."
    ) { value, name in
        guard let uuid = value.string.flatMap({ UUID($0) }) else {
            throw RPCError.invalidValue(name, "\(name) must be a uuid")
        }
        return uuid
    }
    private static let service = text("to", 32, "The name of a service; all if it is absent.")
    private static let login = text("to", 32, "The name of a service.")
    private static let answer = text(
        "answer", 2048, "The address that the browser was sent to, or the code in it.")

    private static func text(_ name: String, _ limit: Int, _ summary: String) -> RPCParameter<String> {
        RPCParameter(name, .string(1...limit), summary) { value, name in
            guard let text = value.string, (1...limit).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw RPCError.invalidValue(
                    name, "\(name) must be a text of 1 to \(limit) printable ASCII characters without blanks")
            }
            return text
        }
    }

    /// How far an activity is at a service.
    package enum UploadState: String, CaseIterable, Sendable {
        /// Nobody has asked for it.
        case none
        /// For its turn, or for the next attempt.
        case waiting
        case sending
        /// The service has the file, and works on it.
        case processing
        case done
        /// The service does not take the file.
        case refused
        /// Nobody can tell whether the service has it.
        case unknown
    }

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
