import Domain
package import HTTPServer
import Linux

/// Which requests are refused before their content counts.
package struct RequestRules: Equatable {
    /// Names of this machine, in lower case. Numeric addresses and localhost are always allowed.
    var names: [String]
    var plain: WebConfiguration.Plain

    package init(names: [String], plain: WebConfiguration.Plain) {
        self.names = names
        self.plain = plain
    }

    /// The response to a request that is refused; nil if it may go on.
    package func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.headers["Host"], let authority = Authority(host), isOwn(authority.host) else {
            // DNS rebinding: a name of another site leads to this machine.
            return .error(
                421, "wrong-host",
                "this address is not one of this machine: add its name to Names= of paced-web.conf")
        }
        if let origin = request.headers["Origin"], !isSame(origin, host) {
            return .error(403, "wrong-origin", "another page may not ask this one")
        }
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none",
            !request.isPage
        {
            return .error(403, "wrong-origin", "another page may not ask this one")
        }
        return nil
    }

    private func isOwn(_ host: String) -> Bool {
        host == "localhost" || names.contains(host) || TCPSocket.isAddress(host)
    }

    /// Whether an origin is this server by the host that the request names. A proxy may have changed the scheme.
    private func isSame(_ origin: String, _ host: String) -> Bool {
        ["http://", "https://"].contains { origin.hasPrefix($0) && origin.dropFirst($0.utf8.count) == host }
    }

    /// What a token may do on the connection of a request.
    package func allowance(of request: HTTPRequest) -> WebConfiguration.Plain {
        request.isEncrypted || request.isLoopback ? .all : plain
    }
}

extension HTTPRequest {
    /// Whether the request is for a page or a part of one, which has no data.
    var isPage: Bool {
        path != "/api" && !path.hasPrefix("/api/") && path != "/metrics"
    }
}
