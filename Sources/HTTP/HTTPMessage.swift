/// A request: GET without content, POST with bytes or a form, PUT with a file.
package struct OutgoingRequest: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case bytes([UInt8])
        /// Parts of multipart/form-data.
        case form([FormPart])
        /// The path of a file.
        case file(String)
    }

    /// A part of a form.
    package enum FormPart: Equatable, Sendable {
        case text(name: String, String)
        /// The file of a path, under another name.
        case file(name: String, path: String, fileName: String, type: String)
    }

    /// An address of http or https.
    package var url: String
    /// Lines such as `If-None-Match: "1"`, without line ends.
    package var headers: [String]
    /// What is sent.
    package var content: Content?
    /// The method, such as MKCOL; nil for that of the content.
    package var method: String?
    /// Whether the server must get it once at most. It then has a connection of its own: libcurl repeats a request by itself if a
    /// connection that served an earlier one ends without an answer.
    package var isUnique = false
    /// The most bytes of the unpacked body of the response.
    package var bodyLimit: Int
    /// From the start to the last byte.
    package var timeout: Duration

    package init(
        url: String, headers: [String] = [], content: Content? = nil, method: String? = nil, bodyLimit: Int,
        timeout: Duration
    ) {
        self.url = url
        self.headers = headers
        self.content = content
        self.method = method
        self.bodyLimit = bodyLimit
        self.timeout = timeout
    }
}

/// A complete response of any status.
package struct HTTPResponse: Equatable, Sendable {
    package var status: Int
    /// Names are in lower case.
    package var headers: [String: String]
    /// The unpacked body.
    package var body: [UInt8]
    /// The address that a redirection leads to.
    package var redirection: String?

    package init(status: Int, headers: [String: String], body: [UInt8], redirection: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.redirection = redirection
    }
}

/// Why there is no response.
package enum HTTPError: Error, Equatable, Sendable {
    /// The name of the host has no address; in most cases there is no network.
    case unresolved
    /// No connection to the host.
    case unreachable
    /// Of a unique request: nothing of it was sent, for this reason.
    indirect case unsent(HTTPError)
    case timedOut
    /// The certificate of the server is not valid yet, by the clock of this machine.
    case certificateNotYetValid
    /// The certificate is not that of the host, has expired, or is of no known authority.
    case certificate
    /// The response has more bytes than the request allows.
    case tooLong
    /// The connection ended within the response.
    case incomplete
    /// Any other error, in libcurl's words.
    case other(String)
}
