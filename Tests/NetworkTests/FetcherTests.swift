import Domain
import Foundation
import HTTP
import Linux
import TestKit
import Testing

/// What hosts, and the networks before them, do wrong.
@Suite struct FetcherTests {
    struct Sin: CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        /// How the reason begins. HOST is the host.
        var reason: String
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ reason: String) {
            self.name = name
            self.bytes = bytes
            self.reason = reason
        }
    }

    private static let login =
        "<!DOCTYPE html><html><title>Welcome to Hotel WiFi</title><form>Room number</form></html>"
    private static let hostile = "http://e" + String(repeating: "\u{301}", count: 300) + "\u{1B}[2J/"
    private static let chunked = "Transfer-Encoding: chunked"
    private static let end = "the response of HOST is cut off"
    private static let long = "the response of HOST is too long"
    private static let other = "login page? HOST sends something else"

    private static let sins = [
        Sin(
            "301 to a login page", answer(301, "Location: http://login.example/a?b"),
            "login page? HOST redirects to login.example"),
        Sin(
            "302 of a portal", answer(302, "Location: https://portal.example/"),
            "login page? HOST redirects to portal.example"),
        Sin("302 to nowhere", answer(302), "login page? HOST redirects to another address"),
        Sin("302 to a hostile host", answer(302, "Location: \(hostile)"), "login page? HOST redirects"),
        Sin("304 of what we lack", answer(304, #"ETag: "1""#), "HOST rejects the request (304)"),
        Sin("400", answer(400, body: "wrong bbox"), "HOST rejects the request (400)"),
        Sin("403", answer(403), "HOST refuses requests (403)"),
        Sin("404", answer(404), "HOST has no such service (404)"),
        Sin("410", answer(410, body: login), "HOST has no such service (410)"),
        Sin("429", answer(429), "HOST limits requests (429)"),
        Sin("500 without a body", answer(500), "HOST has an error (500)"),
        Sin("503", answer(503, body: login), "HOST has an error (503)"),
        Sin("999", answer(999), "HOST has an error (999)"),
        Sin("200 of a portal", answer(200, body: login), other),
        Sin("a cut body", answer(200, "Content-Length: 9000", body: "[{"), end),
        Sin("a length too small", answer(200, "Content-Length: 9", body: "[" + blanks(9000) + "]"), other),
        Sin("a length that is no number", answer(200, "Content-Length: many", body: "[]"), "HOST: "),
        Sin("two lengths", answer(200, "Content-Length: 2", "Content-Length: 1", body: "[]"), ""),
        Sin("a cut chunk", answer(200, chunked, body: "40\r\n[{"), end),
        Sin("a negative chunk", answer(200, chunked, body: "-1\r\n[]"), ""),
        Sin("nothing", [], end),
        Sin("no HTTP", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), "HOST: "),
        Sin("half of a head", Array("HTTP/1.1 200 OK\r\nContent-Le".utf8), end),
        Sin("200 without a body", answer(200), end),
        Sin("a long body", answer(200, body: blanks(20_000)), long),
        Sin("a gzip bomb", answer(200, "Content-Encoding: gzip", packed: bomb), long),
        Sin("a bomb in a bomb", answer(200, "Content-Encoding: gzip, gzip", packed: bombInABomb), long),
        Sin("no gzip", answer(200, "Content-Encoding: gzip", body: "[]"), "HOST: "),
        Sin("an unknown encoding", answer(200, "Content-Encoding: zip9", body: "[]"), "HOST: "),
        Sin("a huge header", answer(200, "X-Huge: " + String(repeating: "x", count: 40_000), body: "[]"), long),
    ]

    /// 20,000 blanks, in the format of gzip; and that packed again.
    private static let bomb = "H4sIAAAAAAACA+3BMQEAAADCoCrrn9IaHkABAAAAAAAAAAAAAAAAAAAAAAAA8GAoxAiFIE4AAA=="
    private static let bombInABomb =
        "H4sIAAAAAAACA5Pv5mAAASbmtwcNGYGMQwu0Xs+/JCXnwMiAAT4kaBzhaFXwY2AAAFfEHB43AAAA"

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

    /// A response, with its length unless a field states one or another form of the body.
    private static func answer(_ status: Int, _ fields: String..., body: String = "") -> [UInt8] {
        answer(status, fields, Array(body.utf8))
    }

    private static func answer(_ status: Int, _ fields: String..., packed: String) -> [UInt8] {
        answer(status, fields, Array(Data(base64Encoded: packed) ?? Data()))
    }

    private static func answer(_ status: Int, _ fields: [String], _ body: [UInt8]) -> [UInt8] {
        let isStated = fields.contains { $0.hasPrefix("Content-Length") || $0 == chunked }
        let lines = ["HTTP/1.1 \(status) Some Reason"] + fields + (isStated ? [] : ["Content-Length: \(body.count)"])
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Each has its reason, is not stored, and is forgiven.
    @Test(arguments: sins)
    func sinOfAHostHasItsReasonAndIsForgiven(sin: Sin) throws {
        let loop = try EventLoop()
        let server = try FakeServer(on: loop)
        let directory = TemporaryDirectory()
        let cache = ResponseCache(in: directory.path)
        var log: [String] = []
        let client = try HTTPClient(loop: loop, userAgent: "paced-net/test")
        let fetcher = Fetcher(client, cache: cache, timeout: .seconds(20)) { log.append($1) }
        var request = FetchRequest(url: server.url, purpose: .command, reuse: .zero, fallback: .zero)
        request.bodyLimit = 10_000
        func list(_ body: [UInt8]) -> [UInt8]? { body == Array("[]".utf8) ? body : nil }
        func fetch() throws -> Result<Fetched<[UInt8]>, FetchFailure> {
            var result: Result<Fetched<[UInt8]>, FetchFailure>?
            fetcher.fetch(request, parse: list) { result = $0 }
            let end = Clock.now() + .seconds(30)
            while result == nil, Clock.now() < end { try loop.runOnce(waiting: .seconds(1)) }
            return try #require(result)
        }

        server.response = sin.bytes
        guard case .failure(let failure) = try fetch() else { throw SystemError("fetch", code: 0) }
        let reason = "\(failure)"
        #expect(reason.hasPrefix(String(sin.reason.replacing("HOST", with: "127.0.0.1:\(server.port)").prefix(63))))
        #expect(reason.unicodeScalars.count <= 64 && reason.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(log == [reason] && cache.response(to: server.url) == nil)

        server.response = Self.answer(200, body: "[]")
        #expect(try fetch().get().failure == nil)
        #expect(log.last == "127.0.0.1:\(server.port) responds again")
        #expect(cache.response(to: server.url)?.url == server.url)
    }
}
