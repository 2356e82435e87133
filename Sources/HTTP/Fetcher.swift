import CCurl
package import Domain
import Glibc
package import Linux

/// What to fetch.
///
/// Source: docs/decisions/weather.md.
package struct FetchRequest: Sendable {
    package var url: String
    package var purpose: HostSchedule.Purpose
    /// A response on disk that is younger is used without a request.
    package var reuse: Duration
    /// A response on disk that is younger is used if the request fails.
    package var fallback: Duration
    /// Further header lines.
    package var headers: [String]
    /// Whether the response is kept on disk. Data that is old within seconds is not.
    package var isStored = true
    /// The most bytes of an unpacked body.
    package var bodyLimit = 1024 * 1024

    package init(
        url: String, purpose: HostSchedule.Purpose, reuse: Duration, fallback: Duration, headers: [String] = []
    ) {
        self.url = url
        self.purpose = purpose
        self.reuse = reuse
        self.fallback = fallback
        self.headers = headers
    }
}

/// What a host has sent.
package struct Fetched<Value> {
    package var value: Value
    /// When the host sent or confirmed it.
    package var fetchedAt: UTC
    /// Why it is not newer; nil for a response that is fresh.
    package var failure: FetchFailure?
}

/// Fetches over HTTP, and keeps responses on disk. One request at a time to each host, with the pauses of
/// ``HostSchedule``; others wait in a queue.
///
/// A response is stored only if it could be parsed: the page of a network that wants a login is not.
package final class Fetcher {
    package typealias Completion<Value> = (Result<Fetched<Value>, FetchFailure>) -> Void

    /// The most fetches that wait for a host: 16 of users, and the program's own.
    private static let queueLimit = 17

    private let client: HTTPClient
    private let cache: ResponseCache
    private let timeout: Duration
    private let log: (LogLevel, String) -> Void
    private var hosts: [String: Host] = [:]

    private struct Host {
        var schedule = HostSchedule()
        var queue: [() -> Void] = []
        /// Why the last request failed; nil if it succeeded.
        var failure: FetchFailure.Cause?
    }

    package init(
        _ client: HTTPClient, cache: ResponseCache, timeout: Duration, log: @escaping (LogLevel, String) -> Void
    ) {
        self.client = client
        self.cache = cache
        self.timeout = timeout
        self.log = log
    }

    /// Fetches and parses a response. `completed` is called exactly once, before the return if no request is needed.
    ///
    /// - Parameter parse: the value of a body, which is empty for status 204; nil for a body of another format.
    package func fetch<Value>(
        _ request: FetchRequest, parse: @escaping ([UInt8]) -> Value?, completed: @escaping Completion<Value>
    ) {
        let host = Self.host(of: request.url)
        let cached = request.isStored ? cache.response(to: request.url) : nil
        let value = cached.flatMap { parse($0.body) }
        if let cached, let value, cached.isFresh(reuse: request.reuse, at: Clock.systemTime()) {
            return completed(.success(Fetched(value: value, fetchedAt: cached.fetchedAt)))
        }
        let job = Job(
            request: request, host: host, parse: parse, cached: value == nil ? nil : cached, completed: completed)
        guard hosts[host]?.schedule.isBusy == true else { return start(job) }
        guard hosts[host]?.queue.count ?? 0 < Self.queueLimit else {
            return finish(job, FetchFailure(.busy, host: host, retryAt: Clock.now() + HostSchedule.minimumDelay))
        }
        // The response to an earlier request may be its own.
        hosts[host]?.queue.append { [unowned self] in fetch(request, parse: parse, completed: completed) }
    }

    private struct Job<Value> {
        var request: FetchRequest
        var host: String
        var parse: ([UInt8]) -> Value?
        /// A response on disk that can be parsed.
        var cached: CachedResponse?
        var completed: Completion<Value>
    }

    private func start<Value>(_ job: Job<Value>) {
        let now = Clock.now()
        var host = hosts[job.host] ?? Host()
        let earliest = host.schedule.earliestStart(for: job.request.purpose, at: now)
        guard earliest <= now else {
            return finish(job, FetchFailure(host.failure ?? .limited, host: job.host, retryAt: earliest))
        }
        host.schedule.start(job.request.purpose, at: now)
        hosts[job.host] = host
        var headers = job.request.headers
        if let etag = job.cached?.etag { headers.append("If-None-Match: \(etag)") }
        if let time = job.cached?.lastModified { headers.append("If-Modified-Since: \(time)") }
        let request = OutgoingRequest(
            url: job.request.url, headers: headers, bodyLimit: job.request.bodyLimit, timeout: timeout)
        client.send(request) { [unowned self] in receive($0, for: job) }
    }

    private func startNext(_ host: String) {
        while hosts[host]?.schedule.isBusy == false, hosts[host]?.queue.isEmpty == false {
            hosts[host]?.queue.removeFirst()()
        }
    }

    private func receive<Value>(_ result: Result<HTTPResponse, HTTPError>, for job: Job<Value>) {
        let (now, time) = (Clock.now(), Clock.systemTime())
        switch evaluate(result, for: job, at: time) {
        case .success(let (value, response)):
            hosts[job.host]?.schedule.succeed()
            report(nil, job.host)
            if response.isStorable, job.request.isStored { store(response.cached) }
            job.completed(.success(Fetched(value: value, fetchedAt: time)))
        case .failure(let (cause, retryAfter))
        where job.request.purpose == .live && retryAfter == nil && cause.isOfAddress:
            // Other addresses of the host may be right: the caller decides when to try this one again.
            hosts[job.host]?.schedule.succeed()
            finish(job, FetchFailure(cause, host: job.host, retryAt: now))
        case .failure(let (cause, retryAfter)):
            hosts[job.host]?.schedule.fail(
                wasReached: cause != .noResponse(.unresolved) && cause != .noResponse(.unreachable),
                retryAfter: retryAfter, jitter: .random(in: 0...1), at: now)
            let retry = hosts[job.host]?.schedule.earliestStart(for: .periodic, at: now) ?? now
            let failure = FetchFailure(cause, host: job.host, retryAt: retry)
            report(failure, job.host)
            finish(job, failure)
        }
        startNext(job.host)
    }

    private struct Received {
        var cached: CachedResponse
        var isStorable: Bool
    }

    private typealias Rejected = (FetchFailure.Cause, retryAfter: Duration?)

    private enum Evaluation<Value> {
        case success((Value, Received))
        case failure(Rejected)
    }

    private func evaluate<Value>(
        _ result: Result<HTTPResponse, HTTPError>, for job: Job<Value>, at time: UTC
    ) -> Evaluation<Value> {
        switch result {
        case .failure(let error): return .failure((.noResponse(error), nil))
        case .success(let response):
            switch response.status {
            // libcurl accepts a head that is cut off.
            case 200 where response.body.isEmpty: return .failure((.noResponse(.incomplete), nil))
            case 200, 204:
                guard let value = job.parse(response.body) else { return .failure((.unexpectedContent, nil)) }
                let cached = CachedResponse(job.request.url, response, at: time)
                return .success((value, Received(cached: cached, isStorable: !response.forbidsStorage)))
            case 304:
                guard var cached = job.cached, let value = job.parse(cached.body) else {
                    return .failure((.status(304), nil))
                }
                cached.fetchedAt = time
                cached.expires = response.expires(at: time)
                return .success((value, Received(cached: cached, isStorable: true)))
            case 300..<400:
                let target = response.redirection.map(Self.host) ?? "another address"
                return .failure((.redirected(toHost: target), nil))
            default: return .failure((.status(response.status), response.retryAfter(at: time)))
            }
        }
    }

    private func store(_ response: CachedResponse) {
        do throws(DirectoryError) {
            try cache.store(response)
        } catch {
            log(.warning, "cannot store a response: \(error)")
        }
    }

    /// Uses the response on disk if it is young enough.
    private func finish<Value>(_ job: Job<Value>, _ failure: FetchFailure) {
        guard let cached = job.cached, cached.age(at: Clock.systemTime()).map({ $0 < job.request.fallback }) == true,
            let value = job.parse(cached.body)
        else { return job.completed(.failure(failure)) }
        job.completed(.success(Fetched(value: value, fetchedAt: cached.fetchedAt, failure: failure)))
    }

    /// Logs a change only.
    private func report(_ failure: FetchFailure?, _ host: String) {
        guard hosts[host]?.failure != failure?.cause else { return }
        hosts[host]?.failure = failure?.cause
        log(failure == nil ? .notice : .warning, failure?.description ?? "\(host) responds again")
    }

    /// The host and the port of an address, for users. A user name and a password before the host are left out.
    package static func host(of url: String) -> String {
        let rest = url.drop { $0 != ":" }
        let authority = (rest.hasPrefix("://") ? rest.dropFirst(3) : url[...]).prefix { $0 != "/" && $0 != "?" }
        return SanitizedText(String(authority.split(separator: "@").last ?? ""))?.text ?? "no host"
    }
}

extension CachedResponse {
    init(_ url: String, _ response: HTTPResponse, at time: UTC) {
        self.init(
            url: url, fetchedAt: time, expires: response.expires(at: time), etag: response.field("etag"),
            lastModified: response.field("last-modified"), body: response.body)
    }

    /// Nil if the clock was set back since then.
    package func age(at time: UTC) -> Duration? {
        time < fetchedAt ? nil : .milliseconds(time.milliseconds - fetchedAt.milliseconds)
    }

    package func isFresh(reuse: Duration, at time: UTC) -> Bool {
        guard let age = age(at: time) else { return false }
        return age < reuse || expires.map { time < $0 } == true
    }
}

extension HTTPResponse {
    /// The longest value of a field that is sent back to the host.
    private static let fieldLimit = 256

    package func field(_ name: String) -> String? {
        headers[name].flatMap { $0.utf8.count <= Self.fieldLimit ? $0 : nil }
    }

    private var cacheDirectives: [Substring] {
        (headers["cache-control"] ?? "").lowercased().split { $0 == "," || $0 == " " }
    }

    var forbidsStorage: Bool { cacheDirectives.contains("no-store") }

    /// How long a response is fresh at most, whatever its host says, in milliseconds.
    private static let longestFreshness: Int64 = 86_400_000

    /// The end of max-age or Expires, at most ``longestFreshness`` ahead.
    package func expires(at time: UTC) -> UTC? {
        let age = cacheDirectives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst(8)) }
        // Of a greater age the product could overflow.
        let end =
            age.map { time.milliseconds + min(max($0, 0), Self.longestFreshness / 1000) * 1000 }
            ?? date("expires")?.milliseconds
        return end.map { UTC(milliseconds: min($0, time.milliseconds + Self.longestFreshness)) }
    }

    /// Seconds or a date.
    package func retryAfter(at time: UTC) -> Duration? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int64(text) { return .seconds(min(max(seconds, 0), 86_400)) }
        return date("retry-after").map { .milliseconds(max($0.milliseconds - time.milliseconds, 0)) }
    }

    /// The corresponding C function is `curl_getdate`.
    private func date(_ name: String) -> UTC? {
        guard let text = headers[name] else { return nil }
        let seconds = unsafe curl_getdate(text, nil)
        return seconds < 0 ? nil : UTC(milliseconds: Int64(seconds) * 1000)
    }
}
