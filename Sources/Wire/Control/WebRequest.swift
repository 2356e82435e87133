/// A request on code.sock or admin.sock of paced-web.
package enum WebRequest: Equatable, Sendable {
    /// A code that signs a browser in.
    case code(isControl: Bool)
    case tokens
    /// Revoke a token; nil for all.
    case revoke(Int?)

    /// The methods of code.sock.
    package static let codeTable = RPCTable<WebRequest>("paced-web code socket", [code(mayCommand: false)])

    /// The methods of admin.sock, whose users may command.
    package static let adminTable = RPCTable<WebRequest>(
        "paced-web admin socket",
        [
            code(mayCommand: true),
            RPCMethod(
                "web.tokens", "Lists the browsers that are signed in.", [], "tokens",
                .array(
                    of: .object(
                        required: ["id", "scope", "name", "created", "used"],
                        [
                            "id": .integer, "scope": scope, "name": .string, "user": .string, "created": .string,
                            "used": .string,
                        ])), [], .read
            ) { _ in .tokens },
            RPCMethod(
                "web.revoke", "Signs a browser out, or all.", [id.optional], "revoked",
                .object(required: ["revoked"], ["revoked": .integer]), [.notFound, .invalid], .change
            ) { .revoke(try $0[id]) },
        ])

    private static func code(mayCommand: Bool) -> RPCMethod<WebRequest> {
        RPCMethod(
            "web.code", "Makes a code that signs a browser in, once, within two minutes.",
            mayCommand ? [control.optional] : [], "code",
            .object(
                required: ["code", "scope", "can_command", "expires_s", "urls"],
                [
                    "code": .string, "scope": scope, "can_command": .boolean, "expires_s": .integer,
                    "urls": .array(of: .string),
                ]), [.invalid], .change
        ) { .code(isControl: try $0[control] ?? false) }
    }

    private static let scope = JSONSchema.oneOf(["watch", "control"])
    private static let control = RPCParameter.flag("control", "Whether the browser may command.")
    private static let id = RPCParameter.id("id", "The number of the token; all if it is absent.")
}
