package import JSONCoding

/// A request on code.sock or admin.sock of paced-web.
package enum WebRequest: Equatable, Sendable {
    /// A code that signs a browser in.
    case code(isControl: Bool)
    case tokens
    /// Revoke a token; nil for all.
    case revoke(Int?)

    /// - Parameter isAdmin: whether it is on admin.sock, whose users may command.
    package init(method: String, parameters: JSON?, isAdmin: Bool) throws(RPCError) {
        switch method {
        case "web.code":
            let parameters = try ControlRequest.Parameters(parameters, names: isAdmin ? ["control"] : [])
            self = .code(isControl: try parameters.members["control"]?.bool(field: "control") ?? false)
        case "web.tokens" where isAdmin:
            try ControlRequest.checkNoParameters(parameters)
            self = .tokens
        case "web.revoke" where isAdmin:
            let parameters = try ControlRequest.Parameters(parameters, names: ["id"])
            self = .revoke(
                try parameters.members["id"].map { json throws(RPCError) in
                    try json.integer(in: 1...Int(Int32.max), field: "id")
                })
        default: throw .methodNotFound
        }
    }
}
