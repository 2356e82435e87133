import Domain
import Foundation
import HTTP
import TestKit
import Testing

@Suite struct ResponseCacheTests {
    private let directory: TemporaryDirectory
    private let cache: ResponseCache
    private let noon = UTC(milliseconds: UTC(year: 2026, month: 3, day: 1).milliseconds + 43_200_000)

    init() throws {
        directory = TemporaryDirectory()
        cache = ResponseCache(in: directory.path)
    }

    private func response(_ url: String, minutes: Int64 = 0, body: String = "text\n{}") -> CachedResponse {
        CachedResponse(
            url: url, fetchedAt: UTC(milliseconds: noon.milliseconds + minutes * 60_000), expires: noon,
            etag: "\"a\\\"b\"", lastModified: "Sun, 01 Mar 2026 12:00:00 GMT", body: Array(body.utf8))
    }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] }

    @Test func storedResponseIsReadAgain() throws {
        let stored = response("http://a.example/b?c=d")
        try cache.store(stored)
        #expect(cache.response(to: stored.url) == stored)
        #expect(cache.response(to: "http://a.example/") == nil)
        try cache.store(response(stored.url, minutes: 1, body: ""))
        #expect(cache.response(to: stored.url)?.body == [])
        #expect(files.count == 1)
    }

    @Test(arguments: [
        "", "{}", "{\"url\":1}\n", "no JSON\nbody", "\n", "[]\n", "{\"url\":\"http://a/\",\"fetched_ms\":1}",
    ])
    func damagedFileIsNoResponse(text: String) throws {
        try cache.store(response("http://a/"))
        let file = try #require(files.first)
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory(file)))
        #expect(cache.response(to: "http://a/") == nil)
        try cache.store(response("http://a/"))
        #expect(cache.response(to: "http://a/") != nil)
    }

    @Test func oldestResponseGoesForANewOne() throws {
        let count = ResponseCache.fileLimit + 3
        for number in 0..<count { try cache.store(response("http://a/\(number)", minutes: Int64(number))) }
        #expect(files.count == ResponseCache.fileLimit)
        #expect(cache.response(to: "http://a/2") == nil)
        #expect(cache.response(to: "http://a/3") != nil)
        #expect(cache.response(to: "http://a/\(count - 1)") != nil)
    }

    @Test func longResponseIsNotStored() throws {
        try cache.store(response("http://a/", body: String(repeating: "x", count: ResponseCache.sizeLimit)))
        #expect(files.isEmpty)
    }

    @Test func linkInPlaceOfAFileIsAnError() throws {
        try cache.store(response("http://a/"))
        let file = try #require(files.first)
        try FileManager.default.removeItem(atPath: directory(file))
        try FileManager.default.createSymbolicLink(atPath: directory(file), withDestinationPath: "/etc/passwd")
        #expect(cache.response(to: "http://a/") == nil)
        #expect(throws: (any Error).self) { try cache.store(response("http://a/")) }
    }

    @Test func responseIsFreshWhileItIsReusedOrHasNotExpired() {
        func time(_ seconds: Int64) -> UTC { UTC(milliseconds: noon.milliseconds + seconds * 1000) }
        var stored = response("http://a/")
        stored.expires = time(100)
        #expect(stored.isFresh(reuse: .seconds(10), at: time(99)))
        #expect(!stored.isFresh(reuse: .seconds(10), at: time(100)))
        #expect(stored.isFresh(reuse: .seconds(200), at: time(199)))
        // The clock was set back.
        #expect(!stored.isFresh(reuse: .seconds(200), at: time(-1)))
        #expect(stored.age(at: time(-1)) == nil)
    }

    private func headers(_ headers: [String: String]) -> HTTPResponse {
        HTTPResponse(status: 200, headers: headers, body: [])
    }

    @Test(
        arguments: [
            (["cache-control": "public, max-age=60"], 60), (["cache-control": "max-age=9999999"], 86_400),
            (["expires": "Sun, 01 Mar 2026 12:05:00 GMT"], 300), (["expires": "0"], nil), (["expires": "soon"], nil),
            ([:], nil),
            (["expires": "Sun, 01 Mar 2026 12:05:00 GMT", "cache-control": "max-age=60"], 60),
            (["cache-control": "max-age=-5"], 0),
        ] as [([String: String], Int64?)])
    func expiryIsThatOfTheHeaders(fields: [String: String], seconds: Int64?) {
        let expected = seconds.map { UTC(milliseconds: noon.milliseconds + $0 * 1000) }
        #expect(headers(fields).expires(at: noon) == expected)
    }

    @Test(
        arguments: [
            ("120", 120), ("Sun, 01 Mar 2026 12:05:00 GMT", 300), ("Sun, 01 Mar 2026 11:05:00 GMT", 0), ("-3", 0),
            ("soon", nil), ("99999999999999999999", nil), ("9999999", 86_400),
        ] as [(String, Int?)])
    func retryAfterIsSecondsOrADate(text: String, seconds: Int?) {
        #expect(headers(["retry-after": text]).retryAfter(at: noon) == seconds.map { .seconds($0) })
    }

    @Test func longETagIsNotSentBack() {
        #expect(headers(["etag": String(repeating: "x", count: 257)]).field("etag") == nil)
        #expect(headers(["etag": "\"1\""]).field("etag") == "\"1\"")
    }

    @Test(arguments: [
        ("https://a.example/b", "a.example"), ("http://[::1]:80/b", "[::1]:80"), ("http://a?b", "a"), ("x", "x"),
        ("http://user:secret@a.example:80/b", "a.example:80"),
        ("", "no host"),
    ]) func hostIsThatOfTheAddress(url: String, host: String) {
        #expect(Fetcher.host(of: url) == host)
    }

    /// The limit of a text in the data of a topic.
    @Test func reasonsHaveAtMost64Characters() {
        let errors: [HTTPError] = [
            .unresolved, .unreachable, .timedOut, .certificateNotYetValid, .certificate, .tooLong, .incomplete,
            .other(String(repeating: "x", count: 100)),
        ]
        let causes: [FetchFailure.Cause] =
            errors.map { .noResponse($0) } + [204, 301, 400, 403, 404, 410, 429, 500, 503].map { .status($0) }
            + [.redirected(toHost: String(repeating: "y", count: 60)), .unexpectedContent, .limited, .busy]
        for cause in causes {
            let failure = FetchFailure(
                cause, host: String(repeating: "h", count: 60), retryAt: Instant(nanoseconds: 0))
            #expect((1...64).contains(failure.description.unicodeScalars.count), "\(failure)")
        }
    }
}
