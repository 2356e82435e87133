import Domain
import Formats
import HTTP
import Pipeline

/// The search for routes to a place: the requests to an engine, one after another, and the routes of their responses.
struct RouteSearch {
    let engine: RouteEngine
    let query: RouteQuery
    /// The next request; nil at the end of the search.
    private(set) var next: RouteCall?
    private(set) var found: [RouteAnswer] = []
    /// Why the search found no route.
    private(set) var failure: RouteFailure?

    private var rest: ArraySlice<RouteCall>

    /// A route that starts or ends farther from the requested place is refused: the map of the engine does not cover the
    /// place. In metres.
    private static let snapLimit = 200.0
    /// The most routes that are compared.
    private static let answerLimit = 16

    init(_ engine: RouteEngine, _ query: RouteQuery) {
        self.engine = engine
        self.query = query
        rest = engine.calls(for: query)[...]
        next = rest.popFirst()
    }

    /// Takes the response to the last request.
    ///
    /// A later request may fail: the routes of the earlier ones suffice. The search ends if the engine does not respond or
    /// limits its clients.
    /// - Returns: how long the engine asks its clients to wait, if it limits them.
    mutating func receive(_ result: Result<HTTPResponse, HTTPError>, timeout: Duration, at time: UTC) -> Duration? {
        do throws(RouteFailure) {
            for answer in try routes(of: result, timeout: timeout, at: time) where found.count < Self.answerLimit {
                try check(answer)
                found.append(answer)
            }
            next = rest.popFirst()
            return nil
        } catch {
            if found.isEmpty { failure = error }
            next = found.isEmpty || error.isOfEngine ? nil : rest.popFirst()
            return if case .limited(let duration) = error { duration } else { nil }
        }
    }

    private func routes(
        of result: Result<HTTPResponse, HTTPError>, timeout: Duration, at time: UTC
    ) throws(RouteFailure) -> [RouteAnswer] {
        switch result {
        case .failure(let error): throw .noResponse(error, timeout: timeout)
        case .success(let response):
            if response.status == 429 { throw .limited(for: response.retryAfter(at: time)) }
            if (300..<400).contains(response.status) { throw .redirected }
            let words = RouteDialect.reason(in: response.body)
            guard response.status == 200 else {
                throw engine.dialect.saysNoRoute(words) ? .noRoute(words) : .status(response.status, words)
            }
            let first = response.body.first { $0 > UInt8(ascii: " ") }
            if first == UInt8(ascii: "<") { throw .page }
            if response.body.isEmpty { throw .noResponse(.incomplete, timeout: timeout) }
            do throws(RouteAnswer.Failure) {
                return try engine.dialect.answers(response.body)
            } catch {
                switch error {
                case .tooLong(let metres): throw .tooFar(metres: metres)
                case .format where engine.dialect.saysNoRoute(words): throw .noRoute(words)
                case .format(let error): throw .format(engine.dialect, error)
                }
            }
        }
    }

    private func check(_ answer: RouteAnswer) throws(RouteFailure) {
        let track = answer.course.data.vertices
        guard let first = track.first, let last = track.last else { throw .noRoute(nil) }
        for (place, vertex, isStart) in [(query.start, first, true), (query.end, last, false)] {
            let metres = place.metres(to: vertex.coordinate)
            if metres > Self.snapLimit { throw .snapped(isStart: isStart, metres: metres) }
        }
    }
}

extension RouteFailure {
    /// Whether other requests to the engine would fail too.
    fileprivate var isOfEngine: Bool {
        switch self {
        case .noResponse, .limited, .redirected, .page: true
        case .status, .format, .noRoute, .snapped, .tooFar: false
        }
    }
}

extension RouteDialect {
    /// Whether the message of an engine says that there is no route.
    ///
    /// Source: messages of BRouter ("no track found", "target island detected"), of Valhalla ("No path could be found for
    /// input") and of GraphHopper ("Connection between locations not found").
    fileprivate func saysNoRoute(_ words: String?) -> Bool {
        guard let words = words?.lowercased() else { return false }
        return [
            "no track found", "island detected", "no path could be found", "connection between locations not found",
        ]
        .contains { words.containsText($0) }
    }
}
