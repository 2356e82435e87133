import Domain
import Formats
import HTTP
import JSONCoding
import Linux
import Wire

/// Asks a route engine for routes, and keeps the last results for the requests of their courses.
///
/// Positions leave the board only here: to the engine, exactly, when somebody asks for a route.
final class RouteService {
    private static let attemptTime = Duration.seconds(60)
    /// The most results that are kept, and the most vertices of all their routes.
    private static let resultLimit = 4
    private static let vertexLimit = 2 * CourseData.vertexLimit
    /// The longest wait that an engine can ask for.
    private static let longestWait = Duration.seconds(3600)
    /// Public servers allow one request a second.
    private static let pause = Duration.seconds(1)

    private let client: HTTPClient
    private let engine: RouteEngine?
    private let timeout: Duration
    /// Header lines for the engine of the configuration.
    private let headers: [String]
    private let log: (LogLevel, String) -> Void
    private var timer: TimerSource?

    private struct Job {
        var search: RouteSearch
        var headers: [String]
        var deadline: Instant
        var completed: (Result<ControlResult, RPCError>) -> Void
    }

    private struct Found {
        var search: Int
        var courses: [CourseData]

        var vertexCount: Int { courses.reduce(0) { $0 + $1.vertices.count } }
    }

    private var job: Job?
    /// The engine that has asked its clients to wait, and the end of that time.
    private var limited: (engine: RouteEngine, until: Instant)?
    private var results: [Found] = []
    private var lastSearch = 0
    /// The data of the route that was requested last.
    private var data: (search: Int, route: Int, bytes: [UInt8])?

    /// - Parameter engine: nil if the configuration has none.
    init(
        _ client: HTTPClient, _ engine: RouteEngine?, timeout: Duration, headers: [String], loop: EventLoop,
        log: @escaping (LogLevel, String) -> Void
    ) throws(SystemError) {
        self.client = client
        self.engine = engine
        self.timeout = timeout
        self.headers = headers
        self.log = log
        timer = try loop.timer { [unowned self] in send() }
    }

    // MARK: Search

    /// - Parameter position: that of the daemon, for a search without a start.
    func find(
        _ search: NetworkRequest.RouteSearch, position: Coordinate?,
        completed: @escaping (Result<ControlResult, RPCError>) -> Void
    ) {
        guard job == nil else { return completed(.failure(.busy("another route is being searched: try again"))) }
        guard let start = search.start ?? position else {
            return completed(
                .failure(.unavailable("paced has no position: wait for one, or name the start with --from")))
        }
        let engine: RouteEngine
        if let text = search.engine {
            guard let named = RouteEngine(text) else {
                return completed(
                    .failure(.invalidValue("engine", "engine must be an address such as http://127.0.0.1:17777")))
            }
            engine = named
        } else if let configured = self.engine {
            engine = configured
        } else {
            return completed(
                .failure(.unavailable("routes are off in paced-net.conf: name a route engine there, or with --engine")))
        }
        if let limited, limited.engine == engine, limited.until > Clock.now() {
            let failure = RouteFailure.limited(for: limited.until - Clock.now())
            return completed(.failure(.serverFailed(failure.reason, failure.text(engine.host))))
        }
        job = Job(
            search: RouteSearch(engine, from: start, search.goal, search.profile),
            headers: engine == self.engine ? headers : [],
            deadline: Clock.now() + Self.attemptTime, completed: completed)
        send()
    }

    private func send() {
        guard let job else { return }
        let timeLeft = job.deadline - Clock.now()
        guard let call = job.search.next, timeLeft > .zero || job.search.found.isEmpty else { return finish() }
        let timeout = min(timeout, max(timeLeft, .seconds(1)))
        let type = call.body == nil ? [] : ["Content-Type: application/json"]
        client.send(
            OutgoingRequest(
                url: call.url, headers: job.headers + type, content: call.body.map { .bytes($0) },
                bodyLimit: RouteAnswer.sizeLimit,
                timeout: timeout)
        ) { [unowned self] result in
            let now = Clock.now()
            if let wait = self.job?.search.receive(result, timeout: timeout, at: Clock.systemTime()) {
                limited = (job.search.engine, now + min(wait, Self.longestWait))
            }
            if self.job?.search.next == nil { return finish() }
            timer?.arm(at: now + (job.search.engine.isLocal ? .zero : Self.pause))
        }
    }

    private func finish() {
        guard let job else { return }
        self.job = nil
        let host = job.search.engine.host
        if let failure = job.search.failure {
            let text = failure.text(host)
            // The words of an engine may repeat the position.
            log(.warning, "no route: \(failure.reason)")
            return job.completed(.failure(.serverFailed(failure.reason, text)))
        }
        let routes = RankedRoute.ranked(job.search.found, job.search.goal, job.search.profile)
        lastSearch += 1
        keep(Found(search: lastSearch, courses: routes.map(\.course)))
        var writer = JSONWriter()
        writer.object {
            $0.member("search", lastSearch)
            $0.member("engine", job.search.engine.dialect.rawValue)
            $0.member("host", host)
            $0.array("routes") { for route in routes { route.write(into: &$0) } }
        }
        job.completed(.success(.encoded(writer.bytes)))
    }

    private func keep(_ found: Found) {
        results.append(found)
        while results.count > Self.resultLimit
            || results.count > 1 && results.reduce(0, { $0 + $1.vertexCount }) > Self.vertexLimit
        {
            results.removeFirst()
        }
    }

    // MARK: Courses

    /// A piece of the data of a route.
    func piece(search: Int, route: Int, offset: Int) -> Result<ControlResult, RPCError> {
        guard let found = results.first(where: { $0.search == search }) else {
            return .failure(.notFound("search", "the routes of search \(search) are no longer kept: search again"))
        }
        guard found.courses.indices.contains(route) else {
            return .failure(.notFound("route", "search \(search) has the routes 0 to \(found.courses.count - 1)"))
        }
        if data?.search != search || data?.route != route {
            var writer = JSONWriter()
            writer.upload(found.courses[route], name: nil)
            data = (search, route, writer.bytes)
        }
        guard let bytes = data?.bytes, offset <= bytes.count else {
            return .failure(.invalidValue("offset", "offset is beyond the end"))
        }
        var writer = JSONWriter()
        writer.object {
            let piece = Base64.encode(bytes[offset...].prefix(UploadRequest.appendLimit))
            $0.member("data", String(decoding: piece, as: UTF8.self))
            $0.member("bytes", bytes.count)
        }
        return .success(.encoded(writer.bytes))
    }
}
