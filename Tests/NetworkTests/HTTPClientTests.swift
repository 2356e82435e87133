import Domain
import HTTP
import Linux
import TestKit
import Testing

@Suite struct HTTPClientTests {
    private func outcome(
        _ url: String, _ loop: EventLoop, limit: Int = 1000, timeout: Duration = .seconds(20),
        headers: [String] = []
    ) throws -> Result<HTTPResponse, HTTPError> {
        let client = try HTTPClient(loop: loop, userAgent: "paced-net/test")
        var result: Result<HTTPResponse, HTTPError>?
        client.send(OutgoingRequest(url: url, headers: headers, bodyLimit: limit, timeout: timeout)) { result = $0 }
        let end = Clock.now() + .seconds(30)
        while result == nil, Clock.now() < end { try loop.runOnce(waiting: .seconds(1)) }
        return try #require(result)
    }

    private func outcome(
        of response: String, closes: Bool = true, limit: Int = 1000, timeout: Duration = .seconds(20)
    ) throws -> Result<HTTPResponse, HTTPError> {
        let loop = try EventLoop()
        let server = try FakeServer(response, closes: closes, on: loop)
        return try outcome(server.url, loop, limit: limit, timeout: timeout)
    }

    @Test func responseHasStatusFieldsAndBody() throws {
        let loop = try EventLoop()
        let server = try FakeServer(
            "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello", on: loop)
        let response = try outcome(server.url, loop, headers: ["If-None-Match: \"1\""]).get()
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(response.headers == ["etag": "\"1\"", "x-empty": "", "content-length": "5"])
        #expect(response.redirection == nil)
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nUser-Agent: paced-net/test\r\n"))
        #expect(request.contains("\r\nIf-None-Match: \"1\"\r\n"))
    }

    @Test func redirectionIsNotFollowed() throws {
        let response = try outcome(of: "HTTP/1.1 302 Found\r\nLocation: http://login.example/x\r\n\r\n").get()
        #expect(response.status == 302)
        #expect(response.redirection == "http://login.example/x")
    }

    @Test func fieldsOfAnInterimResponseDoNotCount() throws {
        let response = try outcome(
            of: "HTTP/1.1 103 Early Hints\r\nETag: early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        ).get()
        #expect(response.headers["etag"] == nil)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + String(repeating: "x", count: 1001), HTTPError.tooLong),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", .incomplete), ("", .incomplete),
        (
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Long: \(String(repeating: "y", count: 1000))\r\n", count: 40)
                + "\r\n",
            .tooLong
        ),
    ]) func brokenResponseIsAnError(response: String, error: HTTPError) throws {
        #expect(try outcome(of: response) == .failure(error))
    }

    @Test func responseThatIsNoHTTPIsAnError() throws {
        guard case .failure = try outcome(of: "220 ftp.example ready\r\n") else {
            throw SystemError("connect", code: 0)
        }
    }

    @Test func silentServerTimesOut() throws {
        #expect(try outcome(of: "", closes: false, timeout: .milliseconds(200)) == .failure(.timedOut))
    }

    @Test func closedPortIsUnreachable() throws {
        let loop = try EventLoop()
        let port = try FakeGpsd.freePort()
        #expect(try outcome("http://127.0.0.1:\(port)/", loop) == .failure(.unreachable))
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "nonsense:"]) func otherProtocolsAreRefused(
        url: String
    ) throws {
        let loop = try EventLoop()
        guard case .failure(.other) = try outcome(url, loop) else { throw SystemError("connect", code: 0) }
    }

    @Test func connectionIsUsedAgain() throws {
        let loop = try EventLoop()
        let server = try FakeServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", closes: false, on: loop)
        let client = try HTTPClient(loop: loop, userAgent: "paced-net/test")
        var bodies = 0
        func send() {
            client.send(OutgoingRequest(url: server.url, bodyLimit: 10, timeout: .seconds(20))) { result in
                if case .success = result { bodies += 1 }
                if bodies < 20 { send() }
            }
        }
        send()
        let end = Clock.now() + .seconds(30)
        while bodies < 20, Clock.now() < end { try loop.runOnce(waiting: .seconds(1)) }
        #expect(server.requests.count == 20)
    }

    /// Its transfers end with it, and nothing is called back.
    @Test func clientCanBeReleasedInTheMiddleOfARequest() throws {
        let loop = try EventLoop()
        let server = try FakeServer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", closes: false, on: loop)
        var isCompleted = false
        var client: HTTPClient? = try HTTPClient(loop: loop, userAgent: "paced-net/test")
        client?.send(OutgoingRequest(url: server.url, bodyLimit: 10, timeout: .seconds(20))) { _ in isCompleted = true }
        let end = Clock.now() + .seconds(30)
        while server.requests.isEmpty, Clock.now() < end { try loop.runOnce(waiting: .seconds(1)) }
        try loop.runOnce(waiting: .milliseconds(10))
        client = nil
        try loop.runOnce(waiting: .milliseconds(10))
        #expect(server.requests.count == 1)
        #expect(!isCompleted)
    }
}
