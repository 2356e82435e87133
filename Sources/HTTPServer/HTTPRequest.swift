/// The head of a request.
package struct HTTPRequest: Equatable, Sendable {
    package var method: String
    /// Without the query; percent-encoding is decoded.
    package var path: String
    package var query: [String: String]
    /// The values of ``headerNames`` that the request has, by name.
    package var headers: [String: String]
    /// Whether the connection stays on this machine.
    package var isLoopback: Bool
    package var isEncrypted: Bool

    package init(
        method: String, path: String, query: [String: String], headers: [String: String], isLoopback: Bool,
        isEncrypted: Bool
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.isLoopback = isLoopback
        self.isEncrypted = isEncrypted
    }

    /// The headers that are read.
    package static let headerNames = [
        "Host", "Origin", "Authorization", "Content-Length", "Transfer-Encoding", "If-None-Match", "Sec-Fetch-Site",
        "Accept-Encoding",
    ]

    /// Whether a body follows the head.
    var hasBody: Bool {
        headers["Transfer-Encoding"] != nil || (headers["Content-Length"] ?? "0") != "0"
    }

    /// The credentials of the scheme Bearer (RFC 6750).
    package var bearerToken: String? {
        guard let words = headers["Authorization"]?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return nil }
        return String(words[1])
    }
}

/// A response.
package struct HTTPResponse {
    package enum Body {
        case bytes([UInt8])
        /// A file from its start. The server closes the descriptor.
        case file(descriptor: Int32, size: Int)
        /// The bytes of a socket or pipe as they come, until it ends. The server closes the descriptor.
        case pipe(descriptor: Int32)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(_ status: Int, headers: [(name: String, value: String)] = [], _ body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// What the owner of the server does with a request, of which it knows the head.
package enum HTTPVerdict {
    /// The response, without reading a body.
    case respond(HTTPResponse)
    /// Receive a body of at most `limit` bytes in memory, then call the closure.
    case receive(limit: Int, ([UInt8], HTTPReply) -> Void)
    /// Receive a body of at most `limit` bytes into a file, then call the closure.
    case store(limit: Int, HTTPBodyFile, (HTTPReply) -> Void)
}
