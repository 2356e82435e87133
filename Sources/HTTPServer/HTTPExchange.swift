import CMicroHTTPD
import Domain
import Glibc
package import JSONCoding
import Linux

/// The reply to a request: its owner sends one response, now or later.
package final class HTTPReply {
    /// Called when the client has gone before the response.
    package var cancelled: (() -> Void)?
    /// Called once, when the client has the whole response, or has gone.
    package var ended: (() -> Void)?

    private(set) var response: HTTPResponse?
    /// Continues a request that waits.
    var ready: (() -> Void)?
    /// The client has the response, or has gone.
    package private(set) var isOver = false

    /// Sends the response. Only the first call has an effect.
    package func send(_ response: HTTPResponse) {
        guard self.response == nil, !isOver else { return discard(response) }
        self.response = response
        ready?()
        ready = nil
    }

    /// The connection has taken the response, or has ended.
    func end() {
        defer {
            ended?()
            ended = nil
        }
        if isOver { return }
        isOver = true
        ready = nil
        if let response { discard(response) } else { cancelled?() }
        cancelled = nil
    }

    /// The connection owns the descriptor of the response from now on.
    func take() -> HTTPResponse? {
        guard let response, !isOver else { return nil }
        isOver = true
        cancelled = nil
        return response
    }

    private func discard(_ response: HTTPResponse) {
        switch response.body {
        case .bytes: break
        case .file(let descriptor, _), .pipe(let descriptor): close(descriptor)
        }
    }
}

/// A request from its head to the end of its response.
final class HTTPExchange {
    enum Step {
        /// The body is being received.
        case receiving
        /// The body was too long, or could not be stored: the rest is dropped.
        case failed(HTTPResponse)
        /// The owner has the body.
        case waiting
    }

    let reply = HTTPReply()
    /// While the owner prepares the response.
    var suspension: Suspension?
    var step = Step.receiving
    private let limit: Int
    private let completed: ([UInt8], HTTPReply) -> Void
    private var bytes: [UInt8] = []
    private var stored: HTTPBodyFile?
    private var count = 0

    init(_ verdict: HTTPVerdict) {
        switch verdict {
        case .respond(let response):
            limit = 0
            completed = { $1.send(response) }
        case .receive(let limit, let completed):
            self.limit = limit
            self.completed = completed
        case .store(let limit, let file, let completed):
            self.limit = limit
            self.completed = { completed($1) }
            stored = file
        }
    }

    /// Takes the next bytes of the body.
    func receive(_ more: UnsafeRawBufferPointer) {
        guard case .receiving = step else { return }
        count += more.count
        guard count <= limit else {
            bytes = []
            stored = nil
            step = .failed(.error(413, "too-large", "the body has more than \(limit) bytes"))
            return
        }
        guard let stored else { return unsafe bytes.append(contentsOf: more) }
        do {
            try stored.append(unsafe Array(more))
        } catch {
            step = .failed(.error(500, "failed", "the file cannot be stored: \(error)"))
        }
    }

    /// The body has ended: its owner replies, now or later.
    func complete() {
        switch step {
        case .receiving:
            step = .waiting
            completed(bytes, reply)
            bytes = []
        case .failed(let response):
            step = .waiting
            reply.send(response)
        case .waiting: break
        }
    }
}

extension HTTPResponse {
    /// An error as the API reports it.
    ///
    /// - Parameters:
    ///   - code: a word for programs.
    ///   - message: a sentence that says what to do.
    ///   - template, values: what translates it (``Sentence``), if anything does.
    package static func error(
        _ status: Int, _ code: String, _ message: String, template: String? = nil, values: [String] = [],
        headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        var body = JSONWriter(capacity: 256)
        body.object { body in
            body.object("error") { error in
                error.member("code", code)
                error.member("message", message)
                error.member("sentence", template)
                if !values.isEmpty { error.array("values") { list in for value in values { list.value(value) } } }
            }
        }
        body.newline()
        return .json(body, status: status, headers: headers)
    }

    /// JSON that no cache keeps.
    package static func json(
        _ body: JSONWriter, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
            .bytes(body.bytes))
    }
}
