import Domain
import Formats
import HTTP
import JSONCoding
import Linux
import Wire

/// Asks a route engine for ways, and keeps the last results for the requests of their geometry.
///
/// Positions leave the board only here: to the engine, exactly, when somebody asks for a route.
final class RouteService {
    private static let attemptTime = Duration.seconds(60)
    /// Results that are kept, and how many vertices all their ways have at most.
    private static let resultLimit = 4
    private static let vertexLimit = 4 * CourseData.vertexLimit
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
        var number: Int
        var ways: [RouteWay]

        var vertexCount: Int { ways.reduce(0) { $0 + $1.course.vertices.count } }
    }

    private var job: Job?
    private var results: [Found] = []
    private var lastNumber = 0
    /// The data of the way that was asked for last.
    private var data: (route: Int, way: Int, bytes: [UInt8])?

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
        let query = RouteQuery(from: start, to: search.end, search.profile)
        job = Job(
            search: RouteSearch(engine, query), headers: engine == self.engine ? headers : [],
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
            HTTPRequest(
                url: call.url, headers: job.headers + type, body: call.body, bodyLimit: RouteAnswer.sizeLimit,
                timeout: timeout)
        ) { [unowned self] result in
            self.job?.search.receive(result, timeout: timeout)
            if self.job?.search.next == nil { return finish() }
            timer?.arm(at: Clock.now() + (job.search.engine.isLocal ? .zero : Self.pause))
        }
    }

    private func finish() {
        guard let job else { return }
        self.job = nil
        let host = SanitizedText(job.search.engine.host)?.text ?? "?"
        if let failure = job.search.failure {
            let text = failure.text(host)
            log(.warning, "no route: \(text)")
            return job.completed(.failure(.serverFailed(failure.reason, text)))
        }
        let ways = RouteWay.ranked(job.search.found, job.search.query.profile)
        lastNumber += 1
        keep(Found(number: lastNumber, ways: ways))
        var writer = JSONWriter()
        writer.object {
            $0.member("route", lastNumber)
            $0.member("engine", job.search.engine.dialect.rawValue)
            $0.member("host", host)
            $0.array("ways") { for way in ways { way.write(into: &$0) } }
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

    // MARK: Geometry

    /// A piece of a way.
    func piece(route: Int, way: Int, offset: Int) -> Result<ControlResult, RPCError> {
        guard let found = results.first(where: { $0.number == route }) else {
            return .failure(.notFound("route", "route \(route) is no longer kept: ask again"))
        }
        guard found.ways.indices.contains(way) else {
            return .failure(.notFound("way", "route \(route) has the ways 0 to \(found.ways.count - 1)"))
        }
        if data?.route != route || data?.way != way {
            var writer = JSONWriter()
            writer.upload(found.ways[way].course, name: nil)
            data = (route, way, writer.bytes)
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
