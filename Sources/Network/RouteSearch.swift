import Domain
import Formats
import HTTP
import Pipeline

/// The search for ways to a place: the requests to an engine, one after another, and the ways of their responses.
struct RouteSearch {
    let engine: RouteEngine
    let query: RouteQuery
    /// The next request; nil at the end of the search.
    private(set) var next: RouteCall?
    private(set) var found: [RouteAnswer] = []
    /// Why there are no ways.
    private(set) var failure: RouteFailure?

    private var rest: ArraySlice<RouteCall>

    /// An engine that moves a place farther than this has no map of it. In metres.
    private static let snapLimit = 200.0
    /// The most ways that are compared.
    private static let answerLimit = 16

    init(_ engine: RouteEngine, _ query: RouteQuery) {
        self.engine = engine
        self.query = query
        rest = engine.calls(for: query)[...]
        next = rest.popFirst()
    }

    /// Takes the response to the last request.
    ///
    /// A later request may fail: the ways of the earlier ones suffice. An engine that does not respond, or limits its
    /// clients, is not asked again.
    mutating func receive(_ result: Result<HTTPResponse, HTTPError>, timeout: Duration) {
        do throws(RouteFailure) {
            for answer in try ways(of: result, timeout: timeout) where found.count < Self.answerLimit {
                try checkEnds(answer)
                found.append(answer)
            }
            next = rest.popFirst()
        } catch {
            if found.isEmpty { failure = error }
            next = found.isEmpty || error.isOfEngine ? nil : rest.popFirst()
        }
    }

    private func ways(
        of result: Result<HTTPResponse, HTTPError>, timeout: Duration
    ) throws(RouteFailure) -> [RouteAnswer] {
        switch result {
        case .failure(let error): throw .noResponse(error, timeout: timeout)
        case .success(let response):
            if response.status == 429 { throw .limited(after: response.headers["retry-after"].flatMap { Int($0) }) }
            if (300..<400).contains(response.status) { throw .redirected }
            let words = RouteDialect.reason(in: response.body)
            guard response.status == 200 else {
                throw engine.dialect.saysNoWay(words) ? .noWay(words) : .status(response.status, words)
            }
            let first = response.body.first { $0 > UInt8(ascii: " ") }
            if first == UInt8(ascii: "<") { throw .page }
            if response.body.isEmpty { throw .noResponse(.incomplete, timeout: timeout) }
            do throws(FileError) {
                return try engine.dialect.answers(response.body)
            } catch {
                throw engine.dialect.saysNoWay(words) ? .noWay(words) : .format(engine.dialect, error)
            }
        }
    }

    private func checkEnds(_ answer: RouteAnswer) throws(RouteFailure) {
        let track = answer.course.data.vertices
        guard let first = track.first, let last = track.last else { throw .noWay(nil) }
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
        case .status, .format, .noWay, .snapped: false
        }
    }
}

extension RouteDialect {
    /// Whether an engine's words say that there is no way.
    ///
    /// Source: messages of BRouter ("no track found", "target island detected"), of Valhalla ("No path could be found for
    /// input") and of GraphHopper ("Connection between locations not found").
    fileprivate func saysNoWay(_ words: String?) -> Bool {
        guard let words = words?.lowercased() else { return false }
        return [
            "no track found", "island detected", "no path could be found", "connection between locations not found",
        ]
        .contains { words.contains($0) }
    }

}
