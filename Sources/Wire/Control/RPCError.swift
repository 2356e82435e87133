package import Domain
package import JSONCoding

/// Why a request on control.sock failed. Only with code -32603 may it have changed something.
package struct RPCError: Error, Equatable, Sendable {
    /// A code of JSON-RPC 2.0, section 5.1, or one of the application's codes from -32001 down.
    package let code: Int
    /// The standard text of the code.
    package let message: String
    /// The cause.
    package let sentence: Sentence?
    /// The invalid parameter, setting or option.
    package let field: String?
    /// The state of the run in which the command is not allowed.
    package let state: RunState?
    /// The kind of a server's failure, as one word with hyphens.
    package let reason: String?

    /// The cause, as text for people.
    package var detail: String? { sentence?.description }

    private init(
        _ code: Int, _ message: String, detail: Sentence? = nil, field: String? = nil, state: RunState? = nil,
        reason: String? = nil
    ) {
        self.code = code
        self.message = message
        self.sentence = detail
        self.field = field
        self.state = state
        self.reason = reason
    }

    private init(
        _ name: RPCErrorName, _ detail: Sentence, field: String? = nil, state: RunState? = nil, reason: String? = nil
    ) {
        self.init(name.code, name.message, detail: detail, field: field, state: state, reason: reason)
    }

    package static let methodNotFound = RPCError(-32601, "Method not found")

    /// It has no detail, as in the specification's examples, unless the JSON exceeds a limit of ours.
    package static func parseError(_ error: ParseError) -> RPCError {
        RPCError(
            -32700, "Parse error", detail: error.expected == "valid JSON" ? nil : Sentence(verbatim: error.description))
    }

    /// It has no detail if the standard text suffices.
    package static func invalidRequest(_ detail: Sentence? = nil) -> RPCError {
        RPCError(-32600, "Invalid Request", detail: detail)
    }

    package static func invalidParameters(_ field: String? = nil, _ detail: Sentence) -> RPCError {
        RPCError(-32602, "Invalid params", detail: detail, field: field)
    }

    package static func internalError(_ detail: Sentence) -> RPCError {
        RPCError(-32603, "Internal error", detail: detail)
    }

    package static func notInThisState(_ rejection: CommandRejection) -> RPCError {
        RPCError(
            .refused, Sentence(verbatim: rejection.description),
            state: rejection.reason == .state ? rejection.state : nil)
    }

    package static func busy(_ detail: Sentence) -> RPCError {
        RPCError(.busy, detail)
    }

    /// The host does not allow it now, for a reason other than the state of the run.
    package static func unavailable(_ detail: Sentence) -> RPCError {
        RPCError(.refused, detail)
    }

    package static func notFound(_ field: String, _ detail: Sentence) -> RPCError {
        RPCError(.notFound, detail, field: field)
    }

    /// A server on the network does not respond, or not as it should.
    package static func serverFailed(_ reason: String, _ detail: Sentence) -> RPCError {
        RPCError(.failed, detail, reason: reason)
    }

    /// An option of the daemon, such as `--sensor`, overrides the setting.
    package static func overridden(by option: String) -> RPCError {
        invalidValue(option, "the option \(option) overrides it; start paced without the option")
    }

    package static func invalidValue(_ field: String, _ detail: Sentence) -> RPCError {
        RPCError(.invalid, detail, field: field)
    }

    // Texts of other sources, which have no template.

    @_disfavoredOverload package static func invalidParameters(_ field: String? = nil, _ detail: String) -> RPCError {
        invalidParameters(field, Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func internalError(_ detail: String) -> RPCError {
        internalError(Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func busy(_ detail: String) -> RPCError {
        busy(Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func unavailable(_ detail: String) -> RPCError {
        unavailable(Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func notFound(_ field: String, _ detail: String) -> RPCError {
        notFound(field, Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func serverFailed(_ reason: String, _ detail: String) -> RPCError {
        serverFailed(reason, Sentence(verbatim: detail))
    }

    @_disfavoredOverload package static func invalidValue(_ field: String, _ detail: String) -> RPCError {
        invalidValue(field, Sentence(verbatim: detail))
    }
}

extension JSONWriter {
    /// The error object of a response.
    mutating func failure(_ failure: RPCError) {
        object { line in
            line.member("code", failure.code)
            line.member("message", failure.message)
            guard let sentence = failure.sentence else { return }
            line.object("data") {
                $0.member("field", failure.field)
                $0.member("state", failure.state?.rawValue)
                $0.member("reason", failure.reason)
                $0.member("message", sentence.description)
                $0.template(sentence)
            }
        }
    }

    /// What translates a sentence, if it has words.
    package mutating func template(_ sentence: Sentence) {
        guard sentence.hasWords else { return }
        member("sentence", sentence.template)
        if !sentence.values.isEmpty { array("values") { list in for value in sentence.values { list.value(value) } } }
    }
}

extension Sentence {
    /// The sentence of a response's members `message`, `sentence` and `values`; nil without a message.
    package init?(reading members: JSON) {
        guard let message = members["message"]?.string else { return nil }
        self.init(verbatim: message)
        guard let template = members["sentence"]?.string else { return }
        let values = members["values"]?.array?.compactMap(\.string) ?? []
        // A template that does not give the message would say something else.
        if let sentence = Sentence(template: template, values: values), sentence.description == message {
            self = sentence
        }
    }
}
