import Domain

extension OpenRPC {
    /// The document of code.sock of paced-web, one line without a newline.
    package static let codeDocument = webDocument("paced-web code socket", [codeMethod([])])
    /// The document of admin.sock of paced-web, one line without a newline.
    package static let adminDocument = webDocument(
        "paced-web admin socket",
        [
            codeMethod([control]),
            method("web.tokens", "Lists the browsers that are signed in.", [], "tokens", tokensResult, []),
            method("web.revoke", "Signs a browser out, or all.", [id], "revoked", revokeResult, [notFound, invalid]),
        ])

    private static func webDocument(_ title: String, _ methods: [String]) -> String {
        """
        {"openrpc":"1.3.2",\
        "info":{"title":"\(title)","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name."},\
        "methods":[\((methods + [discover]).joined(separator: ","))],\
        "components":{"errors":\(errors)}}
        """
    }

    private static func codeMethod(_ parameters: [String]) -> String {
        method(
            "web.code", "Makes a code that signs a browser in, once, within two minutes.", parameters, "code",
            codeResult, [invalid])
    }

    private static let control = """
        {"name":"control","summary":"Whether the browser may command.","schema":{"type":"boolean"}}
        """
    private static let id = """
        {"name":"id","summary":"The number of the token; all if it is absent.","schema":{"type":"integer","minimum":1}}
        """
    private static let codeResult = """
        {"type":"object","required":["code","scope","can_command","expires_s","urls"],"properties":{\
        "code":{"type":"string"},"scope":{"enum":["watch","control"]},"can_command":{"type":"boolean"},"expires_s":{"type":"integer"},\
        "urls":{"type":"array","items":{"type":"string"}}}}
        """
    private static let tokensResult = """
        {"type":"array","items":{"type":"object","required":["id","scope","name","created","used"],"properties":{\
        "id":{"type":"integer"},"scope":{"enum":["watch","control"]},"name":{"type":"string"},"user":{"type":"string"},\
        "created":{"type":"string"},"used":{"type":"string"}}}}
        """
    private static let revokeResult = """
        {"type":"object","required":["revoked"],"properties":{"revoked":{"type":"integer"}}}
        """
}
